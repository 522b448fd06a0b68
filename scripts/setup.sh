#!/usr/bin/env bash
# All the set-up of a fresh machine: virtual environment, SuiteSparse headers, gpbench with its extras.
# Skipped when nothing changed since the last time. Called by every make target.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
stamp=$venv/.gpbench-setup
. scripts/apt.sh

find_python() {
  for p in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.10; do
    if command -v "$p" >/dev/null 2>&1 && "$p" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      echo "$p"; return
    fi
  done
  say "no Python 3.10 or newer found; install one (Debian/Ubuntu: apt-get install python3 python3-venv) or set PYTHON=..."
  exit 1
}

have_suitesparse() {
  for d in /usr/include/suitesparse /usr/local/include/suitesparse /opt/homebrew/include/suitesparse; do
    [ -e "$d/cholmod.h" ] && return 0
  done
  [ -n "${SUITESPARSE_INCLUDE_DIR:-}" ]
}

fingerprint() {  # of all that the set-up depends on
  { cat pyproject.toml gpbench/__init__.py scripts/setup.sh scripts/apt.sh; "$python" --version; pwd; if have_suitesparse; then echo suitesparse; fi; } | cksum
}

python=$(find_python)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ]; then exit 0; fi

if ! have_suitesparse; then
  say "SuiteSparse headers are missing: installing libsuitesparse-dev"
  apt_install libsuitesparse-dev || say "could not install them (no apt-get, or no rights; see $log): going on without CHOLMOD. \
Sparse classification then uses the built-in ordering. To add it: sudo apt-get install libsuitesparse-dev && make setup"
fi

if [ ! -x "$venv/bin/python" ]; then
  say "creating $venv with $("$python" --version)"
  if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
    rm -rf "$venv"
    say "python3-venv is missing: installing it"
    apt_install python3-venv || true
    "$python" -m venv "$venv" || { say "cannot create a virtual environment: apt-get install python3-venv"; exit 1; }
  fi
fi

pip() { "$venv/bin/python" -m pip --disable-pip-version-check -qq "$@"; }
say "installing gpbench (a few minutes the first time)"
pip install -e '.[dev]'
pip install -e '.[molecules]' || say "RDKit could not be installed; graph kernels on molecules will not work without it"
pip install -e '.[sklearn]' || say "scikit-learn could not be installed; the tests of the estimators in its company will be skipped"
pip install -e '.[dask]' || say "Dask could not be installed; --on dask and trials on many machines will not work without it"
pip install -e '.[parquet]' || say "pyarrow could not be installed; parquet files cannot be read without it"
pip install -e '.[oracles]' || say "GraKeL could not be installed; the tests that compare graph kernels with it will be skipped"
if have_suitesparse; then
  if ! pip install -e '.[sparse]' > "$venv/sparse.log" 2>&1; then
    say "scikit-sparse could not be built (see $venv/sparse.log); everything but CHOLMOD orderings works without it"
  fi
fi
fingerprint > "$stamp"
say "done"
