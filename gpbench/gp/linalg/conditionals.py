"""Many small Gaussian conditionals: each of b points given k others, from packed local covariance matrices.

A local matrix S (s, s), s = k + 1, holds the neighbours first and the point last; `packed` has its lower triangle
column by column, s (s + 1) / 2 numbers a line. With S = LL', z = L^-1 y and w = L^-T e (e the last unit vector), the
density of the last point given the others has the log -log L_ss - z_s^2/2 - log(2 pi)/2 and a derivative of rank two,

    dF/dS = ((a w' + w a') z_s + (z_s^2 - 1) w w') / 2,   a = [L_kk^-T z_k; 0]

so that everything besides the Cholesky factor is O(k^2).

Rows with equal inputs make S singular where the noise is lost to rounding; such a line gets the first rung of the
package's jitter ladder that makes every pivot of its factor larger than rounding errors.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gpbench.errors import NotPositiveDefinite

from .cholesky import LADDER

RUNGS = np.array(LADDER)
EPSILON = float(np.finfo(float).eps)


def log_densities(packed, y, noise: float) -> tuple[float, np.ndarray, float]:
    """Sum of log p(y_s | y_1..y_k) over the lines, dF/d packed in place of `packed`, and dF/dnoise; y is (b, s)."""
    F, dnoise, bad = _densities(packed, y, noise)
    if bad:
        raise NotPositiveDefinite("a point and its neighbours have a covariance matrix that is not positive definite")
    return F - 0.5 * len(y) * np.log(2 * np.pi), packed, dnoise


def conditional_moments(packed, y, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance (b,) of each line's last function value given noisy values y (b, k) of the others."""
    mean, var, bad = _moments(packed, y, noise)
    if bad:
        raise NotPositiveDefinite("the neighbours of a test point have a covariance that is not positive definite")
    return mean, var


def diagonal(s: int) -> np.ndarray:
    """Places of a line's s diagonal entries."""
    return np.r_[0, np.cumsum(np.arange(s, 1, -1))]


def with_noise(packed, noise) -> np.ndarray:
    """`packed` with noise variances (b, r) of the first r points of each line added to the diagonal, in place."""
    noise = np.asarray(noise)
    s = int(np.sqrt(2 * packed.shape[1]))
    packed[:, diagonal(s)[: noise.shape[1]]] += noise
    return packed


@njit(cache=True)
def unpack(line, L, noise, noisy):
    """The lower triangle into L, noise on the first `noisy` diagonal entries; row c of L is column c of the matrix."""
    s, p = len(L), 0
    for c in range(s):
        for r in range(c, s):
            L[c, r] = line[p]
            p += 1
        if c < noisy:
            L[c, c] += noise


@njit(cache=True)
def _cholesky(L, columns, smallest):
    """The first columns of the factor, in place (row c of L is column c), the rest reduced; False if it fails."""
    s = len(L)
    for c in range(columns):
        if not L[c, c] > smallest:
            return False
        root = 1.0 / np.sqrt(L[c, c])
        for r in range(c, s):
            L[c, r] *= root
        for j in range(c + 1, s):
            f = L[c, j]
            for r in range(j, s):
                L[j, r] -= f * L[c, r]
    return True


@njit(cache=True)
def factorise(line, L, noise, noisy):
    """The factor of a line's first `noisy` rows, the rest reduced, with the first rung of jitter that works."""
    if noisy == 0:
        unpack(line, L, noise, noisy)
        return True
    for rung in RUNGS:
        unpack(line, L, noise, noisy)
        mean = 0.0
        for c in range(noisy):
            mean += L[c, c] / noisy
        for c in range(noisy):
            L[c, c] += rung * mean
        if _cholesky(L, noisy, noisy * EPSILON * mean):
            return True
    return False


@njit(cache=True)
def forward(L, y, z):
    """z = L^-1 y over the first len(z) columns."""
    for r in range(len(z)):
        z[r] = y[r]
    for c in range(len(z)):
        z[c] /= L[c, c]
        for r in range(c + 1, len(z)):
            z[r] -= L[c, r] * z[c]


@njit(cache=True)
def _densities(packed, y, noise):
    s = y.shape[1]
    k = s - 1
    L, z, w, a = np.empty((s, s)), np.empty(s), np.empty(s), np.empty(s)
    F, dnoise = 0.0, 0.0
    for i in range(len(y)):
        line = packed[i]
        if not factorise(line, L, noise, s):
            return F, dnoise, True
        forward(L, y[i], z)
        last = z[k]
        F -= np.log(L[k, k]) + 0.5 * last * last
        w[k], a[k] = 1.0 / L[k, k], 0.0
        for c in range(k - 1, -1, -1):
            back_w, back_a = L[c, k] * w[k], 0.0
            for r in range(c + 1, k):
                back_w += L[c, r] * w[r]
                back_a += L[c, r] * a[r]
            w[c], a[c] = -back_w / L[c, c], (z[c] - back_a) / L[c, c]
        p, f = 0, last * last - 1.0
        for c in range(s):
            own = last * w[c]
            left = last * a[c] + f * w[c]
            dnoise += 0.5 * (own * a[c] + left * w[c])
            line[p] = 0.5 * (own * a[c] + left * w[c])
            p += 1
            for r in range(c + 1, s):  # below the diagonal: an entry stands for both triangles
                line[p] = own * a[r] + left * w[r]
                p += 1
    return F, dnoise, False


@njit(cache=True)
def _moments(packed, y, noise):
    k = y.shape[1]
    L, z = np.empty((k + 1, k + 1)), np.empty(k)
    mean, var = np.empty(len(y)), np.empty(len(y))
    for i in range(len(y)):
        if not factorise(packed[i], L, noise, k):
            return mean, var, True
        forward(L, y[i], z)
        total = 0.0
        for c in range(k):
            total += L[c, k] * z[c]
        mean[i], var[i] = total, max(L[k, k], 0.0)  # below zero by rounding only, as in sparse_predict
    return mean, var, False
