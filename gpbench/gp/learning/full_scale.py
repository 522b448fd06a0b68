"""Hyperparameters of Vecchia's approximation of the residual of inducing inputs: first from few rows, then from all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpbench.gp.inference import vecchia, vif
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.row_noise import RowNoise
from gpbench.gp.linalg.neighbours import earlier_neighbours
from gpbench.recorder import Recorder

from . import ladder
from .learner import OptimiserOptions
from .neighbours import FEW, MOVED, PRECISION
from .optimise import Optimum
from .parameters import Layout, input_units

GAIN = 1e-4  # nats per row: two iterations that gain less end an optimisation
OPTIMISATIONS = 4  # each with neighbours of its own
SOME = 5000  # rows on which most of the way is made where there are twice as many


def first_values(
    X, y, gp: GP, k: int, options: OptimiserOptions, rng=None, recorder: Recorder | None = None,
    noise: RowNoise | None = None,
) -> GP:  # fmt: skip
    """Optimum of Vecchia's approximation up a ladder of subsets to the first FEW rows, from all its starts."""
    E = vecchia.embedding(gp.kernel, X[:FEW])
    known = {n: earlier_neighbours(E[:n], min(k, n - 1)) for n in ladder.rungs(len(E))}

    def evaluate(gp, X, y):
        return vecchia.evaluate(gp, X, y, known[len(y)], noise)

    return ladder.fit_hyperparameters(X[:FEW], y[:FEW], gp, options, rng, evaluate, recorder)[0]


def optimise_vif(
    X, y, gp: GP, Z, k: int, options: OptimiserOptions, inputs: bool = False, recorder: Recorder | None = None,
    noise: RowNoise | None = None,
) -> tuple[GP, np.ndarray, list[dict]]:  # fmt: skip
    """Optimum of the approximate evidence of rows in their order, its inducing inputs, and the trace.

    Where there are many rows, most of the way is made on the first SOME.
    """
    trace: list[dict] = []
    for n in (SOME, len(y)) if 2 * SOME <= len(y) else (len(y),):
        left = options.within(options.evaluations - len(trace))
        if left.evaluations > 0:
            gp, Z, rows = _optimise_in_turns(X[:n], y[:n], gp, Z, min(k, n - 1), left, inputs, recorder, noise)
            trace += [{"rows": n, **row} for row in rows]
    return gp, Z, trace


def _optimise_in_turns(X, y, gp: GP, Z, k: int, options: OptimiserOptions, inputs: bool, recorder, noise=None):
    """The objective jumps when neighbours change, so each optimisation keeps those of its start."""
    found: Optimum | None = None
    for _ in range(OPTIMISATIONS):
        E = vecchia.embedding(gp.kernel, X)
        layout = Layout(gp, Z, free_inputs=inputs, units=input_units(gp, Z) if inputs else 1.0)
        left = options.within(options.evaluations - (found.evaluations if found else 0))
        diagonal = layout.steps() if inputs and options.optimiser == "lbfgs" else None
        more = {"gain": GAIN * len(y), "recorder": recorder, "diagonal": diagonal}
        at = _objective(layout, X, y, near_of(gp, Z, X, k), inputs, noise)
        latest = left.maximise(at, layout.pack(), layout.bounds(options.learner), PRECISION, **more)
        gp, Z = layout.unpack(latest.x)
        found = found.then(latest) if found else latest
        if found.evaluations >= options.evaluations or not _moved(E, vecchia.embedding(gp.kernel, X)):
            break
    return gp, Z, found.trace


def near_of(gp: GP, Z, X, k: int) -> np.ndarray:
    """The earlier rows of the largest residual correlation."""
    columns = vif.InducingColumns.of(gp, Z)
    return vif.neighbours(columns, X, columns.transposed(X), k)


def _objective(layout: Layout, X, y, near, inputs: bool, noise: RowNoise | None) -> Callable:
    def at(x):
        gp, Z = layout.unpack(x)
        found = vif.evaluate(vif.build(gp, Z, X, y, near, noise=noise), inputs=inputs)
        return found.F, layout.gradient(found.dtheta, gp.noise * found.dnoise, found.dZ)

    return at


def _moved(before, after) -> bool:
    """Unlike those of a stationary kernel, residual correlations also change with a common factor of all scales."""
    tiny = np.finfo(float).tiny
    change = np.log(np.maximum(after.std(0), tiny) / np.maximum(before.std(0), tiny))
    return bool(np.abs(change).max() > MOVED)
