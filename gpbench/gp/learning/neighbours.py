"""Hyperparameters of Vecchia's approximation: first from few rows, then from all.

Neighbours are found anew as length-scales move. Noise that was learned on a subset of the rows is checked on all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from gpbench.gp.inference.model import GP
from gpbench.gp.inference.row_noise import RowNoise
from gpbench.gp.inference.vecchia import embedding, evaluate
from gpbench.gp.linalg.neighbours import earlier_neighbours
from gpbench.recorder import Recorder

from .full_gp import fit_hyperparameters
from .learner import DEFAULT, LEARNER, LIMITS, HyperparameterSearch, OptimiserOptions
from .parameters import Layout

FEW = 2000  # rows that give the first values, from all starts of the kernel
MOVED = 0.2  # nats by which the scale of one input may move against another's before neighbours are found anew
PRECISION = 1e-5  # of the optimiser: finer than the approximation deserves
MISFIT = 0.05  # nats of evidence per row and nat of noise: a steeper slope says that the noise does not fit the rows


def learn(
    X, y, gp: GP, k: int, options: OptimiserOptions = DEFAULT, rng=None, few: int = FEW,
    recorder: Recorder | None = None, rows: RowNoise | None = None,
) -> tuple[GP, list[dict]]:  # fmt: skip
    """Optimum of the approximate evidence for rows in their order, and the trace of the optimisations over all rows.

    The objective jumps when neighbours change, so an optimisation keeps those of its start; the next continues it.
    """
    first = partial(evaluate, near=earlier_neighbours(embedding(gp.kernel, X[:few]), k), rows=rows)
    gp, _ = fit_hyperparameters(X[:few], y[:few], gp, options, rng, evaluate=first)
    optimum = None
    while optimum is None or optimum.evaluations < options.evaluations:
        E = embedding(gp.kernel, X)
        layout, near = Layout(gp), earlier_neighbours(E, k)

        def at(x, layout=layout, near=near):
            F, dtheta, dlog_noise = evaluate(layout.unpack(x)[0], X, y, near, rows)
            return F, layout.gradient(dtheta, dlog_noise)

        left = options.within(options.evaluations - (optimum.evaluations if optimum else 0))
        found = left.maximise(at, layout.pack(), layout.bounds(options.learner), PRECISION, recorder=recorder)
        gp, optimum = layout.unpack(found.x)[0], optimum.then(found) if optimum else found
        if not moved(E, embedding(gp.kernel, X)):
            break
    return gp, optimum.trace


def moved(before, after) -> bool:
    """A common factor of all scales leaves every order of distances as it is; only their ratios count."""
    tiny = np.finfo(float).tiny
    change = np.log(np.maximum(after.std(0), tiny) / np.maximum(before.std(0), tiny))
    return bool(np.ptp(change) > MOVED)


def fit_noise(
    X, y, gp: GP, evaluate_at: Callable[[GP], tuple], evaluations: int = 200, learner: HyperparameterSearch = LEARNER,
    recorder: Recorder | None = None,
) -> tuple[GP, list[dict]]:  # fmt: skip
    """The given GP, with the noise variance of the highest evidence of all rows if its own does not fit them.

    A subset of the rows may hold none of the rows that have equal inputs and different targets; noise learned on it
    may be smaller than their differences allow by orders of magnitude, or end at the lower limit of the search.
    `evaluate_at` gives F, dF/dtheta and dF/dlog noise.
    """
    if abs(evaluate_at(gp)[2]) <= MISFIT * len(y):
        return gp, []
    start = max(gp.noise, pure_error(X, y))
    lowest = np.finfo(float).eps * float(gp.kernel.diag(X).mean())  # rounding hides what is below it
    limits = {"noise": (lowest, max(LIMITS["noise"][1], start)), **(learner.limits or {})}
    bounds = replace(learner, limits=limits).bounds(("noise",), np.log([start]))

    def at(x):
        F, _, dlog_noise = evaluate_at(GP(gp.kernel, float(np.exp(x[0]))))
        return F, np.array([dlog_noise])

    found = learner.maximise(at, np.log([start]), evaluations, "lbfgs", bounds, PRECISION, recorder=recorder)
    return GP(gp.kernel, float(np.exp(found.x[0]))), found.trace


def noise_note(given: GP, gp: GP) -> str:
    """What `fit_noise` changed."""
    return f"noise variance {gp.noise:.2e}: {given.noise:.2e}, learned on a subset, does not fit all rows"


def pure_error(X, y) -> float:
    """Variance of the targets of rows with equal inputs around their means; zero where no inputs are equal."""
    _, group, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    group, freedom = group.ravel(), len(y) - len(counts)
    if not freedom:
        return 0.0
    means = np.bincount(group, y) / counts
    return float(((y - means[group]) ** 2).sum() / freedom)
