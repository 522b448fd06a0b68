"""Table of hot paths: seconds, ratio to a dgemm of the stated size, share of the dgemm's rate, and other libraries."""

from __future__ import annotations

import argparse
import os
import resource
import time

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is imported
    os.environ.setdefault(pool, "1")

from . import entries, executors, peers  # noqa: E402
from .timing import measure  # noqa: E402

HEAD = f"{'computation':<52} {'seconds':>9} {'dgemm':>9} {'ratio':>7} {'least':>7} {'share':>7} {'peak MB':>8}"


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument(
        "--full",
        action="store_true",
        help="also the blocked path up to a million rows, rank-one EP, fronts at n = 10000 (minutes)",
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only computations whose name contains this")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="runs of which the median is taken")
    parser.add_argument("--no-peers", action="store_true", help="leave out GPy, GPflow and GPyTorch")
    parser.add_argument("--cpu", action="store_true", help="CPU seconds, not elapsed: one thread on a busy machine")
    given = parser.parse_args(arguments)

    seconds = f"{'CPU' if given.cpu else 'elapsed'} seconds, median of {given.repeats}"
    print(f"threads {os.environ['OPENBLAS_NUM_THREADS']}; {seconds}; ratio = seconds / dgemm;")
    print("least = shortest run / shortest dgemm; share = unavoidable work / seconds, as a part of the dgemm's rate")
    print(HEAD)
    rows = 0
    for entry in (*entries.ENTRIES, *(entries.FULL if given.full else ())):
        rows += show((case for case in entry() if given.only in getattr(case, "name", case)), given)
    if not given.no_peers:
        rows += show(peers.cases(given.only), given)
    if not rows:
        parser.error(f"--only {given.only}: no computation has this in its name (--full has a few more)")


def show(cases, given) -> int:
    """A row for each case as soon as it is timed; a line that stands for a case is printed as it is. How many."""
    rows = 0
    for case in cases:
        print(case if isinstance(case, str) else row(case, given), flush=True)
        rows += 1
    return rows


def row(case, given) -> str:
    if isinstance(case, executors.Line):
        return f"{case.name:<52} {case.measure(given.repeats)}"
    clock = time.process_time if given.cpu else time.perf_counter
    t = measure(case, 1 if case.long else given.repeats, clock)
    share = "" if t.work is None else f"{t.work / t.ratio:.0%}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{t.name:<52} {t.seconds:9.3f} {t.unit:9.4f} {t.ratio:7.2f} {t.least:7.2f} {share:>7} {peak:8.0f}"


if __name__ == "__main__":
    main()
