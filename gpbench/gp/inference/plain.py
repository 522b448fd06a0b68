"""Predictions that need no kernel: a constant, and those of a model with its variances scaled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .model import Prediction, Predictor


@dataclass(frozen=True)
class ConstantPosterior(Predictor):
    """The same Gaussian everywhere: mean and variance of the training targets."""

    mean: float
    var: float

    def predict(self, Xs) -> Prediction:
        n = len(Xs)
        return Prediction(np.full(n, self.mean), np.full(n, self.var), np.zeros(n))


@dataclass(frozen=True)
class ScaledPosterior(Predictor):
    """Another model with all its variances times a factor (gp/learning/calibration.py)."""

    of: Predictor
    factor: float

    def predict(self, Xs) -> Prediction:
        p = self.of(Xs)
        return Prediction(p.mean, self.factor * p.var, None if p.var_latent is None else self.factor * p.var_latent)
