"""What both estimators share: parameters, the fit, its attributes, saving."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from gpbench.data.dataset import Kind
from gpbench.errors import BadInput, BadParameter, NotApplicable
from gpbench.html import notebook
from gpbench.methods.base import RowNoise
from gpbench.system import progress

from . import csv_models, fit, input_checks, parameters, random_streams
from .sklearn_compat import BaseEstimator, NotFittedError, checked_width

if TYPE_CHECKING:
    from .quality.quality import Examined, Quality


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
    verbose : bool, default False
        Show a progress bar on stderr when a fit takes longer than two seconds.
    """

    _task = "regression"

    def __init__(
        self, method="auto", n_basis="auto", kernel="auto", learn="auto", max_seconds=None, random_state=None,
        options=None, likelihood=None, verbose=False,
    ):  # fmt: skip
        self.method, self.n_basis, self.kernel, self.learn = method, n_basis, kernel, learn
        self.max_seconds, self.random_state, self.options = max_seconds, random_state, options
        self.likelihood, self.verbose = likelihood, verbose

    def _fit(self, X, targets, sample_weight=None, noise_variance=None) -> None:
        """`targets` gives them for a number of rows, which they are checked against; a row of weight 0 is left out."""
        for name in ("columns_", "quality_", "_examined"):  # of an earlier fit
            vars(self).pop(name, None)
        told: list[str] = []
        reading = vars(self).pop("_reading", None)  # of the csv that this fit is to
        objects = parameters.takes_objects(self.kernel)
        if not objects and csv_models.needs_rules(X):
            checked_width(self, X, reset=True)
            X, self.columns_, told = csv_models.fit_frame(X)
        else:
            X = self._inputs(X, objects, reset=True)
        y = targets(len(X))
        weight, variance = input_checks.of_rows(sample_weight, noise_variance, len(X))
        if weight is not None and not weight.all():
            X, y, variance = X[weight > 0], y[weight > 0], None if variance is None else variance[weight > 0]
            weight = weight[weight > 0]
        rows = RowNoise.of(len(y), weight, variance)
        kind = Kind(self._task, len(getattr(self, "classes_", ())) or 2)
        cls, usual = parameters.method_class(self.method, kind, self.likelihood)
        choice = parameters.placed(parameters.kernel(self.kernel, cls), self._places(reading), X.shape[-1])
        method, notes = parameters.method(cls, self._task, self.n_basis, self.options, usual, len(X))
        h = parameters.hyperparameters(self.learn, self._task, self.likelihood)
        parameters.check_values(h, choice, cls.task)
        if rows is not None and not method.row_noise:
            raise BadParameter(f"method: {method.name} takes no sample_weight or noise_variance; take vfe or fitc")
        state = random_streams.of_state(self.random_state)
        limit = parameters.max_seconds(self.max_seconds)
        with progress.shown(limit, always=True) if self.verbose else nullcontext():
            model, self._training, more = fit.fit(X, y, kind, method, choice, h, state, limit, rows)
        self._keep(model, X, method, [*told, *notes, *more], choice.objects)

    def _places(self, reading) -> dict[str, list[int]]:
        """Positions of inputs by the names of columns, and of inputs."""
        reading = reading or getattr(self, "columns_", None)
        if reading is None:
            return {name: [j] for j, name in enumerate(map(str, getattr(self, "feature_names_in_", ())))}
        found, inputs = {name: [j] for j, name in enumerate(reading.inputs)}, iter(range(len(reading.inputs)))
        return {**found, **{c.name: [next(inputs) for _ in c.inputs] for c in reading.columns if c.inputs}}

    def _keep(self, model: fit.Model, X, method, notes: list[str], objects: bool) -> None:
        fitted = model.fitted
        self.model_, self.method_, self.objects_ = model, fitted.method or method.name, objects
        self.n_basis_, self.basis_ = fitted.n_basis, model.basis(X)
        self.kernel_ = None if fitted.gp is None else fitted.gp.kernel
        self.log_evidence_, self.path_, self.notes_ = fitted.log_evidence, _path(fitted.trace), tuple(notes)

    def quality(self) -> Quality:
        """How good the model is on rows left out, beside simpler predictors; what `gpbench fit` prints.

        The attribute `quality_` keeps it, and so does a saved model.

        Returns
        -------
        Quality
            Scores, relevance of the columns, and what to try next; `lines()` gives them as text.
        """
        if "quality_" not in vars(self):
            self._examine()
        return self.quality_

    def _examine(self, refit: bool = True) -> Examined:
        from .quality.quality import examine

        self._ready_to_predict()
        if "_examined" not in vars(self):
            if not hasattr(self, "_training"):
                raise BadInput(
                    "a saved model does not keep the rows of its fit: ask for quality() before it is saved; "
                    "report takes rows as X and y"
                )
            try:
                self._examined = examine(self, refit)
            except NotApplicable as e:
                raise BadInput(f"quality: not known: {e}") from e
            self.quality_ = self._examined.quality
        return self._examined

    def _targets(self, y) -> np.ndarray:
        """Targets as the user has them, from those of the scaled rows."""
        return self.model_.scaler.back(y, None, None)[0]

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
        """The fitted model, and the inputs in the form that it expects."""
        self._ready_to_predict()
        if hasattr(self, "columns_"):
            if hasattr(self, "feature_names_in_"):  # fitted to a data frame of more than numbers
                if not hasattr(X, "columns"):
                    raise BadInput("X: the model was fitted to a data frame; give one with the same columns")
                checked_width(self, X, reset=False)
                return self.model_, input_checks.vectors(csv_models.frame_inputs(self.columns_, X))
            if hasattr(X, "columns"):  # fitted to a csv, whose columns it knows by name
                X = csv_models.frame_inputs(self.columns_, X)
        return self.model_, self._inputs(X, self.objects_, reset=False)

    def report(self, path, X=None, y=None) -> None:
        """Write one page about the fitted model: predictions, calibration, residuals, relevance, effects, notes.

        Parameters
        ----------
        path : path-like
            The file, with the suffix .html. It needs nothing from elsewhere.
        X, y : arrays, optional
            Rows to judge the model on, with their targets; without them the rows of the fit, each left out. A loaded
            model needs them.
        """
        from .pages.model_page import write
        from .quality.quality import examine_on

        self._ready_to_predict()
        write(path, self, self._examine() if X is None else examine_on(self, X, y))

    def _html_repr(self) -> str:
        """In a notebook: scikit-learn's diagram, and facts of the fitted model."""
        diagram = super()._html_repr()
        if not hasattr(self, "model_"):
            return diagram
        from .pages.model_page import settings

        found = diagram + notebook.table("Fitted model", [], [["rows", f"{self.model_.n:,}"], *settings(self)])
        return found + self.quality_._repr_html_() if "quality_" in vars(self) else found

    def _ready_to_predict(self) -> None:
        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(X, y) first")

    def __getstate__(self):
        state = super().__getstate__() if hasattr(super(), "__getstate__") else vars(self)
        return {k: v for k, v in state.items() if k not in ("_training", "_examined")}  # a pickle has the model alone

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
