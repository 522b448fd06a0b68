"""What the one-dimensional figures of [snelson] and [cao] show: where inducing inputs lie, and how far mean and
variance are from those of a full GP."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from gpbench.inference import sparse
from gpbench.inference.exact import ExactPosterior
from gpbench.inference.sparse import SparseModel
from gpbench.learning.full_gp import fit_hyperparameters
from gpbench.linalg.cholesky import Cholesky
from gpbench.methods.base import GP, Problem

LARGEST = 1000  # training rows up to which a full GP is fitted for the comparison
GRID = 200
FAR = 6  # length-scales beyond the rows, where a sparse prior knows of no inducing input


def line_facts(problem: Problem, predict, Z) -> dict[str, float]:
    """Numbers for the trace of a method on one-dimensional inputs; empty for any other data."""
    if not on_a_line(problem):
        return {}
    X = np.asarray(problem.X)
    low, high = float(X.min()), float(X.max())
    z, width = np.asarray(Z)[:, 0], high - low
    if not width > 0:
        return {}
    grid = _grid(low, high)
    gp = _reference(problem)
    ours, full = predict(grid), ExactPosterior.fit(gp, problem.X, problem.y).predict(grid)
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


def prior_facts(model: SparseModel) -> dict[str, float]:
    """[snelson] Figure 2: the variance that a sparse prior gives to targets over one input, near and far from Z."""
    c, noise = float(model.gp.kernel.diag(model.Z)[0]), model.gp.noise
    length = float(np.atleast_1d(model.gp.kernel.values().get("lengthscale", np.nan))[0])
    if model.Z.shape[1] != 1 or not np.isfinite(length):
        return {}
    z = model.Z[:, 0]
    x = np.linspace(z.min() - 8 * length, z.max() + 8 * length, 2 * GRID)
    at = sparse.build(model.approximation, model.gp, model.Z, x[:, None], np.zeros(len(x)))
    explained = c - at.r
    if model.approximation is sparse.FITC:
        return {"spgp_prior_variance_gap": float(np.abs(explained + at.factor.lam - (c + noise)).max())}
    far = np.abs(x[:, None] - z).min(1) >= 4 * length
    return {"plv_prior_variance_far": float(explained[far].max()) / c}


def prior_sample(gp: GP, X, rng, Z=None, approximation=None) -> dict[str, list[float]]:
    """One draw of noisy targets over the only input, from a full or a sparse prior, and their standard deviation."""
    beyond = FAR * float(np.ravel(gp.kernel.values().get("lengthscale", 0.0))[0])
    x = np.linspace(X.min() - beyond, X.max() + beyond, GRID)
    if Z is None:
        K = gp.kernel(x[:, None])
        sd = np.sqrt(np.diag(K) + gp.noise)
        y = Cholesky.of(K + gp.noise * np.eye(GRID)).L @ rng.normal(size=GRID)
    else:
        at = sparse.build(approximation, gp, Z, x[:, None], np.zeros(GRID))
        V = solve_triangular(at.L, gp.kernel(Z, x[:, None]), lower=True)  # S = V'V + diag(lam)
        lam = np.broadcast_to(at.factor.lam, GRID)
        sd = np.sqrt((V**2).sum(0) + lam)
        y = V.T @ rng.normal(size=len(Z)) + np.sqrt(lam) * rng.normal(size=GRID)
    found = {"prior_x": x.tolist(), "prior_y": y.tolist(), "prior_sd": sd.tolist()}
    return found if Z is None else found | {"prior_z": Z[:, 0].tolist()}


def on_a_line(problem: Problem) -> bool:
    """One real input, and few enough rows to look at."""
    X = np.asarray(problem.X)
    return X.ndim == 2 and X.shape[1] == 1 and np.issubdtype(X.dtype, np.floating) and problem.n <= LARGEST


def _grid(low: float, high: float) -> np.ndarray:
    return np.linspace(low, high, GRID)[:, None]


def _reference(problem: Problem) -> GP:
    """A full GP's hyperparameters: the given ones where they are fixed, else its own optimum."""
    if problem.schedule.kind == "fixed":
        return problem.gp
    return fit_hyperparameters(problem.X, problem.y, problem.gp, learner=problem.schedule.learner)[0]
