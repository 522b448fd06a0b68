"""Histogram intersection over groups of histograms, each with its own variance ([cao] section 4.1.4).

    k(x, x') = sum_g variance.g sum_{d in g} min(x_d, x'_d)

The inputs are the groups' bins side by side, all of them non-negative counts or weights, left unscaled
(`scale: {inputs: none}`). Positive semidefinite, since min(a, b) is the overlap of two intervals; it has kinks wherever
two bins agree, so it is treated as a kernel without input gradient.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gpbench.errors import ConfigError, NotApplicable

from .base import Kernel
from .gram_stack import GramStack, Latest

_compiled = njit(cache=True, fastmath={"reassoc", "contract", "nnan", "nsz"}, error_model="numpy")


class HistogramIntersection(Kernel):
    name = "histogram-intersection"
    smooth = False
    raw_inputs = True

    def __init__(self, theta, overlaps: Overlaps):
        self.theta = np.asarray(theta, dtype=float)
        self.overlaps = overlaps
        self.names = tuple(f"variance[{g}]" for g in range(len(self.theta))) if len(self.theta) > 1 else ("variance",)

    @property
    def looked_up(self) -> bool:
        return self.overlaps.kept

    @classmethod
    def create(cls, X, groups: int | list[int] = 1):
        X = np.asarray(X)
        if X.ndim != 2 or X.dtype == object:
            raise ConfigError("the histogram-intersection kernel takes rows of numbers; these inputs are objects")
        if len(X) and X.min() < 0:
            raise ConfigError(
                "histogram-intersection needs bins >= 0: check the data, and in a config set scale: {inputs: none}"
            )
        sizes = _sizes(groups, X.shape[1])
        overlaps = Overlaps(np.cumsum([0, *sizes]))
        overlaps.prepare(X)
        mass = np.array([part.sum(1).mean() for part in np.split(X, overlaps.ends[1:-1], axis=1)])
        mass = np.where(mass > 0, mass, 1.0)
        return cls(-np.log(len(sizes) * mass), overlaps)  # equal shares of a prior variance of about one

    def with_theta(self, theta):
        return HistogramIntersection(theta, self.overlaps)

    def __call__(self, X, X2=None):
        return self.overlaps.weighted(np.exp(self.theta), X, X if X2 is None else X2)

    def diag(self, X):
        return self.overlaps.own(X) @ np.exp(self.theta)

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        if inputs:
            raise NotApplicable("kernel has no input gradient: histogram intersection has kinks")
        return np.exp(self.theta) * self.overlaps.project(dK, X, X if X2 is None else X2), None

    def vjp_diag(self, dk, X):
        return np.exp(self.theta) * (np.asarray(dk) @ self.overlaps.own(X))


def _sizes(groups: int | list[int], D: int) -> list[int]:
    """Bins of each group."""
    if isinstance(groups, int):
        if groups < 1 or D % groups:
            raise ConfigError(f"histogram-intersection: {D} bins cannot be shared evenly by {groups} groups")
        return [D // groups] * groups
    if not groups or min(groups) < 1 or sum(groups) != D:
        raise ConfigError(f"histogram-intersection: groups {list(groups)} do not add up to the {D} bins of the inputs")
    return list(groups)


class Overlaps:
    """sum_d min(x_d, x'_d) of every group, kept for the pairs of one set of inputs: theta only weights them."""

    def __init__(self, ends):
        self.ends = np.asarray(ends, dtype=np.int64)  # (G + 1,)
        self._stack: GramStack | None = None
        self._places = Latest(self._look_up)
        self._rows: np.ndarray | None = None  # whose overlaps are kept

    def __getstate__(self):
        """The stack is made again of the rows: it is n times their size."""
        return {"ends": self.ends, "rows": self._rows}

    def __setstate__(self, state):
        self.__init__(state["ends"])
        if state["rows"] is not None:
            self.prepare(state["rows"])

    def prepare(self, X) -> None:
        X = np.unique(np.ascontiguousarray(X, dtype=float), axis=0)
        if not GramStack.fits(len(X), len(self.ends) - 1):
            return
        groups = [np.ascontiguousarray(part) for part in np.split(X, self.ends[1:-1], axis=1)]
        order = np.argsort(keys := _keys(X))
        self._known, self._order, self._rows = keys[order], order, X
        self._places = Latest(self._look_up)
        self._stack = GramStack(len(X), [lambda part, P=P: _triangle(P, part.start, part.stop) for P in groups])

    @property
    def kept(self) -> bool:
        """Are there overlaps?"""
        return self._stack is not None

    def _look_up(self, X) -> np.ndarray | None:
        """Where the inputs are among the kept ones; None unless all of them are."""
        if self._stack is None or X.shape[1] != self._rows.shape[1]:
            return None
        at = np.minimum(np.searchsorted(self._known, _keys(X)), len(self._known) - 1)
        places = self._order[at]
        return places if _equal(X, self._rows, places) else None

    def _both(self, X, X2):
        X = np.ascontiguousarray(X, dtype=float)
        same = X2 is X
        X2 = X if same else np.ascontiguousarray(X2, dtype=float)
        a = self._places(X)
        return X, X2, a, a if same else None if a is None else self._places(X2)

    def weighted(self, w, X, X2) -> np.ndarray:
        X, X2, a, b = self._both(X, X2)
        if a is not None and b is not None:
            return self._stack.weighted(w, a, b)
        return _weighted(X, X2, self.ends, np.asarray(w))

    def project(self, dK, X, X2) -> np.ndarray:
        X, X2, a, b = self._both(X, X2)
        if a is not None and b is not None:
            return self._stack.project(dK, a, b)
        return _project(dK, X, X2, self.ends)

    def own(self, X) -> np.ndarray:
        """k_g(x, x), the mass of each group   (n, G)."""
        return np.add.reduceat(np.asarray(X, dtype=float), self.ends[:-1], axis=1)


@_compiled
def _overlap(x, y, begin, end):
    total = 0.0
    for d in range(begin, end):
        total += min(x[d], y[d])
    return total


@_compiled
def _triangle(P, begin, end):
    """Overlaps of rows begin..end-1 with rows 0..end-1; above the diagonal nothing is filled in."""
    out, D = np.empty((end - begin, end)), P.shape[1]
    for i in range(begin, end):
        for j in range(i + 1):
            out[i - begin, j] = _overlap(P[i], P[j], 0, D)
    return out


@_compiled
def _weighted(X, X2, ends, w):
    K = np.zeros((len(X), len(X2)))
    for i in range(len(X)):
        for j in range(len(X2)):
            for g in range(len(w)):
                K[i, j] += w[g] * _overlap(X[i], X2[j], ends[g], ends[g + 1])
    return K


@_compiled
def _project(dK, X, X2, ends):
    out = np.zeros(len(ends) - 1)
    for i in range(len(X)):
        for j in range(len(X2)):
            for g in range(len(out)):
                out[g] += dK[i, j] * _overlap(X[i], X2[j], ends[g], ends[g + 1])
    return out


@njit(cache=True)
def _keys(X):
    """A 64-bit number per row, from the bits of its entries."""
    bits, out = X.view(np.uint64), np.empty(len(X), dtype=np.uint64)
    for i in range(len(X)):
        h = np.uint64(14695981039346656037)
        for d in range(X.shape[1]):
            h = (h ^ bits[i, d]) * np.uint64(1099511628211)
            h ^= h >> np.uint64(29)
        out[i] = h
    return out


@njit(cache=True)
def _equal(X, rows, places):
    for i in range(len(X)):
        for d in range(X.shape[1]):
            if X[i, d] != rows[places[i], d]:
                return False
    return True
