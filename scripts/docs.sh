#!/usr/bin/env bash
# Build the documentation into site/docs/. Installs the extra `docs` on first use. Called by `make docs`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/apt.sh

python=${PYTHON_OF_DOCS:-.venv/bin/python}
if ! "$python" -c 'import build, myst_parser, numpydoc, pydata_sphinx_theme, sphinx_click, sphinx_copybutton, sphinx_gallery' \
  2>/dev/null; then
  say "installing the packages that build the documentation"
  "$python" -m pip --disable-pip-version-check -qq install -e '.[docs]'
fi
"$python" -m sphinx -q -W --keep-going -b html -d build/doctrees docs "${1:-site/docs}"
"$python" -m scripts.check_docs "${1:-site/docs}"
