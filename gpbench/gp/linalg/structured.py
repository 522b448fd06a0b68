"""How dF/dS is carried from an objective to the approximation that built S.

Every objective here depends on S through a = S^-1 y, s = diag S^-1 and log det S, so its derivative has one form,

    W = dF/dS = (a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1,

with vectors a, b, w and a number c; b may be a number too and then stands for b a. `factor.sensitivity(a, b, c, w)`
returns W in the factor's own structure: diag(), trace(), and its products with what S was built from.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.linalg import get_blas_funcs

from .triangular import Triangle, add_gram, mirror_lower

_gemm, _ger = get_blas_funcs(("gemm", "ger"), dtype=np.float64)


class Dense:
    """W as a symmetric array."""

    __array_ufunc__ = None  # numpy leaves `P @ W` to __rmatmul__

    def __init__(self, array):
        self.array = array

    @classmethod
    def of(cls, inverse, a, b, c, w=None) -> Dense:
        """The form above from S^-1 (Fortran order), which is overwritten unless w is given."""
        if w is None:
            W = inverse
            W *= -c
        else:
            W = np.asfortranarray(-(inverse * w) @ inverse - c * inverse)
        return cls(add_outer(W, a, b, a, b))

    def dense(self) -> np.ndarray:
        """The array itself, to hand to a kernel's pullback (which overwrites it)."""
        return self.array

    def diag(self) -> np.ndarray:
        return self.array.diagonal().copy()

    def trace(self) -> float:
        return float(np.trace(self.array))

    def add_diag(self, d) -> Dense:
        W = self.array.copy()
        W[np.diag_indices_from(W)] += d
        return Dense(W)

    def __rmatmul__(self, P):
        return P @ self.array


class LowRankForm:
    """W for S = V'V + diag(lam) (a `LowRank` factor), held as n-vectors and m x m matrices only.

    With H = V Lam^-1 diag(w) Lam^-1 V' the products that a pull-back needs are, since V S^-1 = B^-1 V Lam^-1,

        V W    = (Va b' + Vb a')/2 - B^-1 V (c Lam^-1 + w Lam^-2) + B^-1 H B^-1 V Lam^-1
        V W V' = (Va Vb' + Vb Va')/2 - c (I - B^-1) - B^-1 H B^-1
    """

    def __init__(self, factor, a, b, c, w=None):
        self.factor, self.a, self.b, self.c, self.w = factor, a, b, c, w
        if w is not None:
            H = factor.weighted_gram(w / factor.lam**2)
            self._middle = factor.inner_half(factor.inner_half(H).T)  # LB^-1 H LB^-T   (m, m)

    def diag(self) -> np.ndarray:
        g = np.empty(self.factor.n)
        for rows, _, U in self.factor.walk():
            g[rows] = self._diag_block(rows, U)
        return g

    def _diag_block(self, rows, U, MU=None) -> np.ndarray:
        """Entries of diag W for one block; MU = LB^-1 H LB^-T U where the caller has it."""
        a, lam = self.a[rows], self.factor.lam_at(rows)
        s = (1 - column_dots(U, U) / lam) / lam  # diag of S^-1
        g = a * self._b_at(rows, a) - self.c * s
        if self.w is not None:
            MU = _gemm(1.0, self._middle, U) if MU is None else MU
            g -= self.w[rows] / lam * (2 * s - 1 / lam) + column_dots(MU, U) / lam**2
        return g

    def _b_at(self, rows, a):
        return self.b[rows] if np.ndim(self.b) else self.b * a

    def trace(self) -> float:
        """Sum of diag(); O(m^3) for the evidence when all points share lam."""
        if self.w is not None or np.ndim(self.factor.lam):
            return float(self.diag().sum())
        return float(self.a @ self._b_at(slice(None), self.a) - self.c * self.factor.inv_trace())

    def pull(self, L: Triangle, visit, shift=0.0, correction: float = 0.0):
        """P W+ P' (m, m) and diag W, for P = L^-T V and W+ = W + diag(shift - correction diag W).

        Each block of P W+ goes to visit(rows, PW), which may overwrite it. diag W is None unless `correction` asks.
        """
        gram, g = self.pull_rows(L, visit, shift, correction)
        return self.pull_inner(L, gram, shift, correction), g

    def pull_rows(self, L: Triangle, visit, shift=0.0, correction: float = 0.0):
        """The walk of `pull`: what it adds up, as a sum over the rows (None: nothing), and diag W."""
        f = self.factor
        va, vb = self._images()
        pa, pb = (L.solve(v, trans=True) for v in (va, vb))

        def finish(rows, PW):
            visit(rows, add_outer(PW, pa, pb, self.a[rows], self.b[rows] if np.ndim(self.b) else self.b))

        if not self._uniform(shift, correction):
            return self._pull_pointwise(L, finish, np.broadcast_to(shift, f.n), correction)
        # nothing varies over the points: both solves and the scaling are one matrix, and V diag V' is known
        N = L.solve(shift * np.eye(f.m) - self.c / f.lam * f.inv_B, trans=True)
        buffer = f.scratch()
        for rows, V in f.columns:
            finish(rows, _gemm(1.0, N, V, c=buffer[:, : V.shape[1]], overwrite_c=1))
        return None, None

    def pull_inner(self, L: Triangle, gram, shift=0.0, correction: float = 0.0) -> np.ndarray:
        """P W+ P' from what `pull_rows` added up over all rows."""
        f = self.factor
        va, vb = self._images()
        inner = 0.5 * (np.outer(va, vb) + np.outer(vb, va)) - self.c * (np.eye(f.m) - f.inv_B)
        if self._uniform(shift, correction):
            inner += shift * f.lam * f.gram
        else:
            inner += gram + correction * self.c * f.gram
        if self.w is not None:
            inner -= f.inner_half(f.inner_half(self._middle, trans=True).T, trans=True)
        return L.solve(L.solve(inner, trans=True).T, trans=True)

    def _images(self):
        va = self.factor.image(self.a)
        return va, self.factor.image(self.b) if np.ndim(self.b) else self.b * va

    def _uniform(self, shift, correction: float) -> bool:
        return self.w is None and not (correction or np.ndim(self.factor.lam) or np.ndim(shift))

    def _pull_pointwise(self, L, finish, shift, correction):
        """V diag(d) V' less bound V Lam^-1 V', and diag W, while finishing each block L^-T (V d - B^-1 ...).

        d = shift - correction diag W
        """
        f, buffer = self.factor, self.factor.scratch()
        g = np.empty(f.n) if correction else None
        gram = np.zeros((f.m, f.m), order="F")
        bound = correction * self.c  # the evidence has d <= bound / lam: less that, all weights share a sign
        for rows, V, U in f.walk():
            lam, d = f.lam_at(rows), shift[rows]
            MU = None if self.w is None else _gemm(1.0, self._middle, U)
            if g is not None:
                g[rows] = self._diag_block(rows, U, MU)
                d = d - correction * g[rows]
            add_gram(gram, V, d - bound / lam, buffer)
            scale = np.full(len(d), self.c) / lam  # of the columns of B^-1 V
            if MU is not None:
                U *= scale + self.w[rows] / lam**2
                U -= MU / lam
                scale[:] = 1.0
            Y = f.inner_half(U, trans=True, overwrite=True)
            _difference(V.T, d, Y.T, scale)
            finish(rows, L.solve(Y, trans=True, overwrite=True))
        mirror_lower(gram)
        return gram, g


def add_outer(W, x, y, a, b):
    """W + (x b' + y a')/2 in place (Fortran order); a number b says b' = b a' and y = b x."""
    if not np.ndim(b):
        return _ger(b, x, a, a=W, overwrite_a=1)
    return _ger(0.5, y, a, a=_ger(0.5, x, b, a=W, overwrite_a=1), overwrite_a=1)


@njit(cache=True)
def _difference(V, d, Y, e):
    """Y <- diag(d) V - diag(e) Y, in one pass."""
    for i in range(len(V)):
        for j in range(V.shape[1]):
            Y[i, j] = d[i] * V[i, j] - e[i] * Y[i, j]


def column_dots(A, B) -> np.ndarray:
    """a_i'b_i of each column   (b,)."""
    return np.einsum("im,im->i", A.T, B.T)
