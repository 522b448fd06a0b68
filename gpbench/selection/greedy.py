"""The forward loop, written once for every criterion and every pool."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from gpbench.errors import NotPositiveDefinite
from gpbench.kernels.rows import KernelRows

from .criterion import Criterion
from .state import GreedyState


@dataclass
class Path:
    """A greedy path: the state at its end and the measure after each step. `grow` again to go on."""

    state: GreedyState
    criterion: Criterion
    pool: object  # draw(state), note(candidates, scores), learn(state, chosen)
    rows: KernelRows
    measures: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # spent on this path until then

    def grow(self, size: int, patience: int | None = None) -> Path:
        """Take the best candidate of the pool until `size`, until the measure stalls, or until none is independent."""
        state, spent, begin = self.state, self.seconds[-1] if self.seconds else 0.0, time.perf_counter()
        while state.size < min(size, state.capacity) and not self.stalled(patience):
            best = self._best()
            if best is None:
                break
            score, j, k, z = best
            state.append(j, self.rows(j)[0] if k is None else k, z)
            self.pool.learn(state, j)
            self.scores.append(float(score))
            self.measures.append(self.criterion.measure(state))
            self.seconds.append(spent + time.perf_counter() - begin)
        if not state.size:
            raise NotPositiveDefinite("no training row can be a basis vector: kernel or targets are zero or not finite")
        return self

    def _best(self):
        """(score, training row, kernel row, z) of the best candidate; None when all are dependent on the basis."""
        best = None
        for candidates in self.pool.draw(self.state):
            scores = self.criterion.score(self.state, candidates)
            allowed = self.state.eligible()[candidates.index] & ~np.isnan(scores)
            scores = np.where(allowed, scores, -np.inf)
            self.pool.note(candidates, scores)
            a = int(np.argmax(scores))
            if scores[a] > (-np.inf if best is None else best[0]):
                k = None if candidates.K is None else candidates.K[a]
                z = None if candidates.z is None else candidates.z[a]
                best = scores[a], int(candidates.index[a]), k, z
        return best

    def stalled(self, patience: int | None) -> bool:
        """So many inclusions without a new minimum of the measure ([sundararajan] step 5)."""
        return patience is not None and bool(self.measures) and len(self.measures) - self.minimum() >= patience

    def minimum(self) -> int:
        """The size at which the measure is lowest."""
        return int(np.argmin(self.measures)) + 1

    def trace(self, **also) -> list[dict]:
        steps = zip(self.scores, self.measures, self.seconds)
        return [
            {**also, "size": k, "score": score, "measure": measure, "seconds": seconds}
            for k, (score, measure, seconds) in enumerate(steps, start=1)
        ]
