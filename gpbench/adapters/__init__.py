"""Other libraries as methods, each in a virtual environment of its own (docs/results/field.md).

environment.py   where a library's environment is, how it is made and removed
client.py        our side of the process that fits and predicts
serve.py         the other side; runs under the library's own Python, so it imports numpy and nothing of ours
<library>/       adapter.py and requirements.txt
"""
