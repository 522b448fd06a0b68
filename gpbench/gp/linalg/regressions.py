"""Regressions of many points on their neighbours in the residual of a low-rank part, and their derivatives.

A group holds the row numbers of k neighbours and, last, of the point. Its residual covariance matrix is

    C = K - V'V (s, s), s = k + 1,   V the columns of the group's rows in the low-rank factor,

with noise on the diagonal. With C_N the neighbours' part and c their covariances with the point, the coefficients are
A = C_N^-1 c and the variance that is left D = C_ss - c'A. Lines of `packed` are those of conditionals.py; V is given
as its transpose (n, m), so that the column of a row is one piece of memory.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gpbench.errors import NotPositiveDefinite

from .blas import N, T, gemm
from .conditionals import factorise, forward


def residuals(packed, group, Vt):
    """`packed` less the entries of V'V, in place; a diagonal entry below zero, by rounding only, becomes zero."""
    return _residuals(packed, group, Vt)


def regress(packed, noise: float, noisy_point: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients A (b, k) and variances D (b,) of the lines; `noisy_point` says whether D includes the noise."""
    A, D, bad = _regress(packed, noise, noisy_point, int(np.sqrt(2 * packed.shape[1])))
    if bad:
        raise NotPositiveDefinite("a point and its neighbours have a covariance matrix that is not positive definite")
    return A, D


def pull_regressions(packed, noise: float, A, dA, dD) -> tuple[np.ndarray, float]:
    """dF/d packed in place of `packed` and dF/dnoise, from dF/dA (b, k) and dF/dD (b,)."""
    return packed, _pull(packed, noise, A, dA, dD)


def pull_residuals(dpacked, group, Vt, dVt) -> None:
    """dF/dV', from dF/d packed, added to `dVt`   (n, m)."""
    _pull_residuals(dpacked, group, Vt, dVt)


@njit(cache=True)
def differences(near, A, M, out):
    """Lines i of M less sum_j A_ij M[near_ij], into `out`; near has -1 where a line has fewer neighbours."""
    for i in range(len(near)):
        out[i] = M[i]
        for c in range(near.shape[1]):
            j = near[i, c]
            if j >= 0:
                out[i] -= A[i, c] * M[j]


@njit(cache=True)
def pull_differences(near, A, M, dout, dA, dM):
    """dF/dA added to `dA` and dF/dM to `dM`, from dF/d out of `differences`."""
    for i in range(len(near)):
        dM[i] += dout[i]
        for c in range(near.shape[1]):
            j = near[i, c]
            if j >= 0:
                total = 0.0
                for d in range(M.shape[1]):
                    total += dout[i, d] * M[j, d]
                    dM[j, d] -= A[i, c] * dout[i, d]
                dA[i, c] -= total


@njit(cache=True)
def products(near, Vt, Vs):
    """v_i'v_j of each line i of Vs with the lines j of Vt that `near` names   (t, c)."""
    out = np.zeros(near.shape)
    for i in range(len(near)):
        for c in range(near.shape[1]):
            j = near[i, c]
            for d in range(Vt.shape[1]):
                out[i, c] += Vs[i, d] * Vt[j, d]
    return out


@njit(cache=True)
def _gather(group, Vt, buffer):
    for a in range(len(group)):
        buffer[a] = Vt[group[a]]


@njit(cache=True)
def _residuals(packed, group, Vt):
    s, m = group.shape[1], Vt.shape[1]
    buffer, gram = np.empty((s, m)), np.empty((s, s))
    for i in range(len(group)):
        _gather(group[i], Vt, buffer)
        gemm(T, N, s, s, m, 1.0, buffer, m, buffer, m, 0.0, gram, s)
        line, p = packed[i], 0
        for c in range(s):
            line[p] = max(line[p] - gram[c, c], 0.0)
            p += 1
            for r in range(c + 1, s):
                line[p] -= gram[c, r]
                p += 1
    return packed


@njit(cache=True)
def _regress(packed, noise, noisy_point, s):
    k = s - 1
    L, A, D = np.empty((s, s)), np.empty((len(packed), k)), np.empty(len(packed))
    for i in range(len(packed)):
        if not factorise(packed[i], L, noise, k):
            return A, D, True
        D[i] = max(L[k, k], 0.0) + (noise if noisy_point else 0.0)
        _back(L, L[:k, k], A[i])
        if noisy_point and not D[i] > 0.0:
            return A, D, True
    return A, D, False


@njit(cache=True)
def _back(L, z, out):
    """out = L^-T z over the first len(z) columns."""
    k = len(z)
    for c in range(k - 1, -1, -1):
        total = z[c]
        for r in range(c + 1, k):
            total -= L[c, r] * out[r]
        out[c] = total / L[c, c]


@njit(cache=True)
def _pull(packed, noise, A, dA, dD):
    k = A.shape[1]
    s = k + 1
    L, z, u, dnoise = np.empty((s, s)), np.empty(k), np.empty(k), 0.0
    for i in range(len(packed)):
        line, own, at = packed[i], A[i], dD[i]
        factorise(line, L, noise, k)
        forward(L, dA[i], z)
        _back(L, z, u)
        p = 0
        for c in range(k):
            line[p] = own[c] * (at * own[c] - u[c])
            dnoise += line[p]
            p += 1
            for r in range(c + 1, k):  # below the diagonal: an entry stands for both triangles
                line[p] = 2 * at * own[c] * own[r] - u[c] * own[r] - own[c] * u[r]
                p += 1
            line[p] = u[c] - 2 * at * own[c]
            p += 1
        line[p] = at
        dnoise += at
    return dnoise


@njit(cache=True)
def _pull_residuals(dpacked, group, Vt, dVt):
    s, m = group.shape[1], Vt.shape[1]
    buffer, product, weights = np.empty((s, m)), np.empty((s, m)), np.empty((s, s))
    for i in range(len(group)):
        line, p = dpacked[i], 0
        for c in range(s):
            weights[c, c] = 2 * line[p]
            p += 1
            for r in range(c + 1, s):
                weights[c, r] = weights[r, c] = line[p]
                p += 1
        _gather(group[i], Vt, buffer)
        gemm(N, N, m, s, s, -1.0, buffer, m, weights, s, 0.0, product, m)
        for a in range(s):
            dVt[group[i, a]] += product[a]
