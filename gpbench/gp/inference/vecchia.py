"""Vecchia's approximation: each row given its nearest earlier rows, noise included.

    log p(y) ~ log p(y_1..y_s) + sum_{i > s} log p(y_i | y_N(i)),   N(i) the k nearest of the rows before i, s = k + 1

Exact when every earlier row is a neighbour. Blocks of rows are gathered so that each block's local covariance matrices
are entries of the kernel on one block-diagonal pattern: any kernel with an `embedding` will do. Time O(n k^3), memory
O(n k).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from gpbench.gp.linalg.conditionals import conditional_moments, diagonal, log_densities, with_noise
from gpbench.gp.linalg.lowrank import blocks

from . import exact
from .model import GP, Prediction, Predictor
from .row_noise import RowNoise


def evaluate(gp: GP, X, y, near, rows: RowNoise | None = None) -> tuple[float, np.ndarray, float]:
    """F, dF/dtheta and dF/dlog noise for rows in their order and `near` (n - k - 1, k) of gp/linalg/neighbours.py."""
    n, s = len(y), near.shape[1] + 1
    F, dtheta, dlog_noise = exact.evaluate(gp, X[:s], y[:s], rows=rows)
    for part in parts_of(s, len(near)):
        group = np.column_stack([near[part], np.arange(s, n)[part]])
        pattern = triangles(*group.shape)
        k, pull = gp.kernel.linearised_on(pattern, X[group.ravel()])
        at, dk, dnoise = _densities(k.reshape(len(group), -1).copy(), group, y, gp, rows)
        F, dtheta, dlog_noise = F + at, dtheta + pull(dk.ravel()), dlog_noise + gp.noise * dnoise
    return F, dtheta, dlog_noise


def _densities(packed, group, y, gp: GP, rows: RowNoise | None):
    """As `log_densities`, with the noise of each row."""
    if rows is None:
        return log_densities(packed, y[group], gp.noise)
    F, dpacked, _ = log_densities(with_noise(packed, rows[group].variances(gp.noise)), y[group], 0.0)
    return F, dpacked, float((rows.factor[group] * dpacked[:, diagonal(group.shape[1])]).sum())


@dataclass(frozen=True)
class VecchiaPosterior(Predictor):
    """Each test point given its k nearest training rows; O(k^3) per point."""

    gp: GP
    X: np.ndarray
    y: np.ndarray
    k: int
    factor: float = 1.0  # of the variances (learning/calibration.py)
    noise: np.ndarray | None = None  # (n,) of the training rows, where each has its own

    def predict(self, Xs) -> Prediction:
        latent = self.moments(Xs, self.near(Xs, min(self.k, len(self.X))))
        return Prediction(latent.mean, self.factor * (latent.var + self.gp.noise), self.factor * latent.var)

    def near(self, Xs, k: int) -> np.ndarray:
        """The k nearest training rows of each of Xs, the nearest first   (t, k)."""
        return cKDTree(self._embedding(self.X)).query(self._embedding(Xs), k)[1].reshape(len(Xs), k)

    def moments(self, Xs, near) -> Prediction:
        """Mean and variance, without noise and factor, of the function at each of Xs given its own rows `near`."""
        kernel, k = self.gp.kernel, near.shape[1]
        mean, latent = np.empty(len(Xs)), np.empty(len(Xs))
        for part in parts_of(k + 1, len(Xs)):
            here = Xs[part]
            group = np.concatenate([self.X[near[part]], here[:, None]], axis=1)  # (b, k + 1, D)
            packed = kernel.on(triangles(len(here), k + 1), group.reshape(-1, group.shape[2]))
            packed, noise = packed.reshape(len(here), -1), self.gp.noise
            if self.noise is not None:
                packed, noise = with_noise(packed, self.noise[near[part]]), 0.0
            mean[part], latent[part] = conditional_moments(packed, self.y[near[part]], noise)
        return Prediction(mean, latent)

    def _embedding(self, X):
        return embedding(self.gp.kernel, X)


def embedding(kernel, X) -> np.ndarray:
    """The kernel's embedding, or the inputs themselves if no part of it has a distance (linear, bias)."""
    E = kernel.embedding(X)
    return E if E.shape[1] else X


def parts_of(s: int, n: int) -> list[slice]:
    return blocks(s * (s + 1) // 2, n)


@lru_cache(maxsize=64)
def triangles(b: int, s: int) -> sparse.csc_matrix:
    """Pattern of b lower triangles (s, s) along the diagonal."""
    columns = np.arange(b * s)
    counts = s - columns % s
    start = np.r_[0, np.cumsum(counts)].astype(np.int32)
    rows = np.arange(start[-1]) - np.repeat(start[:-1] - columns, counts)
    return sparse.csc_matrix((np.ones(start[-1], dtype=bool), rows.astype(np.int32), start), shape=(b * s, b * s))
