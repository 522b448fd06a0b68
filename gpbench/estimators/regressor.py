"""Sparse Gaussian process regression as an estimator."""

from __future__ import annotations

import numpy as np

from gpbench.errors import BadInput

from . import input_checks
from .base import Estimator
from .sklearn_compat import RegressorMixin

EXAMPLES = """Examples
    --------
    >>> import numpy as np
    >>> from gpbench import SparseGPRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = SparseGPRegressor("vfe", n_basis=15, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.0]], return_std=True)
    >>> print(f"{mean[0]:.2f}")
    0.84
    """


class SparseGPRegressor(RegressorMixin, Estimator):
    """Sparse Gaussian process regression with any method of gpbench; inputs and target are scaled inside."""

    __doc__ += "\n\n    " + Estimator.__doc__ + "\n    " + EXAMPLES

    def fit(self, X, y=None, sample_weight=None, noise_variance=None):
        """Fit the model.

        The noise variance of a row is the learned one divided by its weight, plus the known variance.

        Parameters
        ----------
        X : array (n, D), table or sparse matrix
            Inputs.
        y : array (n,)
            Targets.
        sample_weight : array (n,), optional
            Weights of the rows; a row of weight 0 is left out.
        noise_variance : array (n,), optional
            Known noise variances of the rows, in squared units of y.

        Returns
        -------
        SparseGPRegressor
            The estimator itself.
        """
        self._fit(X, lambda n: input_checks.targets(y, n), sample_weight, noise_variance)
        fitted, scaler = self.model_.fitted, self.model_.scaler
        self.noise_ = None if fitted.gp is None else float(fitted.gp.noise * scaler.factor**2)
        return self

    def predict(self, X, return_std=False):
        """Mean of a new target at each row, and on request its standard deviation.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.
        return_std : bool or "latent", default False
            True adds the standard deviation of a new target, "latent" that of the function without noise.

        Returns
        -------
        mean : array (t,)
            Predicted means.
        std : array (t,)
            Standard deviations, if they are asked for.
        """
        if return_std not in (False, True, "latent"):
            raise BadInput(f'return_std: expected False, True or "latent", got {return_std!r}')
        p = self._predict(X)
        if return_std == "latent":
            if p.var_latent is None:
                raise BadInput(f"{self.method_} knows no variance without the noise; use return_std=True")
            return p.mean, np.sqrt(np.maximum(p.var_latent, 0.0))  # below zero by rounding only
        return (p.mean, np.sqrt(p.var)) if return_std else p.mean

    def predict_quantiles(self, X, q=(0.025, 0.5, 0.975)) -> np.ndarray:
        """Quantiles of the predictive density of a new target.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.
        q : sequence of float, default (0.025, 0.5, 0.975)
            Shares between 0 and 1.

        Returns
        -------
        array (t, len(q))
            One column for each share.
        """
        if not all(0 < share < 1 for share in q):
            raise BadInput(f"q: expected numbers between 0 and 1, got {q!r}")
        model, X = self._ready(X)
        return np.column_stack([model.quantiles(X, share) for share in q])

    def log_density(self, X, y) -> np.ndarray:
        """Natural logarithm of the predictive density of targets; for counts, of their probability.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.
        y : array (t,)
            Targets.

        Returns
        -------
        array (t,)
            One number for each row.
        """
        model, X = self._ready(X)
        return model.log_density(X, input_checks.targets(y, len(X)))
