"""Sum of graph kernels on labelled graphs or molecules, each with its own variance ([cao] section 4.1.3).

    k(g, g') = sum_b variance.b k_b(g, g')  [+ variance.sum mean_b k_b(g, g') + variance.identity 1(g = g')]

The base kernels (`graphs/features.py`) are normalised, k_b(g, g) = 1. The two redundant kernels of section 4.1.5 keep
the learning of relevance from bad local optima; the paper's sum is divided here by the number of base kernels, which
only rescales its variance. Inputs are SMILES strings or `Graph` objects, so there is no input gradient; features and
Gram matrices are made once per data set, and theta only weights them.
"""

from __future__ import annotations

import numpy as np

from gpbench.errors import ConfigError, NotApplicable

from .base import Kernel
from .graphs.features import parse
from .graphs.library import Library, library

BASE = (
    "vertex", "edge", "vertex-edge", "wl-1", "wl-2", "wl-3", "wl-5", "shortest-path", "shortest-path-labelled",
    "graphlet-4", "graphlet-5", "random-walk", "walk-2", "walk-4",
)  # fmt: skip


class Graphs(Kernel):
    name = "graph"
    smooth = False
    objects = True

    def __init__(self, theta, library: Library, redundant: bool = True):
        self.theta = np.asarray(theta, dtype=float)
        self.library, self.redundant = library, redundant
        self.names = tuple(f"variance.{b}" for b in (*library.bases, *(("sum", "identity") if redundant else ())))

    @property
    def looked_up(self) -> bool:
        return self.library.kept

    @classmethod
    def create(cls, X, base: list[str] | None = None, redundant: bool = True):
        names = BASE if base is None else tuple(base)
        for name in names:
            parse(name)
        if not names or len(set(names)) < len(names):
            raise ConfigError("graph kernel: `base` must name at least one kernel, and each once")
        if np.ndim(X) != 1 or np.asarray(X).dtype != object:
            raise ConfigError("the graph kernel takes SMILES strings or graphs; these inputs are vectors")
        shelf = library(names)
        shelf.prepare(X)
        p = len(names) + 2 * redundant
        return cls(np.full(p, -np.log(p)), shelf, redundant)  # equal shares of a prior variance of one

    def with_theta(self, theta):
        return Graphs(theta, self.library, self.redundant)

    def __getstate__(self):
        return {"theta": self.theta, "bases": list(self.library.bases), "redundant": self.redundant}

    def __setstate__(self, state):
        self.__init__(state["theta"], library(tuple(state["bases"])), state["redundant"])

    def _weights(self) -> tuple[np.ndarray, float]:
        """Weight of every base kernel, its share of the sum kernel included, and of the identity."""
        v, B = np.exp(self.theta), len(self.library.bases)
        return (v[:B] + v[B] / B, v[B + 1]) if self.redundant else (v, 0.0)

    def _pulled(self, per_base, same: float) -> np.ndarray:
        """dF/dtheta from the sums of dF/dK over each base kernel and over equal pairs."""
        v = np.exp(self.theta)
        return v * (np.r_[per_base, per_base.mean(), same] if self.redundant else per_base)

    def __call__(self, X, X2=None):
        a = self.library.numbers(X)
        b = a if X2 is None else self.library.numbers(X2)
        w, identity = self._weights()
        K = self.library.weighted(w, a, b)
        if identity:
            K[_equal(a, b)] += identity
        return K

    def diag(self, X):
        w, identity = self._weights()
        return self.library.own(self.library.numbers(X)) @ w + identity

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        if inputs:
            raise NotApplicable("kernel has no input gradient: graphs cannot be moved continuously")
        a = self.library.numbers(X)
        b = a if X2 is None else self.library.numbers(X2)
        return self._pulled(self.library.project(dK, a, b), float(dK[_equal(a, b)].sum())), None

    def vjp_diag(self, dk, X):
        own = self.library.own(self.library.numbers(X))
        return self._pulled(np.asarray(dk) @ own, float(np.sum(dk)))


def _equal(a, b) -> tuple[np.ndarray, np.ndarray]:
    """Positions (i, j) where a_i = b_j, in time linear in their number."""
    order = np.argsort(b, kind="stable")
    left, right = np.searchsorted(b[order], a, "left"), np.searchsorted(b[order], a, "right")
    counts = right - left
    i = np.repeat(np.arange(len(a)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return i, order[np.repeat(left, counts) + within]
