"""What a candidate costs on more rows than it was tried on: from the trials so far and its method's operations."""

from __future__ import annotations

from collections.abc import Mapping

from gpbench import catalog
from gpbench.experiment.results.trial_result import TrialResult

from .candidates import Candidate

Results = Mapping[tuple[Candidate, int, int], TrialResult]  # by rows and split
RATE = 1e10  # operations in a second on an idle machine, until two numbers of rows tell


def took(result: TrialResult) -> float:
    """Seconds of fit and prediction."""
    return sum(result.seconds.get(k) or 0.0 for k in ("fit", "predict"))


def work(c: Candidate, rows: int, results: Results, pace: float = 1.0) -> tuple[float, float]:
    """Seconds of fit and prediction on so many rows, and of the full GP before it; zeros for a method not seen yet.

    From the trial of the method nearest in size on most rows. A part of its seconds grows as the operations that the
    method counts, the rest with the rows; both grow with the square of the size.
    """
    seen = [(k[0], k[1], r) for k, r in results.items() if k[0].method == c.method and r.status == "ok"]
    if not seen:
        return 0.0, 0.0
    nearest, n, r = max(seen, key=lambda x: (x[0].size <= c.size, x[1], x[0].size))
    grown = max(1.0, (max(c.size, 1) / nearest.size) ** 2) if nearest.size else 1.0
    learn = (r.seconds.get("learn") or 0.0) * (min(rows, 1000) / min(n, 1000)) ** 3
    if rows <= n:
        return took(r) * grown, learn
    before = [(m, took(s)) for o, m, s in seen if o == nearest and m < n]
    counted = _counted(nearest, n, took(r), before, pace)
    more = operations(nearest, rows) / operations(nearest, n)
    return ((took(r) - counted) * rows / n + counted * more) * grown, learn


def operations(c: Candidate, rows: int) -> float:
    """Operations of a fit with given hyperparameters, as the method counts them."""
    size = c.params.get("neighbours") or c.size or rows
    return max(1.0, float(catalog.find("method", c.method).operations(rows, min(size, rows), 0)))


def _counted(c: Candidate, n: int, seconds: float, before: list[tuple[int, float]], pace: float) -> float:
    """The part of the seconds at n rows that grows as the operations do, the other part being proportional to n."""
    found = pace * operations(c, n) / RATE
    for m, s in before:
        a, b = operations(c, n), operations(c, m) * n / m
        if a > 1.05 * b:  # else the two parts cannot be told apart
            found = max(found, a * (seconds - s * n / m) / (a - b))
    return min(seconds, found)
