"""What the one-dimensional figures of [snelson] and [cao] show: where inducing inputs lie, and how far the mean is from
that of a full GP."""

from __future__ import annotations

import numpy as np

from gpbench.inference.exact import Posterior
from gpbench.learning.full_gp import fit_hyperparameters

from .base import Problem

LARGEST = 1000  # training rows up to which a full GP is fitted for the comparison
GRID = 200


def line_facts(problem: Problem, predict, Z) -> dict[str, float]:
    """Numbers for the trace of a method on one-dimensional inputs; empty for any other data."""
    X = np.asarray(problem.X)
    if X.ndim != 2 or X.shape[1] != 1 or not np.issubdtype(X.dtype, np.floating) or problem.n > LARGEST:
        return {}
    low, high = float(X.min()), float(X.max())
    z, width = np.asarray(Z)[:, 0], high - low
    gap = np.abs(predict(_grid(low, high)).mean - _full_gp(problem).predict(_grid(low, high)).mean)
    return {
        "inducing_span": float(np.ptp(z)) / width,
        "inducing_right": float(z.max() - low) / width,
        "inducing_outside": float(np.mean((z < low) | (z > high))),
        "full_gp_gap_mean": float(gap.mean() / problem.y.std()),
        "full_gp_gap_max": float(gap.max()),
        "full_gp_gap_square": float((gap**2).mean()),
    }


def _grid(low: float, high: float) -> np.ndarray:
    return np.linspace(low, high, GRID)[:, None]


def _full_gp(problem: Problem) -> Posterior:
    """At the given hyperparameters where they are fixed, else at its own optimum."""
    gp = problem.gp
    if problem.schedule.kind != "fixed":
        gp, _ = fit_hyperparameters(problem.X, problem.y, gp)
    return Posterior.fit(gp, problem.X, problem.y)
