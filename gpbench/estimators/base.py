"""What both estimators share: parameters, the fit, its attributes, saving."""

from __future__ import annotations

import numpy as np

from gpbench.errors import BadParameter
from gpbench.methods.base import RowNoise

from . import csv_models, fit, input_checks, parameters, random_streams
from .sklearn_compat import BaseEstimator, NotFittedError, checked_width


class Estimator(BaseEstimator):
    """Parameters
    ----------
    method : str, default "auto"
        Name of a method (`gpbench list methods`); "auto": the recommended one for the number of rows.
    n_basis : int or str, default "auto"
        A number, or "auto": the method's own stop rule, else a size by the number of rows.
    kernel : str, mapping, Kernel or callable, default "auto"
        A name, a mapping as in a config, a Kernel, or a function k(A, B) that gives covariances.
    learn : str or mapping, default "auto"
        "auto", "fixed" (values of a full GP on some rows), "joint", "interleaved", or a mapping as in a config.
    max_seconds : float or str, optional
        Time after which learning and selection keep what they have: seconds, or a text such as "10m".
    random_state : int or Streams, optional
        A seed; or `gpbench.streams(trial)`, with which the fit repeats a trial of the runner.
    options : mapping, optional
        Further parameters of the method (`gpbench describe vfe`).
    likelihood : str, optional
        None (normal noise, or two classes by a probit), or a name (`gpbench list likelihoods`): "poisson" and
        "negative-binomial" for counts, "student-t" for targets with outliers.
    """

    _task = "regression"

    def __init__(
        self, method="auto", n_basis="auto", kernel="auto", learn="auto", max_seconds=None, random_state=None,
        options=None, likelihood=None,
    ):  # fmt: skip
        self.method, self.n_basis, self.kernel, self.learn = method, n_basis, kernel, learn
        self.max_seconds, self.random_state, self.options = max_seconds, random_state, options
        self.likelihood = likelihood

    def _fit(self, X, targets, sample_weight=None, noise_variance=None) -> None:
        """`targets` gives them for a number of rows, which they are checked against; a row of weight 0 is left out."""
        vars(self).pop("columns_", None)  # of a csv that an earlier fit was to
        X = self._inputs(X, parameters.takes_objects(self.kernel), reset=True)
        y = targets(len(X))
        weight, variance = input_checks.of_rows(sample_weight, noise_variance, len(X))
        if weight is not None and not weight.all():
            X, y, variance = X[weight > 0], y[weight > 0], None if variance is None else variance[weight > 0]
            weight = weight[weight > 0]
        rows = RowNoise.of(len(y), weight, variance)
        cls, usual = parameters.method_class(self.method, self._task, self.likelihood)
        choice = parameters.kernel(self.kernel, cls)
        method, notes = parameters.method(cls, self._task, self.n_basis, self.options, usual, len(X))
        h = parameters.hyperparameters(self.learn, self._task, self.likelihood)
        parameters.check_values(h, choice, cls.task)
        if rows is not None and not method.row_noise:
            raise BadParameter(f"method: {method.name} takes no sample_weight or noise_variance; take vfe or fitc")
        state = random_streams.of_state(self.random_state)
        model, more = fit.fit(
            X, y, self._task, method, choice, h, state, parameters.max_seconds(self.max_seconds), rows
        )
        self._keep(model, X, method, [*notes, *more], choice.objects)

    def _keep(self, model: fit.Model, X, method, notes: list[str], objects: bool) -> None:
        fitted = model.fitted
        self.model_, self.method_, self.objects_ = model, fitted.method or method.name, objects
        self.n_basis_, self.basis_ = fitted.n_basis, model.basis(X)
        self.kernel_ = None if fitted.gp is None else fitted.gp.kernel
        self.log_evidence_, self.path_, self.notes_ = fitted.log_evidence, _path(fitted.trace), tuple(notes)

    def _inputs(self, X, objects: bool, reset: bool) -> np.ndarray:
        if objects:
            found = input_checks.objects(X)
            if reset:
                self.n_features_in_ = 1 if found.ndim == 1 else found.shape[1]
            return found
        found = input_checks.vectors(X)
        checked_width(self, X if hasattr(X, "columns") else found, reset)
        return found

    def _predict(self, X):
        model, X = self._ready(X)
        return model.predict(X)

    def _ready(self, X) -> tuple[fit.Model, np.ndarray]:
        """The fitted model and the inputs as it takes them."""
        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(X, y) first")
        if hasattr(X, "columns") and hasattr(self, "columns_"):  # fitted to a csv, whose columns it knows by name
            X = csv_models.frame_inputs(self.columns_, X)
        return self.model_, self._inputs(X, self.objects_, reset=False)

    def save(self, path) -> None:
        """Save the fitted model as plain arrays; `gpbench.load` reads it.

        Parameters
        ----------
        path : path-like
            The file, with the suffix .npz.
        """
        from .model_file import save

        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: there is nothing to save")
        save(self, path)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _path(trace: list[dict]) -> dict[str, np.ndarray] | None:
    """Measure against size, of the last round where there were several; None where a method keeps no such path."""
    for measure in ("measure", "held_out_nlpd", "gap", "trace"):
        if rows := [row for row in trace if "size" in row and measure in row]:
            last = [row for row in rows if row.get("round") == rows[-1].get("round")]
            return {key: np.array([row[name] for row in last]) for key, name in (("size", "size"), (measure, measure))}
    return None
