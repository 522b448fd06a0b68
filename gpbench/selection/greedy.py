"""The forward loop, written once for every criterion and every pool."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from gpbench.kernels.rows import KernelRows

from .criterion import Criterion
from .state import GreedyState


@dataclass
class Path:
    """A greedy path: the state at its end and, for each step, the measure after it."""

    state: GreedyState
    measures: list[float]
    scores: list[float]
    seconds: list[float]  # since the start of the path

    def trace(self, **also) -> list[dict]:
        steps = zip(self.state.pivots.tolist(), self.scores, self.measures, self.seconds)
        return [
            {**also, "size": k + 1, "row": row, "score": s, "measure": M, "seconds": t}
            for k, (row, s, M, t) in enumerate(steps)
        ]

    def stalled(self, patience: int | None) -> bool:
        """So many inclusions without a new minimum of the measure ([sundararajan] step 5)."""
        return patience is not None and len(self.measures) - 1 - int(np.argmin(self.measures)) >= patience


def grow(state: GreedyState, criterion: Criterion, pool, rows: KernelRows, size: int, patience: int | None = None):
    """Take the best candidate of the pool until `size`, until the measure stalls, or until none is independent."""
    path, begin = Path(state, [], [], []), time.perf_counter()
    while state.size < min(size, state.capacity) and not path.stalled(patience):
        best = _best(state, criterion, pool)
        if best is None:
            break
        score, j, k, z = best
        state.append(j, rows(j)[0] if k is None else k, z)
        pool.learn(state, j)
        path.scores.append(float(score))
        path.measures.append(criterion.measure(state))
        path.seconds.append(time.perf_counter() - begin)
    return path


def _best(state, criterion, pool):
    """(score, training row, kernel row, z) of the best candidate; None when all are dependent on the basis."""
    best = None
    for candidates in pool.draw(state):
        scores = criterion.score(state, candidates)
        allowed = state.eligible()[candidates.index] & ~np.isnan(scores)
        scores = np.where(allowed, scores, -np.inf)
        pool.note(candidates, scores)
        a = int(np.argmax(scores))
        if scores[a] > (-np.inf if best is None else best[0]):
            k = None if candidates.K is None else candidates.K[a]
            z = None if candidates.z is None else candidates.z[a]
            best = scores[a], int(candidates.index[a]), k, z
    return best
