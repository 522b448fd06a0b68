"""Fused elementwise passes over (candidates, training rows): each reads its inputs once and keeps no temporary.

Written for the compiler: contiguous inner loops without branches, sums free to be reordered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

_fast = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})
_LOGS, _LANES = 8, 64  # so many variance ratios are multiplied before one logarithm is taken, so many side by side


class Present(NamedTuple):
    """Quantities of the present basis, one number per training row   (n,) each."""

    error: np.ndarray  # y - mean
    left: np.ndarray  # 1 - eta
    extra: np.ndarray
    precision: np.ndarray  # 1 / lam
    lam: np.ndarray

    @classmethod
    def of(cls, state) -> Present:
        return cls(state.y - state.mean, 1.0 - state.eta, state.extra, state.precision, state.lam)


@_fast
def weighted_squares(K, precision):
    """sum_i precision_i K_ji^2   (c,)."""
    out = np.empty(K.shape[0])
    for j in range(K.shape[0]):
        total = 0.0
        for i in range(K.shape[1]):
            total += precision[i] * K[j, i] * K[j, i]
        out[j] = total
    return out


@_fast
def add_outer(A, a, x):
    """A += a x' in place."""
    for j in range(A.shape[0]):
        for i in range(A.shape[1]):
            A[j, i] += a[j] * x[i]


@_fast
def loo_moments(K, zZ, d, w, present):
    """Sums over i of the squared leave-one-out residual and of lam / (1 - eta) with each candidate added   (c,) x 2."""
    error, left, _, precision, lam = present
    squares, variances = np.empty(K.shape[0]), np.empty(K.shape[0])
    for j in range(K.shape[0]):
        inv_d, w_j, square, variance = 1.0 / d[j], w[j], 0.0, 0.0
        for i in range(K.shape[1]):
            zeta = (K[j, i] - zZ[j, i]) * inv_d
            inverse = 1.0 / (left[i] - precision[i] * zeta * zeta)
            r = (error[i] - w_j * zeta) * inverse
            square += r * r
            variance += lam[i] * inverse
        squares[j], variances[j] = square, variance
    return squares, variances


@_fast
def loo_density(K, zZ, nV, d, inv_e, w, present):
    """Sum over i of r^2/var + log(var/lam) of the leave-one-out densities after adding each candidate   (c,).

    var = extra - v^2 + lam/(1 - eta); with inv_e = 0 the extra variance is left as it is.
    """
    error, left, extra, precision, lam = present
    n, out, ratio = K.shape[1], np.empty(K.shape[0]), np.empty(_LOGS * _LANES)
    for j in range(K.shape[0]):
        inv_d, w_j, inv_e_j, total = 1.0 / d[j], w[j], inv_e[j], 0.0
        for start in range(0, n, _LOGS * _LANES):
            width = min(_LOGS * _LANES, n - start)
            for t in range(width):
                i = start + t
                zeta = (K[j, i] - zZ[j, i]) * inv_d
                v = (K[j, i] - nV[j, i]) * inv_e_j
                rest = left[i] - precision[i] * zeta * zeta  # 1 - eta
                scaled = max(extra[i] - v * v, 0.0) * rest + lam[i]  # var (1 - eta)
                r, inverse = error[i] - w_j * zeta, 1.0 / (rest * scaled)
                total += r * r * inverse
                ratio[t] = scaled * scaled * inverse * precision[i]  # var / lam >= 1
            ratio[width:] = 1.0
            for t in range(_LANES):
                product = 1.0
                for k in range(_LOGS):
                    product *= ratio[t + k * _LANES]
                total += np.log(product)
        out[j] = total
    return out
