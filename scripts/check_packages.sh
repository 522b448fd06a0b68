#!/usr/bin/env bash
# Build the wheel and the sdist, install each into an empty environment and run the quickstart outside the repository:
#   scripts/check_packages.sh [PYTHON]         (default: .venv/bin/python, which needs the package `build`)
# A warning of the build is an error. The sdist runs one trial of each series, the wheel the whole quickstart.
set -euo pipefail
cd "$(dirname "$0")/.."
repo=$PWD
python=$(cd "$(dirname "${1:-.venv/bin/python}")" && pwd)/$(basename "${1:-.venv/bin/python}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH PYTHONDONTWRITEBYTECODE

say() { echo "check_packages: $*" >&2; }

"$python" -c 'import build' 2>/dev/null || "$python" -m pip --disable-pip-version-check -qq install 'build>=1.2'
mkdir "$work/source"
git ls-files -co --exclude-standard -- gpbench configs pyproject.toml MANIFEST.in LICENSE '*.md' '*.cff' \
  | while read -r file; do if [ -e "$file" ]; then printf '%s\n' "$file"; fi; done \
  | tar cf - -T - | tar xf - -C "$work/source"
say "building"
if ! "$python" -m build --no-isolation -o "$work/dist" "$work/source" >"$work/build.log" 2>&1; then
  tail -20 "$work/build.log" >&2
  exit 1
fi
if grep -iE 'warning|deprecat' "$work/build.log" >&2; then
  say "the build warns"
  exit 1
fi

check() {  # file, further arguments of gpbench run
  local file=$1 env
  shift
  env=$work/env-${file##*.}
  "$python" -m venv "$env"
  "$env/bin/python" -m pip --disable-pip-version-check -q install "$file"
  mkdir -p "$work/outside"
  cd "$work/outside"
  "$env/bin/gpbench" --version
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$env/bin/gpbench" -q run quickstart -o "out-${file##*.}" -j 2 "$@" >/dev/null
  test -s "out-${file##*.}/report.html"
  cd "$repo"
  say "$(basename "$file") runs the quickstart"
}

check "$work"/dist/*.whl
check "$work"/dist/*.tar.gz --set trials=1
