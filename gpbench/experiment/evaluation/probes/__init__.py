"""Measurements that only a figure or a claim needs. The runner makes them; methods do not contain them.

A method names its probes (`Method.probes`); a probe is a file of this folder with one or more of

    along(method, **seen)   numbers for the row of the trace that is being written, from the objects shown with it
    before(sight)           rows in front of the trace  } asked when the clock of the fit has stopped
    after(sight)            numbers for its last row    }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from gpbench.methods.base import Fitted, Method, Problem
from gpbench.recorder import Recorder

from ..timing import wall


@dataclass(frozen=True)
class FinishedFit:
    """A fit that has ended, with its method and problem."""

    method: Method
    problem: Problem
    fitted: Fitted
    rng: np.random.Generator  # of the method, in its state after the fit

    @property
    def Z(self) -> np.ndarray:
        """Inputs of the basis, scaled."""
        return self.problem.X[self.fitted.pivots] if self.fitted.inducing is None else self.fitted.inducing


def recorder_for(method: Method) -> partial[Recorder]:
    """Makes recorders with the runner's clock and with the probes that run during the fit."""
    return partial(Recorder, wall, partial(_along, method))


def _along(method: Method, seen: Mapping[str, Any]) -> dict[str, float]:
    return {k: v for look in _asked(method, "along") for k, v in look(method, **seen).items()}


def after(sight: FinishedFit) -> dict[str, Any]:
    """Numbers, and lists of numbers (curves), for the last row of the trace."""
    return {k: v for look in _asked(sight.method, "after") for k, v in look(sight).items()}


def before(sight: FinishedFit) -> list[dict[str, float]]:
    return [row for look in _asked(sight.method, "before") for row in look(sight)]


def _asked(method: Method, what: str) -> list:
    probes = (import_module(f"{__name__}.{name}") for name in method.probes)
    return [getattr(probe, what) for probe in probes if hasattr(probe, what)]
