"""S = V'V + diag(lam) behind the factor protocol, by Woodbury, walking over blocks of columns of V.

    B = I + V Lam^-1 V' = LB LB',   U = LB^-1 V,   S^-1 = Lam^-1 - Lam^-1 U'U Lam^-1

`columns` (see `Stored`) hands out V block by block; it may hold V or compute each block anew, so that n is not limited
by an n x m array. A block of a few hundred points stays in cache while everything is done to it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs

from .cholesky import cholesky_with_jitter
from .structured import LowRankForm
from .triangular import mirror_lower, solve_lower

_syrk = get_blas_funcs("syrk", dtype=np.float64)


class Stored:
    """V held as one Fortran-ordered array (m, n)."""

    keeps = True  # a walk costs reading memory only, so derived columns may be kept as well

    def __init__(self, V):
        self.V, self.shape = np.asfortranarray(V), np.shape(V)

    def __iter__(self):
        for rows in blocks(*self.shape):
            yield rows, self.V[:, rows]


class LowRank:
    """`gram` is V Lam^-1 V' and `projection` V Lam^-1 y for the target y, accumulated while V was first made.

    lam is (n,), or a number when all points share it. Only n-vectors and m x m matrices are held besides V and,
    where V is kept, U; `jitter` is what the factorisation of B needed.
    """

    def __init__(self, columns, lam, gram, y=None, projection=None):
        self.columns, self.lam, self.gram = columns, lam, gram
        self.m, self.n = columns.shape
        self.LB, self.jitter = cholesky_with_jitter(gram + np.eye(self.m))
        self._projections = [] if y is None else [(y, projection)]  # known pairs (b, V Lam^-1 b)
        self._images = []  # known pairs (a, V a)
        self._U = self._s = None  # kept after the walk that makes them

    @classmethod
    def of(cls, V, lam) -> LowRank:
        columns = Stored(V)
        gram = np.zeros((len(V), len(V)), order="F")
        for rows, Vb in columns:
            add_gram(gram, Vb, 1 / at(lam, rows))
        mirror_lower(gram)
        return cls(columns, lam, gram)

    def walk(self):
        """Blocks (rows, V_b, U_b), each (m, b)."""
        if self._U is not None:
            for rows, V in self.columns:
                yield rows, V, self._U[:, rows]
            return
        kept = np.empty(self.columns.shape, order="F") if self.columns.keeps else None
        for rows, V in self.columns:
            if kept is None:
                yield rows, V, solve_lower(self.LB, V)
            else:
                kept[:, rows] = V
                yield rows, V, solve_lower(self.LB, kept[:, rows], overwrite=True)
        self._U = kept

    def project(self, b) -> np.ndarray:
        """V Lam^-1 b   (m,)."""
        known = _lookup(self._projections, b)
        return sum(V @ (b[rows] / at(self.lam, rows)) for rows, V in self.columns) if known is None else known

    def image(self, a) -> np.ndarray:
        """V a   (m,); free for what `solve` returned, since V S^-1 b = B^-1 V Lam^-1 b."""
        known = _lookup(self._images, a)
        return sum(V @ a[rows] for rows, V in self.columns) if known is None else known

    def inner_half(self, M, trans: bool = False, overwrite: bool = False) -> np.ndarray:
        """LB^-1 M, or LB^-T M."""
        return solve_lower(self.LB, M, trans, overwrite)

    def inner_solve(self, M) -> np.ndarray:
        """B^-1 M."""
        return self.inner_half(self.inner_half(M), trans=True)

    def solve(self, b) -> np.ndarray:
        """S^-1 b   (n,). With one lam per point the same walk makes inv_diag, which an objective then needs as well."""
        weights, out = self.inner_solve(self.project(b)), np.empty(self.n)

        def residual(rows, V):
            out[rows] = b[rows] - V.T @ weights

        if np.ndim(self.lam) and self._s is None:
            self._s = self._make_inv_diag(residual)
        else:
            for rows, V in self.columns:
                residual(rows, V)
        out /= self.lam
        self._images.append((out, weights))
        return out

    def logdet(self) -> float:
        log_lam = np.log(self.lam).sum() if np.ndim(self.lam) else self.n * np.log(self.lam)
        return float(log_lam + 2 * np.log(self.LB.diagonal()).sum())

    def inv_diag(self) -> np.ndarray:
        """diag S^-1   (n,)."""
        if self._s is None:
            self._s = self._make_inv_diag(lambda rows, V: None)
        return self._s

    def _make_inv_diag(self, visit) -> np.ndarray:
        s = np.empty(self.n)
        for rows, V, U in self.walk():
            visit(rows, V)
            s[rows] = 1 - column_squares(U) / at(self.lam, rows)
        return s / self.lam

    def inv_trace(self) -> float:
        """tr S^-1; O(m^3) when all points share lam."""
        if np.ndim(self.lam):
            return float(self.inv_diag().sum())
        inv_B_trace = float((self.inner_half(np.eye(self.m, order="F")) ** 2).sum())
        return (self.n - self.m + inv_B_trace) / self.lam

    def gram_of(self, weights) -> Gram:
        """An accumulator of V diag(weights) V', for walks that do other things too."""
        return Gram(self, weights)

    def weighted_gram(self, weights) -> np.ndarray:
        """V diag(weights) V' for weights of any sign   (m, m)."""
        gram = self.gram_of(weights)
        for rows, V in self.columns:
            gram(rows, V)
        return gram.total()

    def sensitivity(self, a, b, c, w=None) -> LowRankForm:
        """(a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1, the form every dF/dS has (structured.py)."""
        return LowRankForm(self, a, b, c, w)


class Gram:
    """V diag(w) V' by symmetric rank-k updates, half a matrix product, although w may have either sign.

    V diag(w) V' = +-V diag(|w +- k/lam|) V' -+ k V Lam^-1 V', with k just large enough that all weights share a sign.
    """

    def __init__(self, factor: LowRank, weights):
        self.factor, self.weights = factor, weights
        self.lower = np.zeros((factor.m, factor.m), order="F")
        scaled = weights * factor.lam
        below, above = max(0.0, -np.min(scaled)), max(0.0, np.max(scaled))
        self.sign, self.shift = (1.0, below) if below <= above else (-1.0, above)

    def __call__(self, rows, V) -> None:
        w = self.sign * at(self.weights, rows) + self.shift / at(self.factor.lam, rows)
        add_gram(self.lower, V, np.maximum(w, 0.0))  # the extreme weight may round below zero

    def total(self) -> np.ndarray:
        mirror_lower(self.lower)
        return self.sign * (self.lower - self.shift * self.factor.gram)


def add_gram(C, V, weights) -> None:
    """Lower triangle of C += V diag(weights) V', in place; weights >= 0, one number or one per column."""
    scaled, alpha = (V * np.sqrt(weights), 1.0) if np.ndim(weights) else (V, float(weights))
    _syrk(alpha, scaled, beta=1.0, c=C, lower=1, overwrite_c=1)


def blocks(m: int, n: int, entries: int = 1 << 17):
    """Slices of n columns of length m; 2^17 entries are 1 MB, what a core's own cache holds."""
    size = max(16, entries // max(m, 1))
    return (slice(i, min(i + size, n)) for i in range(0, n, size))


def at(values, rows):
    """Entries of a per-point quantity that may be one number for all points."""
    return values[rows] if np.ndim(values) else values


def column_squares(V) -> np.ndarray:
    """|v_i|^2 of each column   (b,)."""
    return np.einsum("im,im->i", V.T, V.T)


def _lookup(pairs, key):
    return next((value for known, value in pairs if known is key), None)
