"""Table of hot paths: seconds, ratio to a dgemm of the stated size, share of the dgemm's rate, and other libraries."""

from __future__ import annotations

import argparse
import os
import resource

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is imported
    os.environ.setdefault(pool, "1")

from . import entries, peers  # noqa: E402
from .timing import measure  # noqa: E402

HEAD = f"{'computation':<52} {'seconds':>9} {'dgemm':>9} {'ratio':>7} {'share':>7} {'peak MB':>8}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gpbench.bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="also the blocked path up to a million rows (minutes)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only computations whose name contains this")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="runs of which the median is taken")
    parser.add_argument("--no-peers", action="store_true", help="leave out GPy, GPflow and GPyTorch")
    given = parser.parse_args()

    print(f"threads {os.environ['OPENBLAS_NUM_THREADS']}, median of {given.repeats}; ratio = seconds / dgemm;")
    print("share = unavoidable floating point work / seconds, as a part of the dgemm's rate")
    print(HEAD)
    for entry in (*entries.ENTRIES, *(entries.FULL if given.full else ())):
        show(entry(), given)
    if not given.no_peers:
        cases, absent = peers.cases()
        show(cases, given)
        print(*absent, sep="\n")


def show(cases, given) -> None:
    for case in cases:
        if given.only not in case.name:
            continue
        t = measure(case, given.repeats if "blocked" not in case.name else 1)
        share = "" if t.work is None else f"{t.work / t.ratio:.0%}"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{t.name:<52} {t.seconds:9.3f} {t.unit:9.4f} {t.ratio:7.2f} {share:>7} {peak:8.0f}", flush=True)


if __name__ == "__main__":
    main()
