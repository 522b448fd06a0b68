"""Hyperparameters of a full GP up a warm ladder of subsets: 500, 1000, 2000, ... rows, the last one all.

Most of the way is made where an evaluation costs a hundredth. On each rung every start is optimised until two
iterations together gain less than GAIN; a start that meets the best one is dropped, and so is, before the last rung,
whatever is lower. What few rows cannot tell they must not decide: an input that looks irrelevant to them gets a
length-scale so long that its gradient is lost, so length-scales come back to REACH above the highest start before the
next rung.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass
class KernelSearch:
    """The optimisations of one kernel, rung by rung, with rows in random order."""

    X: np.ndarray
    y: np.ndarray
    gp: GP
    points: list[np.ndarray]  # where the next rung begins
    options: OptimiserOptions = DEFAULT
    evaluate: Callable = exact.evaluate
    recorder: Recorder | None = None
    best: Optimum | None = None
    used: int = 0  # evaluations
    learned_on: list[int] = field(default_factory=list)  # rows of each rung
    trace: list[dict] = field(default_factory=list)
    cost: deadline.Cost = field(default_factory=deadline.Cost)

    def __post_init__(self):
        self.layout, self.ceiling = Layout(self.gp), _ceiling(self.gp, self.points)

    def fits(self, n: int) -> bool:
        """Whether a rung of n rows ends in time; the first one always begins."""
        return not self.learned_on or self.cost.fits(WORTHWHILE * float(n) ** 3)

    def rung(self, n: int, drop: bool) -> None:
        """Optimise from every point on the first n rows; with `drop` only the best goes on."""
        found: list[Optimum] = []
        bounds = self.layout.bounds(self.options.learner)

        def at(x):
            with self.cost.of(float(n) ** 3):
                F, dtheta, dlog_noise = self.evaluate(self.layout.unpack(x)[0], self.X[:n], self.y[:n])
            return F, self.layout.gradient(dtheta, dlog_noise)

        def search(x):
            leave = partial(_met, best=max(found, key=_value), ceiling=self.ceiling) if found else None
            found.append(self.options.maximise(at, x, bounds, gain=GAIN, leave=leave, recorder=self.recorder))
            return found[-1]

        best = self.best = best_of(self.points, search)
        self.used += best.spent
        self.learned_on.append(n)
        self.trace += [{"rows": n, **row} for o in found for row in o.trace]
        others = [o for o in found if o.x is not best.x and not _met(o.x, o.value, best, self.ceiling)]
        self.points = [np.minimum(o.x, self.ceiling) for o in (best, *(() if drop else others))]

    def found(self) -> tuple[GP, dict]:
        """The best hyperparameters so far, and how they were found."""
        best = self.best
        info = {
            "objective": best.value, "evaluations": self.used, "converged": best.converged, "message": best.message,
            "rungs": self.learned_on, "trace": self.trace,
        }  # fmt: skip
        return self.layout.unpack(best.x)[0], info


def fit_hyperparameters(
    X, y, gp: GP, options: OptimiserOptions = DEFAULT, rng=None, evaluate=exact.evaluate,
    recorder: Recorder | None = None,
) -> tuple[GP, dict]:  # fmt: skip
    """As `full_gp.fit_hyperparameters`, with rows in random order and the budget for each optimisation."""
    search = KernelSearch(X, y, gp, first_points(gp, X, options.restarts, rng), options, evaluate, recorder)
    for n in rungs(len(y)):
        if not search.fits(n):
            deadline.cut(f"hyperparameters were learned on {search.learned_on[-1]} of {len(y)} rows")
            break
        search.rung(n, drop=2 * n >= len(y))
    return search.found()


def first_points(gp: GP, X, restarts: int, rng) -> list[np.ndarray]:
    """The kernel's own starts, random ones, and a short one in few dimensions."""
    points = starting_points(gp, X, restarts, rng)
    return points + _short_start(gp, X, points)


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
