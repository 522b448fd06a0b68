"""Posterior mode of the hyperparameters of an EP classifier: log Z_EP + log prior, sites warm-started on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpbench.errors import NotPositiveDefinite
from gpbench.inference import ep
from gpbench.kernels.base import Kernel
from gpbench.recorder import Recorder

from .learner import LEARNER, Bounds, Learner
from .optimise import Optimum, best_of

PRECISION = 1e-3  # of the optimiser: the objective itself is only known to the sites' loose tolerance


@dataclass(frozen=True)
class Start:
    """A point of the search: a kernel and, for FIC, inducing inputs, which are learned too when `free_inputs`."""

    kernel: Kernel
    Z: np.ndarray | None = None  # (m, D)
    free_inputs: bool = False

    def pack(self) -> np.ndarray:
        return self.with_inputs(self.kernel.theta, self.Z)

    def with_inputs(self, dtheta, dZ) -> np.ndarray:
        """One vector of what belongs to the parameters and, where they are free, to the inputs."""
        return np.r_[dtheta, dZ.ravel()] if self.free_inputs else dtheta

    def unpack(self, x) -> Start:
        p = len(self.kernel.theta)
        Z = x[p:].reshape(self.Z.shape) if self.free_inputs else self.Z
        return Start(self.kernel.with_theta(x[:p]), Z, self.free_inputs)

    def bounds(self, learner: Learner) -> Bounds:
        free = [(None, None)] * self.Z.size if self.free_inputs else []
        return learner.bounds(self.kernel.names, self.kernel.theta) + free


def find_mode(
    posterior: Callable[[Start], ep.SitePosterior], y, likelihood, prior, starts: list[Start], evaluations: int = 200,
    optimiser: str = "lbfgs", tolerance: float = 1e-3, max_sweeps: int = 100, learner: Learner = LEARNER,
    recorder: Recorder | None = None,
) -> tuple[Start, Optimum]:  # fmt: skip
    """The best mode over the starts; `posterior` builds the EP posterior of a point (its kernel and Z)."""
    climbs = []

    def climb(start: Start) -> Optimum:
        warm: list[ep.Sites] = []

        def run(at: Start) -> ep.EPResult:
            if warm:
                try:
                    return ep.run(posterior(at), y, likelihood, warm[-1], tolerance, max_sweeps)
                except NotPositiveDefinite:
                    warm.clear()  # sites of a distant theta may be no start for this one
            return ep.run(posterior(at), y, likelihood, None, tolerance, max_sweeps)

        def objective(x):
            at = start.unpack(x)
            found = run(at)
            warm[:] = [found.sites]
            log_prior, dprior = prior(at.kernel)
            dtheta, dZ = found.posterior.gradient()
            return found.log_Z + log_prior, at.with_inputs(dtheta + dprior, dZ)

        bounds = start.bounds(learner)
        found = learner.maximise(objective, start.pack(), evaluations, optimiser, bounds, PRECISION, recorder=recorder)
        climbs.append((found, start.unpack(found.x)))
        return found

    best = best_of(starts, climb)
    return next(at for found, at in climbs if found.x is best.x), best
