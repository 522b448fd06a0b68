#!/usr/bin/env bash
# A real browser for the tests of the pages: Debian's chromium and the extra `browser`. Called by `make test`, never by
# `make run`. Whatever cannot be installed costs those tests only: they are skipped and say why.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/apt.sh

if ! command -v chromium >/dev/null 2>&1 && [ -z "${GPBENCH_CHROMIUM:-}" ]; then
  say "chromium is missing: installing it for the tests of the pages"
  apt_install --no-install-recommends chromium \
    || say "could not install it (no apt-get, or no rights; see $log): tests in a browser are skipped. To add it: sudo apt-get install chromium"
fi
if ! .venv/bin/python -c 'import playwright, axe_playwright_python' 2>/dev/null; then
  .venv/bin/python -m pip --disable-pip-version-check -qq install -e '.[browser]' \
    || say "Playwright could not be installed: tests in a browser are skipped"
fi
