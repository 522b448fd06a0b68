"""Hyperparameters of a full GP up a warm ladder of subsets: 500, 1000, 2000, ... rows, the last one all.

Most of the way is made where an evaluation costs a hundredth. On each rung every start is optimised until two
iterations together gain less than GAIN; a start that meets the best one is dropped, and so is, before the last rung,
whatever is lower. What few rows cannot tell they must not decide: an input that looks irrelevant to them gets a
length-scale so long that its gradient is lost, so length-scales come back to REACH above the highest start before the
next rung.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from gpbench.gp.inference import exact
from gpbench.gp.inference.model import GP
from gpbench.recorder import Recorder
from gpbench.system import deadline

from .full_gp import starting_points
from .learner import DEFAULT, OptimiserOptions
from .optimise import Optimum, best_of
from .parameters import Layout

FIRST = 500  # rows of the lowest rung; fewer lead astray, and save nothing
GAIN = 0.05  # nats
REACH = 0.5  # nats
WORTHWHILE = 6  # evaluations that have to fit into the time left: fewer on more rows teach less than they cost
NEAR = 0.3  # nats, in every parameter: two optimisations have met
SHORTEST = 0.05  # deviations of an input: the shortest start
CLOSE = 1.0  # nats of the objective, for the same


def rungs(n: int) -> list[int]:
    """500, 1000, ... as long as the next doubling is within the rows, then all of them."""
    below, size = [], FIRST
    while 2 * size <= n:
        below.append(size)
        size *= 2
    return [*below, n]


def fit_hyperparameters(
    X, y, gp: GP, options: OptimiserOptions = DEFAULT, rng=None, evaluate=exact.evaluate,
    recorder: Recorder | None = None,
) -> tuple[GP, dict]:  # fmt: skip
    """As `full_gp.fit_hyperparameters`, with rows in random order and the budget for each optimisation."""
    layout, bounds = Layout(gp), Layout(gp).bounds(options.learner)
    points = starting_points(gp, X, options.restarts, rng)
    points += _short_start(gp, X, points)
    ceiling, sizes, trace, used = _ceiling(gp, points), rungs(len(y)), [], 0
    cost, learned_on = deadline.Cost(), []
    for n in sizes:
        if learned_on and not cost.fits(WORTHWHILE * float(n) ** 3):
            deadline.cut(f"hyperparameters were learned on {learned_on[-1]} of {len(y)} rows")
            break

        def at(x, n=n):
            with cost.of(float(n) ** 3):
                F, dtheta, dlog_noise = evaluate(layout.unpack(x)[0], X[:n], y[:n])
            return F, layout.gradient(dtheta, dlog_noise)

        found: list[Optimum] = []

        def search(x, at=at, found=found):
            leave = partial(_met, best=max(found, key=_value), ceiling=ceiling) if found else None
            found.append(options.maximise(at, x, bounds, gain=GAIN, leave=leave, recorder=recorder))
            return found[-1]

        best = best_of(points, search)
        used += best.spent
        learned_on.append(n)
        trace += [{"rows": n, **row} for o in found for row in o.trace]
        others = [o for o in found if o.x is not best.x and not _met(o.x, o.value, best, ceiling)]
        points = [np.minimum(o.x, ceiling) for o in (best, *(others if 2 * n < len(y) else ()))]
    info = {
        "objective": best.value, "evaluations": used, "converged": best.converged, "message": best.message,
        "rungs": learned_on, "trace": trace,
    }  # fmt: skip
    return layout.unpack(best.x)[0], info


def _value(found: Optimum) -> float:
    return found.value


def _short_start(gp: GP, X, points) -> list[np.ndarray]:
    """In few dimensions also a few spacings of the rows: maps have detail that a start at a deviation misses."""
    scales = _lengthscales(gp)
    if X.ndim != 2 or not scales.any():
        return []
    spacing = max(4.0 * len(X) ** (-1.0 / X.shape[1]), SHORTEST)  # of deviations of the inputs
    if spacing > 0.5:
        return []
    shortest = np.min(points, axis=0)
    return [np.where(scales, shortest + np.log(spacing), points[0])]


def _lengthscales(gp: GP) -> np.ndarray:
    return np.array([name.startswith("lengthscale") for name in (*gp.kernel.names, "noise")])


def _ceiling(gp: GP, points) -> np.ndarray:
    """Largest length-scales at the start of the next rung; longer ones only mean that an input is irrelevant."""
    return np.where(_lengthscales(gp), np.max(points, axis=0) + REACH, np.inf)


def _met(x, F: float, best: Optimum, ceiling) -> bool:
    apart = np.abs(np.minimum(x, ceiling) - np.minimum(best.x, ceiling)).max()
    return bool(abs(best.value - F) < CLOSE and apart < NEAR)
