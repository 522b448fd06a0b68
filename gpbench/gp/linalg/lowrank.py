"""S = V'V + diag(lam) as a `Factor`, by Woodbury, walking over blocks of columns of V.

    B = I + V Lam^-1 V' = LB LB',   U = LB^-1 V,   S^-1 = Lam^-1 - Lam^-1 U'U Lam^-1

`columns` (see `Stored`) hands out V block by block; it may hold V or compute each block anew, so that n is not limited
by an n x m array. A block of a few hundred points stays in cache while everything is done to it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .cholesky import Cholesky
from .structured import LowRankForm, column_dots
from .triangular import Triangle, add_gram, mirror_lower, product


class Stored:
    """V held as one Fortran-ordered array (m, n); `triangle` is the class that solves with LB."""

    triangle = Triangle

    def __init__(self, V):
        self.V, self.shape = np.asfortranarray(V), np.shape(V)
        self.blocks = blocks(*self.shape)

    def __iter__(self):
        for rows in self.blocks:
            yield rows, self.V[:, rows]


class LowRank:
    """`gram` is V Lam^-1 V' and `projection` V Lam^-1 y for the target y, accumulated while V was first made.

    lam is (n,), or a number when all points share it. Only n-vectors and m x m matrices are held besides V.
    """

    def __init__(self, columns, lam, gram, y=None, projection=None):
        self.columns, self.lam, self.gram = columns, lam, gram
        self.m, self.n = columns.shape
        self.B = Cholesky.of(gram + np.eye(self.m))
        self.root = columns.triangle(self.B.L)
        self._projections = [] if y is None else [(y, projection)]  # known pairs (b, V Lam^-1 b)
        self._images = []  # known pairs (a, V a)

    @property
    def LB(self) -> np.ndarray:
        return self.B.L

    @classmethod
    def of(cls, V, lam) -> LowRank:
        columns = Stored(V)
        return cls(columns, lam, weighted_gram(columns, 1 / lam))

    def weighted_gram(self, weights) -> np.ndarray:
        """V diag(weights) V' for weights of any sign   (m, m)."""
        return weighted_gram(self.columns, weights)

    def scratch(self) -> np.ndarray:
        return scratch(self.columns)

    def lam_at(self, rows):
        return self.lam[rows] if np.ndim(self.lam) else self.lam

    def walk(self):
        """Blocks (rows, V_b, U_b), each (m, b); U_b may be overwritten, the next step does so anyway."""
        buffer = scratch(self.columns)
        for rows, V in self.columns:
            U = buffer[:, : V.shape[1]]
            U[:] = V
            yield rows, V, self.inner_half(U, overwrite=True)

    def project(self, b) -> np.ndarray:
        """V Lam^-1 b   (m,)."""
        known = _lookup(self._projections, b)
        if known is not None:
            return known
        return sum(product(V, b[rows] / self.lam_at(rows)) for rows, V in self.columns)  # type: ignore[return-value]

    def image(self, a) -> np.ndarray:
        """V a   (m,); free for what `solve` returned, since V S^-1 b = B^-1 V Lam^-1 b."""
        known = _lookup(self._images, a)
        if known is not None:
            return known
        return sum(product(V, a[rows]) for rows, V in self.columns)  # type: ignore[return-value]

    def inner_half(self, M, trans: bool = False, overwrite: bool = False) -> np.ndarray:
        """LB^-1 M, or LB^-T M."""
        return self.root.solve(M, trans, overwrite)

    def inner_solve(self, M) -> np.ndarray:
        """B^-1 M."""
        return self.inner_half(self.inner_half(M), trans=True)

    @cached_property
    def _inv_LB(self) -> np.ndarray:
        return self.inner_half(np.eye(self.m, order="F"))

    @cached_property
    def inv_B(self) -> np.ndarray:
        """B^-1   (m, m)."""
        return self.inner_half(self._inv_LB, trans=True)

    def solve(self, b) -> np.ndarray:
        """S^-1 b   (n,)."""
        weights, out = self.inner_solve(self.project(b)), np.empty(self.n)
        for rows, V in self.columns:
            out[rows] = b[rows] - product(V.T, weights)
        out /= self.lam
        self._images.append((out, weights))
        return out

    def logdet(self) -> float:
        log_lam = np.log(self.lam).sum() if np.ndim(self.lam) else self.n * np.log(self.lam)
        return float(log_lam + 2 * np.log(self.LB.diagonal()).sum())

    def inv_diag(self) -> np.ndarray:
        """diag S^-1   (n,)."""
        s = np.empty(self.n)
        for rows, _, U in self.walk():
            s[rows] = 1 - column_dots(U, U) / self.lam_at(rows)
        return s / self.lam

    def inv_trace(self) -> float:
        """tr S^-1; O(m^3) when all points share lam."""
        if np.ndim(self.lam):
            return float(self.inv_diag().sum())
        return (self.n - self.m + float((self._inv_LB**2).sum())) / self.lam

    def sensitivity(self, a, b, c, w=None) -> LowRankForm:
        """(a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1, the form every dF/dS has (structured.py)."""
        return LowRankForm(self, a, b, c, w)


class PartOfRows(LowRank):
    """Some rows of a factor: `gram`, its B and `projection` are those of all rows, everything else is of these.

    What is a sum over rows is then a part of the whole's sum. What belongs to B alone is left out of `logdet` (it has
    2 log det LB besides) and of `inv_trace` (tr B^-1 - m, over lam), so that it may be added once.
    """

    def __init__(self, columns, lam, gram, B: Cholesky, y, projection):
        self.columns, self.lam, self.gram, self.B = columns, lam, gram, B
        self.m, self.n = columns.shape
        self.root = columns.triangle(B.L)
        self._projections, self._images = [(y, projection)], []

    def logdet(self) -> float:
        return float(np.log(self.lam).sum() if np.ndim(self.lam) else self.n * np.log(self.lam))

    def inv_trace(self) -> float:
        return float(self.inv_diag().sum()) if np.ndim(self.lam) else self.n / self.lam


class NoRows:
    """Columns of a part that has no rows."""

    triangle = Triangle

    def __init__(self, m: int):
        self.shape, self.blocks = (m, 0), ()

    def __iter__(self):
        return iter(())


def scratch(columns) -> np.ndarray:
    """Room for one block (m, b): fresh memory for each block would cost more than the arithmetic on it."""
    return np.empty((columns.shape[0], columns.blocks[0].stop), order="F")


def weighted_gram(columns, weights) -> np.ndarray:
    """V diag(weights) V' for weights of any sign   (m, m)."""
    gram, buffer = np.zeros((columns.shape[0],) * 2, order="F"), scratch(columns)
    for rows, V in columns:
        add_gram(gram, V, weights[rows] if np.ndim(weights) else weights, buffer)
    mirror_lower(gram)
    return gram


def _lookup(pairs, key):
    return next((value for known, value in pairs if known is key), None)


def blocks(m: int, n: int, entries: int = 1 << 18) -> list[slice]:
    """Slices of n columns of length m; 2^18 entries are 2 MB, a fair share of the cache for BLAS to work in."""
    size = max(16, entries // max(m, 1))
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]
