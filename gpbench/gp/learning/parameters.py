"""The optimiser's vector and back: log hyperparameters, log noise and, where they are learned, inducing inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.base import Kernel

from .learner import LEARNER, WIDTH, Bounds, HyperparameterSearch

SHARED = 10  # an inducing input is one of m, but those near it feel it, too; 3 and 30 need a tenth longer


@dataclass(frozen=True)
class Layout:
    """Which parts of (kernel, noise, Z) are free, and how they lie in one vector."""

    gp: GP  # where to start; what is not free stays as it is here
    Z: np.ndarray | None = None  # (m, D)
    free_gp: bool = True
    free_inputs: bool = False
    free_noise: bool = True  # with the kernel, where that is free; a classifier has none to learn
    units: np.ndarray | float = 1.0  # (D,) of the inputs in the vector (`input_units`)

    @property
    def kernel(self) -> Kernel:
        return self.gp.kernel

    def pack(self) -> np.ndarray:
        return self._join(self.kernel.theta, np.log(self.gp.noise), self.Z / self.units if self.free_inputs else None)

    def unpack(self, x) -> tuple[GP, np.ndarray | None]:
        gp, used = self.gp, 0
        if self.free_gp:
            used = len(self._names)
            noise = float(np.exp(x[used - 1])) if self.free_noise else gp.noise
            gp = GP(gp.kernel.with_theta(x[: len(gp.kernel.theta)]), noise)
        Z = x[used:].reshape(self.Z.shape) * self.units if self.free_inputs else self.Z
        return gp, Z

    def moved(self, x) -> Layout:
        """The same parts at another point."""
        gp, Z = self.unpack(x)
        return replace(self, gp=gp, Z=Z)

    def gradient(self, dtheta, dlog_noise=0.0, dZ=None) -> np.ndarray:
        return self._join(dtheta, dlog_noise, dZ * self.units if self.free_inputs else None)

    def bounds(self, learner: HyperparameterSearch = LEARNER, width: float = WIDTH) -> Bounds:
        """Bounds of the search for each hyperparameter; inducing inputs have none."""
        names, x = self._names, self.pack()
        return [*learner.bounds(names, x[: len(names)], width), *[(None, None)] * (len(x) - len(names))]

    def steps(self) -> np.ndarray:
        """How far each variable may go for the same slope: hyperparameters curve by all rows, an input by n / m."""
        return self._join(np.ones(len(self.kernel.theta)), 1.0, np.full(self.Z.shape, max(1.0, len(self.Z) / SHARED)))

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the free hyperparameters."""
        if not self.free_gp:
            return ()
        return (*self.kernel.names, "noise") if self.free_noise else self.kernel.names

    def _join(self, theta, log_noise, Z) -> np.ndarray:
        """What belongs to the free parts, as one vector."""
        parts = [np.zeros(0)]
        if self.free_gp:
            parts += [theta, [log_noise]] if self.free_noise else [theta]
        if self.free_inputs:
            parts.append(Z.ravel())
        return np.concatenate(parts)


def input_units(gp: GP, Z) -> np.ndarray:
    """(D,) steps of inducing inputs that weigh like a nat of a hyperparameter: the start's length-scales.

    Each between the spread s of the inputs and a neutral length-scale, s sqrt(D): shorter ones vary too much from start
    to end, longer ones say that an input hardly matters, not that it should move far.
    """
    spread, known = Z.std(0), dict(zip(gp.kernel.names, np.exp(gp.kernel.theta)))
    lengths = [known.get(f"lengthscale[{d}]", known.get("lengthscale", 0.0)) for d in range(Z.shape[1])]
    units = np.clip(lengths, spread, np.sqrt(Z.shape[1]) * spread)
    return np.where(units > 0, units, 1.0)
