#!/usr/bin/env bash
# Ten minutes of archived trials run again, another sample at every commit; exit 4 when a number has drifted.
set -u
cd "$(dirname "$0")/.."
if ! commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
  echo "verify: not a git tree, so no commit to draw the sample from; skipped" >&2
  exit 0
fi
exec "${GPBENCH:-.venv/bin/gpbench}" verify results/*-*/ --seconds "${SECONDS_OF_VERIFY:-600}" -j 2 --seed $((16#$commit))
