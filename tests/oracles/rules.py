"""Rules of selection from their definitions: every subset or every pivot order of a small kernel matrix."""

from itertools import combinations, permutations

import numpy as np


def residual_diagonal(K, rows):
    """diag(K - K_.S K_SS^-1 K_S.)."""
    rows = list(rows)
    if not rows:
        return K.diagonal().copy()
    return K.diagonal() - np.diag(K[:, rows] @ np.linalg.inv(K[np.ix_(rows, rows)]) @ K[rows])


def greedy(K, m):
    rows = []
    for _ in range(m):
        left = residual_diagonal(K, rows)
        left[rows] = -np.inf
        rows.append(int(np.argmax(left)))
    return rows


def rpcholesky_law(K, m):
    """Probability of every order of m pivots, drawn one by one from what is left of the diagonal."""
    law = {}
    for order in permutations(range(len(K)), m):
        p = 1.0
        for step, j in enumerate(order):
            left = np.maximum(residual_diagonal(K, order[:step]), 0.0)
            left[list(order[:step])] = 0.0
            p *= left[j] / left.sum()
        law[order] = p
    return law


def kdpp_law(K, m):
    """Probability of every set of m rows."""
    dets = {S: np.linalg.det(K[np.ix_(S, S)]) for S in combinations(range(len(K)), m)}
    total = sum(dets.values())
    return {S: d / total for S, d in dets.items()}


def leverage(K, noise):
    return np.diag(K @ np.linalg.inv(K + noise * np.eye(len(K))))
