#!/usr/bin/env bash
# Every config of the papers, one after the other; each run continues where it stopped, so this may be interrupted.
# Arguments go to `gpbench run` (-j 2, --trials 0-4, --timeout 3600 ...). A config that fails does not stop the rest.
set -u
cd "$(dirname "$0")/.."
status=0
shopt -s nullglob
for config in configs/{sundararajan,keerthi,snelson,cao,vanhatalo}/*.yaml; do
  echo "== $config" >&2
  .venv/bin/gpbench run "$config" "$@"
  code=$?
  [ $code -ge 130 ] && exit $code
  [ $code -ne 0 ] && status=$code
done
.venv/bin/gpbench check results/{sundararajan,keerthi,snelson,cao,vanhatalo}-*/ || status=$?
exit $status
