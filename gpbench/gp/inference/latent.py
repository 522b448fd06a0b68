"""A Gaussian posterior of the latent function with a likelihood, as a model of the targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.gp.likelihoods.base import Fixed

from .ep import SitePosterior
from .model import Prediction, Predictor


@dataclass(frozen=True)
class LikelihoodPosterior(Predictor):
    """Mean and variance of the target by quadrature; its density and quantiles on request."""

    posterior: SitePosterior
    at: Fixed

    def predict(self, Xs) -> Prediction:
        m, v = self.posterior.predict(Xs)
        mean, var = self.at.likelihood.moments(m, v, self.at.values)
        return Prediction(mean, var, v if self.at.likelihood.targets == "numbers" else None)

    def log_density(self, Xs, y) -> np.ndarray:
        """log p(y | the rows of the fit) for new targets y   (t,)."""
        return self.at.likelihood.log_predictive(
            np.asarray(y, dtype=float), *self.posterior.predict(Xs), self.at.values
        )

    def below(self, Xs, y) -> tuple[np.ndarray, np.ndarray]:
        """P(target < y) and P(target <= y)   (t,), (t,)."""
        return self.at.below(np.asarray(y, dtype=float), *self.posterior.predict(Xs))

    def quantiles(self, Xs, q: float) -> np.ndarray:
        return self.at.likelihood.quantiles(*self.posterior.predict(Xs), self.at.values, q)
