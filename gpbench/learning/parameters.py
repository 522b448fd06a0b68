"""The optimiser's vector and back: log hyperparameters, log noise and, where they are learned, inducing inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.inference.model import GP

from .learner import LEARNER, WIDTH, Bounds, Learner


@dataclass(frozen=True)
class Layout:
    """Which parts of (kernel, noise, Z) are free, and how they lie in one vector."""

    gp: GP  # where to start; what is not free stays as it is here
    Z: np.ndarray | None = None  # (m, D)
    free_gp: bool = True
    free_inputs: bool = False

    def pack(self) -> np.ndarray:
        parts = []
        if self.free_gp:
            parts += [self.gp.kernel.theta, [np.log(self.gp.noise)]]
        if self.free_inputs:
            parts.append(self.Z.ravel())
        return np.concatenate(parts) if parts else np.zeros(0)

    def unpack(self, x) -> tuple[GP, np.ndarray | None]:
        p = len(self.gp.kernel.theta)
        gp, used = self.gp, 0
        if self.free_gp:
            gp, used = GP(self.gp.kernel.with_theta(x[:p]), float(np.exp(x[p]))), p + 1
        Z = x[used:].reshape(self.Z.shape) if self.free_inputs else self.Z
        return gp, Z

    def gradient(self, dtheta, dlog_noise, dZ=None) -> np.ndarray:
        parts = []
        if self.free_gp:
            parts += [dtheta, [dlog_noise]]
        if self.free_inputs:
            parts.append(dZ.ravel())
        return np.concatenate(parts) if parts else np.zeros(0)

    def bounds(self, learner: Learner = LEARNER, width: float = WIDTH) -> Bounds:
        """Those of the learner for the hyperparameters; inputs are free."""
        names = (*self.gp.kernel.names, "noise") if self.free_gp else ()
        x = self.pack()
        return [*learner.bounds(names, x[: len(names)], width), *[(None, None)] * (len(x) - len(names))]
