"""Sparse Gaussian process regression as an estimator."""

from __future__ import annotations

import numpy as np

from gpbench.errors import BadInput, NotApplicable
from gpbench.gp.linalg.cholesky import Cholesky

from . import input_checks, random_streams
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

    def predict(self, X, return_std=False, return_cov=False, quantiles=None):
        """Mean of a new target at each row; on request its standard deviation, covariances and quantiles.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.
        return_std : bool or "latent", default False
            True adds the standard deviation of a new target, "latent" that of the function without noise.
        return_cov : bool or "latent", default False
            The same for the covariances between all rows; vecchia and vif give those of their prediction errors.
        quantiles : sequence of float, optional
            Shares between 0 and 1, whose quantiles of a new target are added.

        Returns
        -------
        mean : array (t,)
            Predicted means; alone, where nothing else is asked for. What follows is there if it is asked for.
        std : array (t,)
            Standard deviations.
        cov : array (t, t)
            Covariances.
        quantiles : array (t, number of shares)
            Quantiles, one column for each share.
        """
        for name, given in (("return_std", return_std), ("return_cov", return_cov)):
            if given not in (False, True, "latent"):
                raise BadInput(f'{name}: expected False, True or "latent", got {given!r}')
        model, rows = self._ready(X)
        p = model.predict(rows)
        found = [p.mean]
        if return_std == "latent":
            if p.var_latent is None:
                raise BadInput(f"{self.method_} knows no variance without the noise; use return_std=True")
            found.append(np.sqrt(np.maximum(p.var_latent, 0.0)))  # below zero by rounding only
        elif return_std:
            found.append(np.sqrt(p.var))
        if return_cov:
            found.append(self._covariance(rows, return_cov == "latent"))
        if quantiles is not None:
            found.append(self._quantiles(rows, quantiles))
        return found[0] if len(found) == 1 else tuple(found)

    def _covariance(self, rows, latent: bool) -> np.ndarray:
        try:
            return self.model_.covariance(rows, latent)
        except NotApplicable as e:
            raise BadInput(f"return_cov: {self.method_}: {e}") from e

    def _quantiles(self, rows, q) -> np.ndarray:
        if not all(0 < share < 1 for share in q):
            raise BadInput(f"quantiles: expected numbers between 0 and 1, got {q!r}")
        return np.column_stack([self.model_.quantiles(rows, share) for share in q])

    def sample_y(self, X, n_samples=1, random_state=0, latent=False) -> np.ndarray:
        """Draw new targets from the predictive distribution, with the covariances between the rows.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.
        n_samples : int, default 1
            Number of draws.
        random_state : int or numpy generator, default 0
            A seed. None: other draws each time.
        latent : bool, default False
            True draws the function, without noise.

        Returns
        -------
        array (t, n_samples)
            One draw in each column.
        """
        if not (isinstance(n_samples, (int, np.integer)) and n_samples >= 1):
            raise BadInput(f"n_samples: expected a whole number from 1 on, got {n_samples!r}")
        model, rows = self._ready(X)
        mean, cov = model.predict(rows).mean, self._covariance(rows, latent)
        draws = random_streams.of_state(random_state).method().standard_normal((len(mean), n_samples))
        return mean[:, None] + Cholesky.of(cov).L @ draws

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
        return self._quantiles(self._ready(X)[1], q)

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
