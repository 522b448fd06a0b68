"""Sparse Gaussian process regression as an estimator."""

from __future__ import annotations

import numpy as np

from gpbench.errors import BadInput

from . import input_checks
from .base import Estimator
from .sklearn_compat import RegressorMixin


class SparseGPRegressor(RegressorMixin, Estimator):
    """Sparse Gaussian process regression with any method of gpbench; inputs and target are scaled inside."""

    __doc__ += "\n\n    " + Estimator.__doc__

    def fit(self, X, y=None, sample_weight=None, noise_variance=None):
        """A row's noise variance is the learned one over its weight, plus a known variance in squared units of y.

        A row of weight 0 is left out.
        """
        self._fit(X, lambda n: input_checks.targets(y, n), sample_weight, noise_variance)
        fitted, scaler = self.model_.fitted, self.model_.scaler
        self.noise_ = None if fitted.gp is None else float(fitted.gp.noise * scaler.factor**2)
        return self

    def predict(self, X, return_std=False):
        """Mean, and on request the standard deviation of a new target, or without noise: return_std="latent"."""
        if return_std not in (False, True, "latent"):
            raise BadInput(f'return_std: expected False, True or "latent", got {return_std!r}')
        p = self._predict(X)
        if return_std == "latent":
            if p.var_latent is None:
                raise BadInput(f"{self.method_} knows no variance without the noise; use return_std=True")
            return p.mean, np.sqrt(np.maximum(p.var_latent, 0.0))  # below zero by rounding only
        return (p.mean, np.sqrt(p.var)) if return_std else p.mean

    def predict_quantiles(self, X, q=(0.025, 0.5, 0.975)) -> np.ndarray:
        """Quantiles of a new target's predictive density   (t, len(q))."""
        if not all(0 < share < 1 for share in q):
            raise BadInput(f"q: expected numbers between 0 and 1, got {q!r}")
        model, X = self._ready(X)
        return np.column_stack([model.quantiles(X, share) for share in q])

    def log_density(self, X, y) -> np.ndarray:
        """Natural log of the predictive density, or probability for counts, of targets y   (t,)."""
        model, X = self._ready(X)
        return model.log_density(X, input_checks.targets(y, len(X)))
