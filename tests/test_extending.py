"""The examples of docs/extending.md are run as they stand."""

import re
import subprocess
import sys

import pytest

CONFIG = """
name: mine
dataset: {name: %(dataset)s}
split: {kind: random, n_train: 60, n_test: 20}
hyperparameters: {schedule: joint, evaluations: 20}
kernel: %(kernel)s
methods: [%(method)s]
"""


@pytest.fixture(scope="module")
def examples(repo):
    """File name -> code, from the first comment of each block."""
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", (repo / "docs" / "extending.md").read_text(), re.S)
    return dict(blocks)


@pytest.mark.parametrize(
    "file, names",
    [
        ("my_method.py", {"dataset": "friedman3", "kernel": "ard-se", "method": "{method: first-rows, d_max: 10}"}),
        ("my_kernel.py", {"dataset": "friedman3", "kernel": "{sum: [ard-se, dot]}", "method": "full-gp"}),
        (
            "my_criterion.py",
            {"dataset": "friedman3", "kernel": "ard-se", "method": "{method: largest-residual, d_max: 10}"},
        ),
        ("my_data.py", {"dataset": "sine", "kernel": "ard-se", "method": "full-gp"}),
    ],
)
def test_a_new_thing_is_one_file(tmp_path, examples, file, names):
    (tmp_path / file).write_text(examples[file])
    (tmp_path / "mine.yaml").write_text(CONFIG % names)
    ran = subprocess.run(
        [sys.executable, "-m", "gpbench", "run", "mine.yaml", "--plugin", file],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    row = (tmp_path / "results" / "mine" / "results.csv").read_text().splitlines()[1]
    assert ",ok," in row and names["dataset"] in row


def test_every_example_is_tested(examples):
    assert set(examples) == {"my_method.py", "my_kernel.py", "my_criterion.py", "my_data.py"}
