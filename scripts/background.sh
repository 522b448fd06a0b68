#!/usr/bin/env bash
# The long reproductions, from a clone of this repository at a tag, with an environment of its own:
#   scripts/background.sh [--timed] TAG [CLONE_DIR]      (default: background/ beside the repository)
# One trial at a time at the lowest priority. The clone is made where it is missing; finished trials that this repository
# has by then are taken from it. Archives are committed in the clone every hour, all results when a config is done, on the
# branch `background`; nothing is pushed. `git pull CLONE_DIR background` merges them here.
# Ctrl-C or TERM stops it and commits what is finished; the same command continues. A second one ends with code 6.
# Configs that measure time want the machine to themselves: they are left out unless --timed is given.
set -u
repo=$(cd "$(dirname "$0")/.." && pwd)
timed=false
if [ "${1:-}" = --timed ]; then timed=true; shift; fi
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${1#-}" != "$1" ]; then sed -n '3s/^# *//p' "$0" >&2; exit 2; fi
tag=$1 clone=${2:-$repo/../background} every=${SECONDS_BETWEEN_COMMITS:-3600}

# the shortest first, so that a run that is stopped has finished as many configs as it could
configs="vanhatalo/figure2_pp1 vanhatalo/figure2_pp2 vanhatalo/table1 vanhatalo/figure1 vanhatalo/figure2_pp0
  vanhatalo/figure2_pp3 vanhatalo/table2 cao/figure1 cao/figure4 snelson/figure1 snelson/figure4 snelson/figure2
  sundararajan/table4 sundararajan/table3 snelson/figure3_pumadyn snelson/figure3_kin40k cao/figure5 cao/figure4_every10
  sundararajan/table2 sundararajan/table5 sundararajan/figure1 sundararajan/figure2 sundararajan/figure3
  sundararajan/figure4 cao/figure2_hog keerthi/table1
  vanhatalo/figure3a vanhatalo/figure3b vanhatalo/figure3b_own vanhatalo/orderings vanhatalo/rows vanhatalo/table3
  sundararajan/cache_time cao/swap_time cao/figure3 cao/figure2_thrombin cao/figure6 cao/figure7 kin40k keerthi/figure1
  keerthi/scoring_time
  sundararajan/table5-open sundararajan/table4-open-boston sundararajan/table4-open-abalone snelson/n12-open
  sundararajan/table2-open sundararajan/table3-open vanhatalo/table1-open vanhatalo/table1-open-draw1
  vanhatalo/table1-open-draw2 vanhatalo/table1-open-draw3 vanhatalo/table1-open-draw4 vanhatalo/table3-open
  sundararajan/table4-open-bank-cpu keerthi/table1-open
  vanhatalo/figure2_mode_pp0 vanhatalo/figure2_mode_pp1 vanhatalo/figure2_mode_pp2 vanhatalo/figure2_mode_pp3"
# their seconds are drawn, or claims stand on them
measuring_time=" keerthi/figure1 keerthi/scoring_time kin40k sundararajan/cache_time vanhatalo/table3 vanhatalo/figure3a
  vanhatalo/figure3b vanhatalo/figure3b_own vanhatalo/orderings vanhatalo/rows cao/figure2_thrombin cao/figure3
  cao/figure6 cao/figure7 cao/swap_time "

say() { echo "background: $*" >&2; }
in_clone() { git -C "$clone" "$@"; }
measures_time() { [[ $measuring_time =~ [[:space:]]$1[[:space:]] ]]; }

commit() {  # message, then the files in results/ that are to be committed
  local message=$1
  shift
  in_clone add -- "$@" 2>/dev/null
  in_clone diff --cached --quiet || in_clone commit -q -m "$message" || say "nothing could be committed in $clone"
}

archives() { (cd "$clone" && ls -d results/*/archive.jsonl results/*/results.csv results/*/env); }

child=
stop() {  # exit code
  trap '' INT TERM
  if [ -n "$child" ]; then
    kill -TERM "$child" 2>/dev/null
    wait "$child"
  fi
  if [ -d "$clone/results" ]; then commit "Background run stopped: results so far" results; fi
  say "stopped; the same command continues"
  exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM

lowest_priority() {  # Linux groups processes by session, and between sessions `nice` counts for nothing
  local pid
  for pid in $(pgrep -f "$clone/.venv/bin/" 2>/dev/null); do echo 19 2>/dev/null >"/proc/$pid/autogroup"; done
} 2>/dev/null

attended() {  # a command, its archives committed every so often; its exit code
  nice -n 19 "$@" &
  child=$!
  local next=$((SECONDS + every))
  while kill -0 "$child" 2>/dev/null; do
    lowest_priority
    sleep 1 9>&- &
    wait $!
    if [ $SECONDS -ge $next ]; then
      commit "Background run: archives so far" $(archives)
      next=$((SECONDS + every))
    fi
  done
  wait "$child"
  local code=$?
  child=
  return $code
}

make_clone() {
  git -C "$repo" rev-parse -q --verify "$tag^{commit}" >/dev/null || { say "$repo has no tag $tag"; exit 2; }
  if [ ! -d "$clone/.git" ]; then
    say "cloning $repo into $clone"
    git clone -q "$repo" "$clone" && in_clone checkout -q -B background "$tag" || exit 7
    for key in user.name user.email; do
      if value=$(git -C "$repo" config $key); then in_clone config $key "$value"; fi
    done
  fi
  commit "Background run: results that an earlier run left" results
  in_clone fetch -q --tags origin || exit 7
  if ! in_clone merge-base --is-ancestor "$tag" HEAD && ! in_clone merge -q --no-edit "$tag"; then
    in_clone merge --abort
    say "$clone cannot merge $tag: pull its branch \`background\` into the repository, then remove the clone"
    exit 2
  fi
}

same_trials() {  # folders that have trials of a config too
  case $1 in
    kin40k) echo results/keerthi-figure1 ;;
    sundararajan/table3) echo results/sundararajan-figure3 ;;
    vanhatalo/orderings) echo results/vanhatalo-rows ;;
    cao/figure3) echo results/cao-figure2-hog results/cao-figure2-thrombin ;;
    cao/figure7) echo results/cao-figure6 ;;
  esac
}

run_config() {
  local config=$1 name folder sources=() more=()
  case $config in sundararajan/table[23]-open) more=(--whole-paths) ;; esac
  name=$(sed -n 's/^name: *//p' "configs/$config.yaml")
  for folder in "$repo/results/$name" $(same_trials "$config"); do
    if [ -d "$folder" ]; then sources+=(--from "$folder"); fi
  done
  say "== $config"
  attended .venv/bin/gpbench run "configs/$config.yaml" -j 1 --rerun stale "${sources[@]}" "${more[@]}"
  local code=$?
  commit "Background run: $config" results
  if [ $code -ge 130 ]; then say "$config was stopped (code $code)"; exit $code; fi
  if [ $code -ne 0 ]; then say "$config ended with code $code"; fi
}

exec 9>>"$clone.lock"
flock -n 9 || { say "$clone.lock is held: another run is at work in $clone"; exit 6; }
make_clone
clone=$(cd "$clone" && pwd)
cd "$clone" || exit 7
unset PYTHONPATH VIRTUAL_ENV
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
if [ -d "$repo/../shared/mirror" ]; then GPBENCH_MIRROR=$(cd "$repo/../shared/mirror" && pwd); export GPBENCH_MIRROR; fi
if [ -L .venv ]; then say "$clone/.venv is a link: remove it, the clone installs an environment of its own"; exit 2; fi
attended bash scripts/setup.sh || { say "the set-up of $clone failed"; exit 5; }
for config in $configs; do
  if [ ! -f "configs/$config.yaml" ]; then say "$tag has no configs/$config.yaml"; continue; fi
  if ! $timed && measures_time "$config"; then say "left out, since it measures time (--timed): $config"; continue; fi
  run_config "$config"
done
say "done; git pull $clone background"
