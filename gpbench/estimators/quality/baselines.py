"""Simpler predictors of the same rows, each row left out: the mean of the targets, and a straight line with a penalty.

Ridge regression with centred inputs C (n, D) and penalty a has the leverages h_i = 1/n + c_i'(C'C + a I)^-1 c_i, and
the residual of row i without its own target is e_i / (1 - h_i), exactly. Of logistic regression the same step, from
the optimum of all rows, is Newton's (the usual approximation).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .judged import LEAVE_ONE_OUT, Judged, of_gaussians

WORK = 1e10  # operations for C'C; beyond, fewer rows
WIDEST = 3000  # inputs
PENALTIES = 10.0 ** np.arange(-6, 3)  # times the number of rows
ROUNDS = 30


def mean_of_targets(y, rows) -> Judged:
    """N(mean, variance) of the other rows   (regression)."""
    n, own = len(y), y[rows]
    mean = (y.sum() - own) / (n - 1)
    var = np.maximum((((y - y.mean()) ** 2).sum() - (own - y.mean()) ** 2 * n / (n - 1)) / max(n - 2, 1), 1e-300)
    return of_gaussians(LEAVE_ONE_OUT, rows, own, mean, np.sqrt(var))


def shares_of_classes(labels, rows, classes: int) -> Judged:
    """Shares of the classes among the other rows; `labels` are their numbers."""
    counts = np.bincount(labels, minlength=classes) - np.eye(classes)[labels[rows]]
    return Judged(LEAVE_ONE_OUT, rows, labels[rows], prob=counts / (len(labels) - 1))


def _linear(X, mixed) -> np.ndarray | None:
    """Rows for a linear model, the judged ones first; None where inputs are no vectors, or too many."""
    if X.ndim != 2 or X.dtype != float or X.shape[1] > WIDEST or len(X) < 5:
        return None
    return mixed[: max(2000, int(WORK / max(X.shape[1], 1) ** 2))]


def ridge(X, y, mixed, judged: int) -> Judged | None:
    """Ridge regression judged on the first `judged` of the rows `mixed`; its penalty has the least held-out error."""
    used = _linear(X, mixed)
    if used is None:
        return None
    C, target = X[used] - X[used].mean(0), y[used] - y[used].mean()
    n, own = len(used), slice(0, judged)
    values, vectors = np.linalg.eigh(C.T @ C)
    values, along, projection = np.maximum(values, 0.0), C[own] @ vectors, vectors.T @ (C.T @ target)
    best = None
    for penalty in PENALTIES * n:
        shrunk = 1 / (values + penalty)
        leverage = np.minimum(1 / n + (along**2) @ shrunk, 1 - 1e-9)
        residual = (target[own] - along @ (shrunk * projection)) / (1 - leverage)
        error = float(np.mean(residual**2))
        if best is None or error < best[0]:
            best = error, residual
    error, residual = best
    std = np.full(len(residual), np.sqrt(max(error, 1e-300)))
    return of_gaussians(LEAVE_ONE_OUT, used[own], y[used[own]], y[used[own]] - residual, std)


def logistic(X, labels, mixed, judged: int) -> Judged | None:
    """Two classes; a penalty of one on inputs of variance one."""
    used = _linear(X, mixed)
    if used is None:
        return None
    spread = X[used].std(0)
    C = np.column_stack([(X[used] - X[used].mean(0)) / np.where(spread > 0, spread, 1.0), np.ones(len(used))])
    t, w = labels[used].astype(float), np.zeros(C.shape[1])
    penalty = np.r_[np.ones(len(w) - 1), 1e-6]
    for _ in range(ROUNDS):
        p = expit(C @ w)
        H = (C.T * (p * (1 - p))) @ C + np.diag(penalty)
        step = np.linalg.solve(H, C.T @ (t - p) - penalty * w)
        w += step * min(1.0, 5.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-8:
            break
    own = C[:judged]
    p = expit(own @ w)
    slope = np.maximum(p * (1 - p), 1e-12)
    leverage = np.minimum(slope * np.einsum("ij,ji->i", own, np.linalg.solve(H, own.T)), 1 - 1e-9)
    without = expit(own @ w - (t[:judged] - p) * leverage / (slope * (1 - leverage)))
    rows = used[:judged]
    return Judged(LEAVE_ONE_OUT, rows, labels[rows], prob=np.column_stack([1 - without, without]))
