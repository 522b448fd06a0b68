"""BLAS and LAPACK inside compiled loops: scipy's own library, called by address, so that one pool does all the work.

Every matrix is column-major and given by its first element and its leading dimension: `A, lda` may be a block of a
larger work array. Only the lower triangle of a symmetric or triangular argument is read or written.
"""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import scipy.linalg.cython_blas
import scipy.linalg.cython_lapack  # noqa: F401  (its functions are looked up by name below)
from numba import njit, types
from numba.extending import get_cython_function_address


def _external(module: str, name: str, arguments: int):
    """A Fortran routine as a function of addresses; registered under a fixed symbol so that caching works."""
    symbol = f"gpbench_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.cython_{module}", name))
    return types.ExternalFunction(symbol, types.void(*[types.uintp] * arguments))


_dgemm = _external("blas", "dgemm", 13)
_dsymm = _external("blas", "dsymm", 12)
_dsyrk = _external("blas", "dsyrk", 10)
_dtrsm = _external("blas", "dtrsm", 11)
_dtrmm = _external("blas", "dtrmm", 11)
_dgemv = _external("blas", "dgemv", 11)
_dpotrf = _external("lapack", "dpotrf", 5)
_dpotri = _external("lapack", "dpotri", 5)
_dgesv = _external("lapack", "dgesv", 8)

N, T, L, R = np.uint8(78), np.uint8(84), np.uint8(76), np.uint8(82)  # the letters Fortran wants


@njit(cache=True)
def gemm(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    """C (m, n) = alpha op(A) op(B) + beta C."""
    if m == 0 or n == 0:
        return
    c = np.array([ta, tb], dtype=np.uint8)
    i = np.array([m, n, k, lda, ldb, ldc], dtype=np.int32)
    s = np.array([alpha, beta])
    p, f = i.ctypes.data, s.ctypes.data
    _dgemm(
        c.ctypes.data, c.ctypes.data + 1, p, p + 4, p + 8, f, A.ctypes.data, p + 12, B.ctypes.data, p + 16, f + 8,
        C.ctypes.data, p + 20,
    )  # fmt: skip


@njit(cache=True)
def symm(m, n, alpha, A, lda, B, ldb, beta, C, ldc):
    """C (m, n) = alpha A B + beta C with A symmetric (lower)."""
    if m == 0 or n == 0:
        return
    c = np.array([L], dtype=np.uint8)
    i = np.array([m, n, lda, ldb, ldc], dtype=np.int32)
    s = np.array([alpha, beta])
    p, f, h = i.ctypes.data, s.ctypes.data, c.ctypes.data
    _dsymm(h, h, p, p + 4, f, A.ctypes.data, p + 8, B.ctypes.data, p + 12, f + 8, C.ctypes.data, p + 16)


@njit(cache=True)
def syrk(n, k, alpha, A, lda, beta, C, ldc):
    """Lower triangle of C (n, n) = alpha A A' + beta C."""
    if n == 0:
        return
    c = np.array([L, N], dtype=np.uint8)
    i = np.array([n, k, lda, ldc], dtype=np.int32)
    s = np.array([alpha, beta])
    p, f = i.ctypes.data, s.ctypes.data
    _dsyrk(c.ctypes.data, c.ctypes.data + 1, p, p + 4, f, A.ctypes.data, p + 8, f + 8, C.ctypes.data, p + 12)


@njit(cache=True)
def _trsm(side, trans, m, n, A, lda, B, ldb):
    if m == 0 or n == 0:
        return
    c = np.array([side, L, trans, N], dtype=np.uint8)
    i = np.array([m, n, lda, ldb], dtype=np.int32)
    s = np.ones(1)
    h, p = c.ctypes.data, i.ctypes.data
    _dtrsm(h, h + 1, h + 2, h + 3, p, p + 4, s.ctypes.data, A.ctypes.data, p + 8, B.ctypes.data, p + 12)


@njit(cache=True)
def trsm_right(trans, m, n, A, lda, B, ldb):
    """B (m, n) <- B A^-1, or B A^-T with trans = T; A is lower triangular (n, n)."""
    _trsm(R, trans, m, n, A, lda, B, ldb)


@njit(cache=True)
def trsm_left(trans, m, n, A, lda, B, ldb):
    """B (m, n) <- A^-1 B, or A^-T B with trans = T; A is lower triangular (m, m)."""
    _trsm(L, trans, m, n, A, lda, B, ldb)


@njit(cache=True)
def gemv(trans, m, n, alpha, A, lda, x, beta, y):
    """y = alpha op(A) x + beta y; A is (m, n)."""
    if m == 0 or n == 0:
        return
    c = np.array([trans], dtype=np.uint8)
    i = np.array([m, n, lda, 1], dtype=np.int32)
    s = np.array([alpha, beta])
    p, f = i.ctypes.data, s.ctypes.data
    one = p + 12
    _dgemv(c.ctypes.data, p, p + 4, f, A.ctypes.data, p + 8, x.ctypes.data, one, f + 8, y.ctypes.data, one)


@njit(cache=True)
def potrf(n, A, lda):
    """A <- its Cholesky factor (lower); 0, or the order of the first minor that is not positive."""
    c = np.array([L], dtype=np.uint8)
    i = np.array([n, lda, 0], dtype=np.int32)
    p = i.ctypes.data
    _dpotrf(c.ctypes.data, p, A.ctypes.data, p + 4, p + 8)
    return i[2]


@njit(cache=True)
def potri(n, A, lda):
    """Lower triangle of (A A')^-1 in place of the Cholesky factor A."""
    c = np.array([L], dtype=np.uint8)
    i = np.array([n, lda, 0], dtype=np.int32)
    p = i.ctypes.data
    _dpotri(c.ctypes.data, p, A.ctypes.data, p + 4, p + 8)
    return i[2]


@njit(cache=True)
def gesv(n, k, A, lda, pivots, B, ldb):
    """B (n, k) <- A^-1 B for a general A, which is overwritten; pivots is int32 work of length n."""
    i = np.array([n, k, lda, ldb, 0], dtype=np.int32)
    p = i.ctypes.data
    _dgesv(p, p + 4, A.ctypes.data, p + 8, pivots.ctypes.data, B.ctypes.data, p + 12, p + 16)
    return i[4]


@njit(cache=True)
def trmm_left(trans, m, n, A, lda, B, ldb):
    """B (m, n) <- A B, or A' B with trans = T; A is lower triangular (m, m)."""
    if m == 0 or n == 0:
        return
    c = np.array([L, L, trans, N], dtype=np.uint8)
    i = np.array([m, n, lda, ldb], dtype=np.int32)
    s = np.ones(1)
    h, p = c.ctypes.data, i.ctypes.data
    _dtrmm(h, h + 1, h + 2, h + 3, p, p + 4, s.ctypes.data, A.ctypes.data, p + 8, B.ctypes.data, p + 12)
