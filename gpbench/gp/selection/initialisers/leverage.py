"""Ridge leverage scores, l_i = [K (K + noise I)^-1]_ii, estimated level by level; rows are drawn in proportion to them.

Musco and Musco (2017): the scores of a set follow from a weighted sample of half of it, so a chain of doubling sets,
each judged by the sample of the last one, reaches all rows in O(n m^2) with m rows in every sample.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.lowrank import blocks
from gpbench.gp.linalg.structured import column_dots
from gpbench.gp.linalg.triangular import solve_lower

from .chosen import Chosen


def choose(gp, X, m: int, rng) -> Chosen:
    order, used = rng.permutation(len(X)), 0.0
    landmarks, weights = order[: _level(len(X), m)[0]], None
    for size in _level(len(X), m)[1:]:
        rows = order[:size]
        score = scores(gp, X, rows, landmarks, weights)
        used += len(landmarks) * size / len(X)
        landmarks, weights = sample(rows, score, m, rng)
    if weights is None:  # all rows are wanted
        return Chosen(landmarks[:m], 0)
    return Chosen(_distinct(order, score, m, rng), round(used))


def _level(n: int, m: int) -> list[int]:
    """Sizes of the nested sets: n halved until it is at most m, smallest first."""
    sizes = [n]
    while sizes[0] > m:
        sizes.insert(0, (sizes[0] + 1) // 2)
    return sizes


def scores(gp, X, rows, landmarks, weights=None) -> np.ndarray:
    """(k_ii - k_i'W (W K W + noise I)^-1 W k_i) / noise; exact when every row is a landmark of weight 1."""
    w = np.ones(len(landmarks)) if weights is None else weights
    Z, noise = X[landmarks], gp.noise
    K = w[:, None] * gp.kernel(Z) * w
    K[np.diag_indices_from(K)] += noise
    root = Cholesky.of(K)
    found, kdiag = np.empty(len(rows)), gp.kernel.diag(X[rows])
    for part in blocks(len(landmarks), len(rows)):
        V = solve_lower(root.L, np.asfortranarray(w[:, None] * gp.kernel(Z, X[rows[part]])), overwrite=True)
        found[part] = (kdiag[part] - column_dots(V, V)) / noise
    return np.maximum(found, 1e-12 * np.max(kdiag) / noise)


def sample(rows, score, m: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """m draws with replacement in proportion to the scores, each weighted so that the sample is unbiased for K."""
    p = score / score.sum()
    drawn = rng.choice(len(rows), size=m, p=p)
    return rows[drawn], 1.0 / np.sqrt(m * p[drawn])


def _distinct(rows, score, m: int, rng) -> np.ndarray:
    """m different rows, one after the other in proportion to the scores of those left (an exponential race)."""
    return rows[np.argsort(rng.exponential(size=len(rows)) / score, kind="stable")[:m]]
