"""Triangular solves and products, straight to BLAS (scipy's wrappers copy and check a lot).

numpy and scipy each carry a BLAS with threads of its own; work that alternates between them makes the pools fight for
the cores, so the hot paths stay in scipy's.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs, get_lapack_funcs

_trtrs = get_lapack_funcs("trtrs", dtype=np.float64)
_gemm, _gemv, _syrk, _trsm = get_blas_funcs(("gemm", "gemv", "syrk", "trsm"), dtype=np.float64)


def solve_lower(L, b, trans: bool = False, overwrite: bool = False) -> np.ndarray:
    """L^-1 b, or L^-T b with `trans`; b is (n,) or (n, k), reused for the answer if Fortran-ordered and `overwrite`."""
    b = np.asarray(b, dtype=np.float64)
    if b.ndim == 1:
        return _trtrs(L, b, lower=1, trans=int(trans))[0]
    return _trsm(1.0, L, b, lower=1, trans_a=int(trans), overwrite_b=int(overwrite))


def solve_rows(L, A, overwrite: bool = False) -> np.ndarray:
    """L^-1 A for C-ordered A (m, n): its transpose is what BLAS calls the right-hand side."""
    return _trsm(1.0, L, A.T, side=1, lower=1, trans_a=1, overwrite_b=int(overwrite)).T


class Triangle:
    """A lower triangular L that solves; gp/linalg/blocked.py has one for many right-hand sides."""

    def __init__(self, L):
        self.L = L

    def solve(self, M, trans: bool = False, overwrite: bool = False) -> np.ndarray:
        """L^-1 M, or L^-T M with `trans`; as `solve_lower`."""
        return solve_lower(self.L, M, trans, overwrite)


def product(A, B) -> np.ndarray:
    """A @ B for float64 arrays of either order; B may be a vector."""
    (A, trans_a) = (A, 0) if A.flags.f_contiguous else (A.T, 1)
    if B.ndim == 1:
        return _gemv(1.0, A, B, trans=trans_a)
    (B, trans_b) = (B, 0) if B.flags.f_contiguous else (B.T, 1)
    return _gemm(1.0, A, B, trans_a=trans_a, trans_b=trans_b)


def mirror_lower(A, block: int = 256) -> None:
    """Copy the lower triangle onto the upper one, in place, block by block so that it stays in cache."""
    n = len(A)
    for i in range(0, n, block):
        for j in range(0, i + 1, block):
            tile = A[i : i + block, j : j + block]
            if i == j:
                low = np.tril(tile)
                A[i : i + block, i : i + block] = low + np.tril(low, -1).T
            else:
                A[j : j + block, i : i + block] = tile.T


def gram(V) -> np.ndarray:
    """Lower triangle of V'V; zeros above."""
    return _syrk(1.0, V, trans=1, lower=1)


def add_gram(C, V, weights, buffer) -> None:
    """Lower triangle of C += V diag(weights) V', in place: half the work of a matrix product.

    `weights` is one number or one per column, of any sign; `buffer` (same rows, as many columns) is overwritten.
    """
    if not np.ndim(weights):
        _syrk(float(weights), V, beta=1.0, c=C, lower=1, overwrite_c=1)
        return
    for sign, chosen in ((1.0, weights > 0), (-1.0, weights < 0)):
        if count := np.count_nonzero(chosen):
            part = buffer[:, :count]
            roots = np.sqrt(np.abs(weights[chosen]))
            np.multiply(V if count == len(weights) else V.T[chosen].T, roots, out=part)
            _syrk(sign, part, beta=1.0, c=C, lower=1, overwrite_c=1)
