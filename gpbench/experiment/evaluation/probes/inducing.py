"""One-dimensional figures of [snelson] and [cao]: inducing inputs, and distance of mean and variance from a full GP."""

from __future__ import annotations

import numpy as np

from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.learning.full_gp import fit_hyperparameters
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.methods.base import GP, Problem

from . import FinishedFit

LARGEST = 1000  # training rows up to which a full GP is fitted for the comparison
GRID = 200


def after(sight: FinishedFit) -> dict[str, float]:
    """Empty unless the data have exactly one input with more than one value."""
    problem = sight.problem
    if not on_a_line(problem) or not np.ptp(problem.X) > 0:
        return {}
    low, high = float(problem.X.min()), float(problem.X.max())
    z, width = np.asarray(sight.Z)[:, 0], high - low
    grid = np.linspace(low, high, GRID)[:, None]
    gp = _reference(problem)
    ours, full = sight.fitted.predict(grid), ExactPosterior.fit(gp, problem.X, problem.y).predict(grid)
    gap = np.abs(ours.mean - full.mean)
    facts = {
        "inducing_span": float(np.ptp(z)) / width,
        "inducing_right": float(z.max() - low) / width,
        "inducing_outside": float(np.mean((z < low) | (z > high))),
        "full_gp_gap_mean": float(gap.mean() / problem.y.std()),
        "full_gp_gap_max": float(gap.max()),
        "full_gp_gap_square": float((gap**2).mean()),
        "full_gp_gap_variance": float(np.abs(ours.var - full.var).max()),
        "inducing_farthest": float(max(low - z.min(), z.max() - high, 0.0)) / width,  # outside the data, in ranges
    }
    length = float(np.atleast_1d(gp.kernel.values().get("lengthscale", np.nan))[0])
    if np.isfinite(length):  # share of the range within one length-scale of an inducing input
        facts["inducing_cover"] = float(np.mean(np.abs(grid - z).min(1) <= length))
    return facts


def on_a_line(problem: Problem) -> bool:
    """Whether the problem has one real input and at most LARGEST rows."""
    X = problem.X
    vectors = isinstance(X, np.ndarray) and X.ndim == 2 and np.issubdtype(X.dtype, np.floating)
    return vectors and X.shape[1] == 1 and problem.n <= LARGEST


def _reference(problem: Problem) -> GP:
    """Hyperparameters of a full GP: the given ones if they are fixed, else its own optimum."""
    if problem.schedule.kind == "fixed":
        return problem.gp
    return fit_hyperparameters(problem.X, problem.y, problem.gp, OptimiserOptions(learner=problem.schedule.learner))[0]
