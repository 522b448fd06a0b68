#!/usr/bin/env bash
# Every config of the papers, one after the other; each run continues where it stopped, so this may be interrupted.
# Arguments go to `gpbench run` (-j 2, --trials 0-4, --timeout 3600 ...). A config that fails does not stop the rest.
# The end is 0 when nothing fell below the committed check: trials that failed (1), data that cannot be had (3) and
# optional packages that are missing (5) show there; any other trouble of a run is told by its own code.
set -u
cd "$(dirname "$0")/.."
GPBENCH=${GPBENCH:-.venv/bin/gpbench}
status=0
shopt -s nullglob
for config in configs/{sundararajan,keerthi,snelson,cao,vanhatalo}/*.yaml; do
  echo "== $config" >&2
  "$GPBENCH" run "$config" "$@"
  code=$?
  [ $code -ge 130 ] && exit $code
  case $code in 0 | 1 | 3 | 5) ;; *) status=$code ;; esac
done
"$GPBENCH" check results/{sundararajan,keerthi,snelson,cao,vanhatalo}-*/ --baseline results/check.json || status=$?
exit $status
