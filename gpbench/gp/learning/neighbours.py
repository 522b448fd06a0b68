"""Hyperparameters of Vecchia's approximation: first from few rows, then from all.

Neighbours are found anew as length-scales move.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from gpbench.gp.inference.model import GP
from gpbench.gp.inference.vecchia import embedding, evaluate
from gpbench.gp.linalg.neighbours import earlier_neighbours
from gpbench.recorder import Recorder

from .full_gp import fit_hyperparameters
from .learner import LEARNER, HyperparameterSearch
from .parameters import Layout

FEW = 2000  # rows that give the first values, from all starts of the kernel
MOVED = 0.2  # nats by which the scale of one input may move against another's before neighbours are found anew
PRECISION = 1e-5  # of the optimiser: finer than the approximation deserves


def learn(
    X, y, gp: GP, k: int, evaluations: int = 200, optimiser: str = "lbfgs", restarts: int = 1, rng=None,
    learner: HyperparameterSearch = LEARNER, few: int = FEW, recorder: Recorder | None = None,
) -> tuple[GP, list[dict]]:  # fmt: skip
    """Optimum of the approximate evidence for rows in their order, and the trace of the climbs over all rows.

    The objective jumps when neighbours change, so each climb keeps those of its start; the next begins where it ended.
    """
    first = partial(evaluate, near=earlier_neighbours(embedding(gp.kernel, X[:few]), k))
    budget = evaluations, optimiser, restarts, rng
    gp, _ = fit_hyperparameters(X[:few], y[:few], gp, *budget, evaluate=first, learner=learner)
    climb = None
    while climb is None or climb.evaluations < evaluations:
        E = embedding(gp.kernel, X)
        layout, near = Layout(gp), earlier_neighbours(E, k)

        def at(x, layout=layout, near=near):
            F, dtheta, dlog_noise = evaluate(layout.unpack(x)[0], X, y, near)
            return F, layout.gradient(dtheta, dlog_noise)

        left = evaluations - (climb.evaluations if climb else 0)
        bounds = layout.bounds(learner)
        found = learner.maximise(at, layout.pack(), left, optimiser, bounds, PRECISION, recorder=recorder)
        gp, climb = layout.unpack(found.x)[0], climb.then(found) if climb else found
        if not moved(E, embedding(gp.kernel, X)):
            break
    return gp, climb.trace


def moved(before, after) -> bool:
    """A common factor of all scales leaves every order of distances as it is; only their ratios count."""
    tiny = np.finfo(float).tiny
    change = np.log(np.maximum(after.std(0), tiny) / np.maximum(before.std(0), tiny))
    return bool(np.ptp(change) > MOVED)
