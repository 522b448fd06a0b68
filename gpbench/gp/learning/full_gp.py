"""Hyperparameters from the evidence of a full GP: what [sundararajan] and [keerthi] keep fixed during selection."""

from __future__ import annotations

import numpy as np

from gpbench.gp.inference import exact
from gpbench.gp.inference.model import GP
from gpbench.recorder import Recorder

from .learner import DEFAULT, OptimiserOptions
from .optimise import best_of
from .parameters import Layout

SCREEN = 40  # evaluations after which the best of several starts is clear enough


def fit_hyperparameters(
    X, y, gp: GP, options: OptimiserOptions = DEFAULT, rng=None, evaluate=exact.evaluate,
    recorder: Recorder | None = None,
) -> tuple[GP, dict]:  # fmt: skip
    """Optimum of evaluate(gp, X, y) over kernel parameters and noise.

    Each of the kernel's starts and `restarts - 1` random points is optimised for a while; the highest one goes on. The
    dictionary tells of it: `trace` of the optimisation that won, `evaluations` of all.
    """
    layout = Layout(gp)

    def at(x):
        F, dtheta, dlog_noise = evaluate(layout.unpack(x)[0], X, y)
        return F, layout.gradient(dtheta, dlog_noise)

    starts, bounds = starting_points(gp, X, options.restarts, rng), layout.bounds(options.learner)
    first = options if len(starts) == 1 else options.within(min(SCREEN, options.evaluations))
    found = best_of(starts, lambda x: first.maximise(at, x, bounds, recorder=recorder))
    left = options.evaluations - found.evaluations
    if not found.converged and left > 0:
        found = found.then(options.within(left).maximise(at, found.x, bounds, recorder=recorder))
    learned, _ = layout.unpack(found.x)
    info = {
        "objective": found.value, "evaluations": found.spent, "converged": found.converged,
        "message": found.message, "trace": found.trace,
    }  # fmt: skip
    return learned, info


def starting_points(gp: GP, X, restarts: int, rng) -> list[np.ndarray]:
    """The kernel's own starts and `restarts - 1` random ones around the first, as the optimiser's vectors."""
    x0 = Layout(gp).pack()
    starts = [Layout(GP(kernel, gp.noise)).pack() for kernel in gp.kernel.starts(X)]
    return starts + [x0 + rng.normal(0.0, 1.0, len(x0)) for _ in range(restarts - 1)]


def neutral_start(kernel, y) -> GP:
    """Where learning begins when the config names no values: the kernel's own start, noise a tenth of the variance."""
    return GP(kernel, max(0.1 * float(np.var(y)), 1e-6))
