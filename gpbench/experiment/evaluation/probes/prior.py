"""[snelson] Figure 2: targets over one input under a full or a sparse prior, near its basis and far from it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from gpbench.gp.inference import sparse
from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.methods.base import GP

from . import FinishedFit
from .inducing import GRID, on_a_line

FAR = 6  # length-scales beyond the rows, where a sparse prior knows of no inducing input


def after(sight: FinishedFit) -> dict[str, float | list[float]]:
    """A sample if hyperparameters and inputs are the given ones; for sparse priors also their variance."""
    method, problem, gp, rng = sight.method, sight.problem, sight.fitted.gp, sight.rng
    given, sparse_prior = problem.schedule.kind == "fixed", getattr(method, "approximation", None)
    if not on_a_line(problem):
        return {}
    if sparse_prior is None:
        return sample(gp, problem.X, rng) if given else {}
    if not np.ptp(problem.X) > 0:
        return {}
    drawn = given and not method.optimise_inputs
    found = sample(gp, problem.X, rng, sight.Z, sparse_prior) if drawn else {}
    return found | variance(gp, sight.Z, sparse_prior)


def variance(gp: GP, Z, approximation: sparse.Approximation) -> dict[str, float]:
    """Variances of targets near Z and far from Z, where the two priors of the figure differ."""
    c, length = float(gp.kernel.diag(Z)[0]), float(np.atleast_1d(gp.kernel.values().get("lengthscale", np.nan))[0])
    if not np.isfinite(length):
        return {}
    z = Z[:, 0]
    x = np.linspace(z.min() - 8 * length, z.max() + 8 * length, 2 * GRID)
    at = sparse.build(approximation, gp, Z, x[:, None], np.zeros(len(x)))
    explained = c - at.r
    if approximation is sparse.FITC:
        return {"spgp_prior_variance_gap": float(np.abs(explained + at.factor.lam - (c + gp.noise)).max())}
    far = np.abs(x[:, None] - z).min(1) >= 4 * length
    return {"plv_prior_variance_far": float(explained[far].max()) / c}


def sample(gp: GP, X, rng, Z=None, approximation=None) -> dict[str, list[float]]:
    """One sample of noisy targets over the only input, from a full or a sparse prior, and their standard deviation."""
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
