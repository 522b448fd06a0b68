"""How hyperparameters are optimised, by version; the config's `hyperparameters: {learner: 1|2|3|4|5}`.

Version 1 keeps every log within 12 nats of its start. L-BFGS-B takes a first step of the gradient's full length where
all variables are bounded on both sides (it scales that step down only where one is free), so it began with a jump into
a corner of the box, often the one where everything is noise, and stayed there.
Version 2 scales the objective so that the first step is one nat long, and its bounds are numbers on the scaled data.
Version 3 takes the full GP that trials share up a ladder of subsets (ladder.py); all else is as in version 2.
Version 4 moves inducing inputs in units of the start's length-scales (parameters.input_units); all else is as in 3.
Version 5 optimises free inducing inputs by an L-BFGS over a diagonal (lbfgs.py); all else is as in 4.
Conjugate gradients never had the fault: trials that use them alone keep version 1, whatever the config says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .optimise import Optimum, maximise

CURRENT = 5
WIDTH = 12.0  # nats around the start: version 1, and parameters without limits of their own
FIRST_STEP = 1.0  # nats, Euclidean length over all variables
MARGIN = 3.0  # nats beyond a start that is near a limit, or outside as on unscaled data
LIMITS = {"lengthscale": (1e-3, 1e4), "variance": (1e-5, 1e5), "bias": (1e-5, 1e5), "noise": (1e-6, 10.0)}

Bounds = list[tuple[float | None, float | None]]


@dataclass(frozen=True)
class HyperparameterSearch:
    version: int = CURRENT
    limits: Mapping[str, Sequence[float]] | None = None  # natural values that a config gives, by name

    def bounds(self, names: Sequence[str], start: np.ndarray, width: float = WIDTH) -> Bounds:
        """Bounds of log parameters with these names, for optimisations from `start` and from their results."""
        return [self._interval(name.split("[")[0], x, width) for name, x in zip(names, start)]

    def _interval(self, name: str, x: float, width: float) -> tuple[float | None, float | None]:
        if (given := self._given(name)) is not None:
            return given
        usual = LIMITS.get(name.split(".")[0])
        if not np.isfinite(x):
            return None, None
        if self.version == 1 or usual is None:
            return x - width, x + width
        low, high = np.log(usual)
        return max(min(low, x - MARGIN), x - width), min(max(high, x + MARGIN), x + width)

    def _given(self, name: str) -> tuple[float, float] | None:
        """A name with its number among several kernels comes before the plain one."""
        limits = self.limits or {}
        found = limits.get(name, limits.get(name.split(".")[0]))
        return None if found is None else (float(np.log(found[0])), float(np.log(found[1])))

    def maximise(
        self, objective: Callable, x0, evaluations: int, optimiser: str, bounds: Bounds, tolerance: float = 1e-7,
        **more,
    ) -> Optimum:  # fmt: skip
        """`more` are `gain`, `leave`, `recorder` and `diagonal` of `optimise.maximise`."""
        first_step = FIRST_STEP if self.version > 1 and optimiser == "lbfgs" else None
        return maximise(objective, x0, evaluations, optimiser, bounds, tolerance, first_step, **more)


LEARNER = HyperparameterSearch()  # what code that asks for nothing else gets


@dataclass(frozen=True)
class OptimiserOptions:
    """How hyperparameters are learned: budget, optimiser, number of starts, and version with limits."""

    evaluations: int = 200
    optimiser: str = "lbfgs"  # or cg
    restarts: int = 1
    learner: HyperparameterSearch = LEARNER

    def maximise(self, objective: Callable, x0, bounds: Bounds, tolerance: float = 1e-7, **more) -> Optimum:
        """The optimum from x0 within the budget; `more` as in `HyperparameterSearch.maximise`."""
        return self.learner.maximise(objective, x0, self.evaluations, self.optimiser, bounds, tolerance, **more)

    def within(self, evaluations: int) -> OptimiserOptions:
        """The same with another budget."""
        return replace(self, evaluations=evaluations)


DEFAULT = OptimiserOptions()
