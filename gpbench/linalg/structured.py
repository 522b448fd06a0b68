"""How dF/dS is carried from an objective to the approximation that built S.

Every objective here depends on S through a = S^-1 y, s = diag S^-1 and log det S, so its derivative has one form,

    W = dF/dS = (a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1,

with vectors a, b, w and a number c; b may be a number too and then stands for b a. `factor.sensitivity(a, b, c, w)`
returns W in the factor's own structure: diag(), trace(), add_diag(d), and its products with what S was built from.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs

from .triangular import solve_lower

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
    """W + diag(shift) for S = V'V + diag(lam) (a `LowRank` factor), held as n-vectors and m x m matrices only.

    With H = V Lam^-1 diag(w) Lam^-1 V' the products that a pull-back needs are, since V S^-1 = B^-1 V Lam^-1,

        V W    = (Va b' + Vb a')/2 - B^-1 V (c Lam^-1 + w Lam^-2) + B^-1 H B^-1 V Lam^-1
        V W V' = (Va Vb' + Vb Va')/2 - c (I - B^-1) - B^-1 H B^-1
    """

    def __init__(self, factor, a, b, c, w=None, shift=0.0, middle=None):
        self.factor, self.a, self.b, self.c, self.w, self.shift = factor, a, b, c, w, shift
        if w is not None and middle is None:
            H = factor.weighted_gram(w / factor.lam**2)
            middle = factor.inner_half(factor.inner_half(H).T)
        self._middle = middle  # LB^-1 H LB^-T   (m, m)

    def add_diag(self, d) -> LowRankForm:
        return LowRankForm(self.factor, self.a, self.b, self.c, self.w, self.shift + d, self._middle)

    def diag(self) -> np.ndarray:
        """(n,); walks over U and, with w, costs one product more."""
        f, s = self.factor, self.factor.inv_diag()
        g = self.a * (self.b if np.ndim(self.b) else self.b * self.a) - self.c * s + self.shift
        if self.w is not None:
            # (S^-1 e_i)_i = s_i: the diagonal entry without, the low-rank part with H
            g -= self.w / f.lam * (2 * s - 1 / f.lam)
            for rows, _, U in f.walk():
                lam = f.lam[rows] if np.ndim(f.lam) else f.lam
                g[rows] -= np.einsum("im,im->i", _gemm(1.0, self._middle, U).T, U.T) / lam**2
        return g

    def trace(self) -> float:
        """Sum of diag(); O(m^3) for the evidence when all points share lam."""
        if self.w is not None or np.ndim(self.shift):
            return float(self.diag().sum())
        f, ab = self.factor, self.a @ (self.b if np.ndim(self.b) else self.b * self.a)
        return float(ab - self.c * f.inv_trace() + f.n * self.shift)

    def pull(self, L, visit) -> np.ndarray:
        """P W P' (m, m) for P = L^-T V; each block of P W goes to visit(rows, PW), which may overwrite it."""
        f, c = self.factor, self.c
        va = f.image(self.a)
        vb = f.image(self.b) if np.ndim(self.b) else self.b * va
        pa, pb = (solve_lower(L, v, trans=True) for v in (va, vb))
        inv_B = f.inner_solve(np.eye(f.m, order="F"))
        inner = 0.5 * (np.outer(va, vb) + np.outer(vb, va)) - c * (np.eye(f.m) - inv_B)
        if self.w is not None:
            inner -= f.inner_half(f.inner_half(self._middle, trans=True).T, trans=True)

        if self.w is None and not np.ndim(f.lam) and not np.ndim(self.shift):
            # nothing varies over the points: both solves and the scaling are one matrix, and V diag V' is known
            N = solve_lower(L, self.shift * np.eye(f.m) - c / f.lam * inv_B, trans=True)
            for rows, V in f.columns:
                visit(rows, self._add_outer(_gemm(1.0, N, V), pa, pb, rows))
            inner += self.shift * f.lam * f.gram
        else:
            gram, shift, lam = f.gram_of(self.shift), self.shift, f.lam
            scale = c / lam if self.w is None else c / lam + self.w / lam**2
            shift, lam, scale = (np.broadcast_to(v, f.n) for v in (shift, lam, scale))
            for rows, V, U in f.walk():
                Y = U * scale[rows]
                if self.w is not None:
                    Y -= _gemm(1.0, self._middle, U) / lam[rows]
                Y = f.inner_half(Y, trans=True, overwrite=True)
                PW = solve_lower(L, np.subtract(V * shift[rows], Y, out=Y), trans=True, overwrite=True)
                visit(rows, self._add_outer(PW, pa, pb, rows))
                gram(rows, V)
            inner += gram.total()
        return solve_lower(L, solve_lower(L, inner, trans=True).T, trans=True)

    def _add_outer(self, PW, pa, pb, rows):
        return add_outer(PW, pa, pb, self.a[rows], self.b[rows] if np.ndim(self.b) else self.b)


def add_outer(W, x, y, a, b):
    """W + (x b' + y a')/2 in place (Fortran order); a number b says y = b x."""
    if not np.ndim(b):
        return _ger(b, x, a, a=W, overwrite_a=1)
    return _ger(0.5, y, a, a=_ger(0.5, x, b, a=W, overwrite_a=1), overwrite_a=1)
