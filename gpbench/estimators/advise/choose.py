"""Which candidates go on, and which one is recommended. Plain functions of scores: lower is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gpbench.metrics import METRICS

from .candidates import Candidate

Scores = Mapping[Candidate, Sequence[float]]  # by split; all candidates in the same order of splits
FEW = 6  # candidates from which on nothing is dropped
SMALL_SHARE, SMALL_NATS = 0.025, 0.025  # what a cheaper candidate may be behind, however noisy the splits are


def promoted(scores: Mapping[Candidate, float], every: Sequence[Candidate], biased: bool) -> list[Candidate]:
    """The better half. On fewer rows than there are (`biased`) a larger size may still come out ahead on all of them:
    the next larger one of each method in the half goes on, too."""
    ranked = sorted((c for c in scores if np.isfinite(scores[c])), key=lambda c: scores[c])
    kept = set(ranked[: max(FEW, -(-len(ranked) // 2))])
    if biased:
        for c in list(kept):
            larger = sorted((o for o in every if o.method == c.method and o.size > c.size), key=lambda o: o.size)
            kept |= set(larger[:1])
    return [c for c in every if c in kept]


@dataclass(frozen=True)
class Recommendation:
    best: Candidate
    pick: Candidate
    reason: str


def recommend(scores: Scores, cost: Mapping[Candidate, float], metric: str) -> Recommendation:
    """The cheapest candidate that is not worse than the best by more than one standard error of their difference.

    Splits are paired, so the difference is far better known than either score; scores are losses of the metric. Two or
    three splits may know it badly all the same: a large difference is not made up for by a large standard error.
    """
    what = METRICS[metric].loss_name
    means = {c: float(np.mean(s)) for c, s in scores.items()}
    best = min(means, key=means.get)
    splits = len(scores[best])
    if splits < 2:
        reason = f"it has the lowest {what} on the one split there was time for; one split has no standard error"
        return Recommendation(best, best, reason)
    equal, most = [], SMALL_NATS if METRICS[metric].in_nats else SMALL_SHARE * means[best]
    for c, s in scores.items():
        difference = np.subtract(s, scores[best])
        error = float(np.std(difference, ddof=1) / np.sqrt(splits))
        if c is best or float(np.mean(difference)) <= min(error, most):
            equal.append(c)
    pick = min(equal, key=lambda c: cost[c])
    if pick is best:
        limit = f"{SMALL_NATS:g} nat" if METRICS[metric].in_nats else f"{SMALL_SHARE:.1%}"
        others = f"no cheaper candidate is within one standard error of their difference and {limit} of it"
        return Recommendation(
            best, pick, f"it has the lowest {what} over {splits} splits, {means[best]:.4g}, and {others}"
        )
    reason = (
        f"its {what}, {means[pick]:.4g}, is within one standard error of their difference from that of {best.name}, "
        f"{means[best]:.4g}, over {splits} splits, and it takes {cost[pick]:.2g} s instead of {cost[best]:.2g} s"
    )
    return Recommendation(best, pick, reason)
