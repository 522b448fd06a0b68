"""Hyperparameters from the evidence of a full GP: what [sundararajan] and [keerthi] keep fixed during selection."""

from __future__ import annotations

import numpy as np

from gpbench.inference import exact
from gpbench.inference.model import GP

from .optimise import best_of, maximise
from .parameters import Layout


def fit_hyperparameters(
    X, y, gp: GP, evaluations: int = 200, optimiser: str = "lbfgs", restarts: int = 1, rng=None,
    objective=exact.objective,
) -> tuple[GP, dict]:  # fmt: skip
    """Optimum of objective(gp, X, y) over kernel parameters and noise, from `gp` and `restarts - 1` random points."""
    layout = Layout(gp)

    def at(x):
        F, dtheta, dlog_noise = objective(layout.unpack(x)[0], X, y)
        return F, layout.gradient(dtheta, dlog_noise)

    x0 = layout.pack()
    starts = [x0] + [x0 + rng.normal(0.0, 1.0, len(x0)) for _ in range(restarts - 1)]
    found = best_of(starts, lambda x: maximise(at, x, evaluations, optimiser, layout.bounds()))
    learned, _ = layout.unpack(found.x)
    info = {
        "objective": found.value, "evaluations": found.evaluations, "converged": found.converged,
        "message": found.message, "trace": found.trace,
    }  # fmt: skip
    return learned, info


def neutral_start(kernel, y) -> GP:
    """Where learning begins when the config names no values: the kernel's own start, noise a tenth of the variance."""
    return GP(kernel, max(0.1 * float(np.var(y)), 1e-6))
