"""Triangular solves with many right-hand sides by matrix products: BLAS's own reach half the rate of a product.

L is cut into block columns of LEAF. Their diagonal blocks D are inverted once, which costs next to nothing; what stands
below them reaches the right-hand sides by gemm. The residual is bounded by u |L| |D^-1| |D| |V| where substitution has
u |L| |V|: the digits that D's condition takes, not L's.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .blas import N, T, gemm, trmm_left, trsm_left
from .triangular import Triangle

LEAF = 40


class BlockedTriangle(Triangle):
    """L^-1 M and L^-T M at the rate of matrix products; L in Fortran order."""

    def __init__(self, L):
        super().__init__(L)
        self._flat = _flat(L)
        self._inverses = _invert(self._flat, len(L), LEAF)

    def solve(self, M, trans: bool = False, overwrite: bool = False) -> np.ndarray:
        if np.ndim(M) == 1:
            return super().solve(M, trans)
        if not (overwrite and M.flags.f_contiguous):
            M = np.array(M, dtype=np.float64, order="F")
        walk = _backward if trans else _forward
        walk(self._flat, len(self.L), self._inverses, LEAF, _flat(M), M.shape[1])
        return M


def _flat(A) -> np.ndarray:
    """The numbers of a Fortran-ordered matrix, column by column, without a copy."""
    return A.T.reshape(-1)


@njit(cache=True)
def _invert(L, m, leaf):
    """Inverses of the diagonal blocks, each (leaf, leaf), one after another."""
    out = np.zeros(-(-m // leaf) * leaf * leaf)
    for i in range(0, m, leaf):
        block = out[i * leaf : (i + leaf) * leaf]
        block[:: leaf + 1] = 1.0
        w = min(leaf, m - i)
        trsm_left(N, w, w, L[i * m + i :], m, block, leaf)
    return out


@njit(cache=True)
def _forward(L, m, inverses, leaf, M, k):
    """M (m, k) <- L^-1 M: each block column, once solved, is taken from all rows below it."""
    for i in range(0, m, leaf):
        w = min(leaf, m - i)
        trmm_left(N, w, k, inverses[i * leaf :], leaf, M[i:], m)
        if i + w < m:
            gemm(N, N, m - i - w, k, w, -1.0, L[i * m + i + w :], m, M[i:], m, 1.0, M[i + w :], m)


@njit(cache=True)
def _backward(L, m, inverses, leaf, M, k):
    """M (m, k) <- L^-T M, from the last block up."""
    for i in range((m - 1) // leaf * leaf, -1, -leaf):
        w = min(leaf, m - i)
        trmm_left(T, w, k, inverses[i * leaf :], leaf, M[i:], m)
        if i:
            gemm(T, N, i, k, w, -1.0, L[i:], m, M[i:], m, 1.0, M, m)
