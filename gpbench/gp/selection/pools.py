"""Where candidates come from at each step, and which of them are kept for the next."""

from __future__ import annotations

import numpy as np

from gpbench.gp.kernels.rows import KernelRows

from .candidates import Candidates
from .state import GreedyState

FRESH = 59  # with probability 0.95 the best of 59 random ones is among the best 5 % (Smola and Bartlett)
_BLOCK = 64


class WorkingSet:
    """`fresh` random rows at each step besides the `retained` best losers of the last one.

    [sundararajan] section 4: 59 fresh and d_cache retained. [keerthi] section 3 is the same rule with c = fresh +
    retained rows and a first step that fills all of c (`first`); after adaptation it starts with the last basis.
    """

    def __init__(self, rows: KernelRows, needs, rng, fresh: int = FRESH, retained: int = 0, first=0):
        self.rows, self.needs, self.rng, self.fresh, self.retained = rows, needs, rng, fresh, retained
        self._first = (
            (first, ()) if np.isscalar(first) else (len(first), first)
        )  # how many to begin with, which of them
        self.kept: Candidates | None = None  # the retained ones
        self._scored: list[tuple[Candidates, np.ndarray]] = []

    def draw(self, state: GreedyState):
        self._scored = []
        if self.kept is not None and len(self.kept):
            yield self.kept
        index = self._new_rows(state)
        if len(index):
            yield Candidates(state, index, self.rows(index), self.needs)

    def _new_rows(self, state: GreedyState) -> np.ndarray:
        open_ = state.eligible()
        if self.kept is not None:
            open_[self.kept.index] = False
        count, named = self._first
        named = np.asarray(named, dtype=int)
        named, self._first = named[open_[named]], (0, ())
        open_[named] = False
        others = np.flatnonzero(open_)
        wanted = max(count, self.fresh) - len(named)
        return np.r_[named, self.rng.choice(others, max(0, min(wanted, len(others))), replace=False)]

    def note(self, candidates: Candidates, scores) -> None:
        self._scored.append((candidates, scores))

    def learn(self, state: GreedyState, chosen: int) -> None:
        """Keep the best losers, in step with the state that has just taken `chosen`."""
        if not self.retained:
            return
        scores = np.concatenate([np.where(c.index == chosen, -np.inf, s) for c, s in self._scored])
        best = np.argsort(-scores, kind="stable")[: self.retained]
        best = best[np.isfinite(scores[best])]
        new, _ = self._scored[-1]
        if self.kept is None or new is self.kept:  # the first step; no fresh rows are left
            self.kept = new.select(np.sort(best))
        else:
            self._exchange(new, best)
        self.kept.follow(state)

    def _exchange(self, new: Candidates, best) -> None:
        """Fresh ones that stay move into the places of kept ones that go; nothing else is copied."""
        kept = self.kept
        arrivals, staying = best[best >= len(kept)] - len(kept), best[best < len(kept)]
        holes = np.setdiff1d(np.arange(len(kept)), staying)
        both = min(len(holes), len(arrivals))
        kept.overwrite(holes[:both], new, arrivals[:both])
        if len(holes) > both:
            self.kept = kept.select(np.setdiff1d(np.arange(len(kept)), holes[both:]))
        elif len(arrivals) > both:
            kept.extend(new.select(arrivals[both:]))


class OneByOne(WorkingSet):
    """A working set whose fresh rows are scored singly: what a step costs without matrix-matrix products."""

    def draw(self, state: GreedyState):
        self._scored = []
        for j in self._new_rows(state):
            yield Candidates(state, [j], self.rows(j), self.needs)


class Everything:
    """`working_set: all`: every row that may still be proposed, in blocks, so that memory stays O(n) times a block."""

    kept = None

    def __init__(self, rows: KernelRows, needs):
        self.rows, self.needs = rows, needs

    def draw(self, state: GreedyState):
        index = np.flatnonzero(state.eligible())
        for i in range(0, len(index), _BLOCK):
            part = index[i : i + _BLOCK]
            yield Candidates(state, part, self.rows(part), self.needs)

    def note(self, candidates, scores) -> None: ...

    def learn(self, state, chosen) -> None: ...


class WithoutRows(Everything):
    """For criteria that score from the state alone: all rows at once, or one random row (`random`)."""

    def __init__(self, rng=None):
        self.rng = rng

    def draw(self, state: GreedyState):
        index = np.flatnonzero(state.eligible())
        if self.rng is not None and len(index):
            index = self.rng.choice(index, 1)
        if len(index):
            yield Candidates(state, index, None, frozenset())
