"""The forward loop, written once for every criterion and every pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.kernels.rows import KernelRows
from gpbench.recorder import Recorder
from gpbench.system import deadline, progress

from .criterion import Criterion
from .state import State


@dataclass
class Path:
    """A greedy path: the state at its end and the measure after each step. `grow` again to go on.

    Every step is a row of the recorder's trace, with `also` in it (None: no rows); `seconds` are of this path alone.
    """

    state: State
    criterion: Criterion
    pool: object  # draw(state), note(candidates, scores), learn(state, chosen), kept
    rows: KernelRows
    recorder: Recorder = field(default_factory=Recorder)
    also: Mapping[str, int] | None = field(default_factory=dict)
    measures: list[float] = field(default_factory=list)

    def __post_init__(self):
        self._watch, self._meter = self.recorder.stopwatch(), self.recorder.meter()

    def grow(self, size: int, stops: Callable[[np.ndarray], bool] | None = None) -> Path:
        """Take the best candidate of the pool until `size`, until a stop rule ends it, or until none is independent.

        `stops` says so of the measure after each inclusion.
        """
        state, before = self.state, self.rows.evaluated
        with self._watch:
            while state.size < min(size, state.capacity) and not self._stopped(stops):
                if deadline.passed() and state.size:
                    deadline.cut(f"selection ended at {state.size} of {size} basis vectors")
                    break
                progress.step("selecting basis vectors", state.size, size)
                best = self._best()
                if best is None:
                    break
                self._take(*best)
        self.recorder.evaluated(self.rows.evaluated - before)
        if not state.size:
            raise NotPositiveDefinite("no training row can be a basis vector: kernel or targets are zero or not finite")
        return self

    def _best(self):
        """(score, training row, kernel row, z) of the best candidate; None when all are dependent on the basis."""
        best = None
        self._meter.begin()
        for candidates in self.pool.draw(self.state):
            scores = self.criterion.score(self.state, candidates)
            self._meter.end(len(candidates), candidates is self.pool.kept)
            allowed = self.state.eligible()[candidates.index] & ~np.isnan(scores)
            scores = np.where(allowed, scores, -np.inf)
            self.pool.note(candidates, scores)
            a = int(np.argmax(scores))
            if scores[a] > (-np.inf if best is None else best[0]):
                k = None if candidates.K is None else candidates.K[a]
                z = None if candidates.z is None else candidates.z[a]
                best = scores[a], int(candidates.index[a]), k, z
            self._meter.begin()
        return best

    def _take(self, score: float, j: int, k, z) -> None:
        state = self.state
        state.append(j, self.rows(j)[0] if k is None else k, z)
        self._meter.begin()
        self.pool.learn(state, j)
        if self.pool.kept is not None:  # counted when they are scored
            self._meter.end(0, cached=True)
        self.measures.append(self.criterion.measure(state))
        if self.also is not None:
            step = {"size": state.size, "score": float(score), "measure": self.measures[-1]}
            step |= {name: getattr(state, name) for name in self.criterion.also}
            cost = {"seconds": self._watch.seconds, **self._meter.read(state.size)}
            self.recorder.row({**self.also, **step, **cost})

    def _stopped(self, stops: Callable[[np.ndarray], bool] | None) -> bool:
        return stops is not None and bool(self.measures) and stops(np.asarray(self.measures))

    def minimum(self) -> int:
        """The size at which the measure is lowest."""
        return int(np.argmin(self.measures)) + 1
