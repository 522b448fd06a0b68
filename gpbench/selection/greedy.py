"""The forward loop, written once for every criterion and every pool."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from gpbench import deadline
from gpbench.errors import NotPositiveDefinite
from gpbench.kernels.rows import KernelRows

from .criterion import Criterion
from .state import GreedyState


class Meter:
    """What a candidate costs, fresh and retained ones apart, on the average of each `window` steps."""

    window = 25

    def __init__(self):
        self.readings: dict[int, dict[str, float]] = {}  # by step, under the keys of the trace
        self._spent, self._count = Counter(), Counter()

    def add(self, seconds: float, count: int, cached: bool) -> None:
        for key in ("seconds_per_candidate", f"seconds_per_{'cached' if cached else 'fresh'}_candidate"):
            self._spent[key] += seconds
            self._count[key] += count

    def read(self, step: int) -> None:
        if step % self.window == 0:
            self.readings[step] = {key: self._spent[key] / count for key, count in self._count.items() if count}
            self._spent, self._count = Counter(), Counter()


@dataclass
class Path:
    """A greedy path: the state at its end and the measure after each step. `grow` again to go on."""

    state: GreedyState
    criterion: Criterion
    pool: object  # draw(state), note(candidates, scores), learn(state, chosen), kept
    rows: KernelRows
    measures: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # spent on this path until then
    meter: Meter = field(default_factory=Meter)

    def grow(self, size: int, patience: int | None = None) -> Path:
        """Take the best candidate of the pool until `size`, until the measure stalls, or until none is independent."""
        state, spent, begin = self.state, self.seconds[-1] if self.seconds else 0.0, time.perf_counter()
        while state.size < min(size, state.capacity) and not self.stalled(patience):
            best = self._best()
            if best is None or (deadline.passed() and state.size):
                break
            score, j, k, z = best
            state.append(j, self.rows(j)[0] if k is None else k, z)
            before = time.perf_counter()
            self.pool.learn(state, j)
            if self.pool.kept is not None:  # counted when they are scored
                self.meter.add(time.perf_counter() - before, 0, cached=True)
            self.scores.append(float(score))
            self.measures.append(self.criterion.measure(state))
            self.seconds.append(spent + time.perf_counter() - begin)
            self.meter.read(state.size)
        if not state.size:
            raise NotPositiveDefinite("no training row can be a basis vector: kernel or targets are zero or not finite")
        return self

    def _best(self):
        """(score, training row, kernel row, z) of the best candidate; None when all are dependent on the basis."""
        best, begin = None, time.perf_counter()
        for candidates in self.pool.draw(self.state):
            scores = self.criterion.score(self.state, candidates)
            self.meter.add(time.perf_counter() - begin, len(candidates), candidates is self.pool.kept)
            allowed = self.state.eligible()[candidates.index] & ~np.isnan(scores)
            scores = np.where(allowed, scores, -np.inf)
            self.pool.note(candidates, scores)
            a = int(np.argmax(scores))
            if scores[a] > (-np.inf if best is None else best[0]):
                k = None if candidates.K is None else candidates.K[a]
                z = None if candidates.z is None else candidates.z[a]
                best = scores[a], int(candidates.index[a]), k, z
            begin = time.perf_counter()
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
            {**also, "size": k, "score": score, "measure": measure, "seconds": seconds} | self.meter.readings.get(k, {})
            for k, (score, measure, seconds) in enumerate(steps, start=1)
        ]
