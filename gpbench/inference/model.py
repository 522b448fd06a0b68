"""The two records every inference routine speaks in: a GP prior with noise, and a prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.kernels.base import Kernel


@dataclass(frozen=True)
class GP:
    """Prior and noise: hyperparameters to keep (`schedule: fixed`) or to start from."""

    kernel: Kernel
    noise: float  # variance

    def values(self) -> dict:
        return {**self.kernel.values(), "noise": float(self.noise)}


@dataclass(frozen=True)
class Prediction:
    mean: np.ndarray  # (t,)
    var: np.ndarray  # (t,) of the noisy target
    var_latent: np.ndarray | None = None  # (t,) of the function itself, where the method reports it
    prob: np.ndarray | None = None  # (t,) P(y = +1); classification only
    log_prob: np.ndarray | None = None  # (t, 2) log P(y = -1) and log P(y = +1), where 1 - prob would lose the first
