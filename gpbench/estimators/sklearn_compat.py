"""scikit-learn's base classes where it is installed (the extra `sklearn`), else what fit and predict need of them."""

from __future__ import annotations

import inspect

import numpy as np

from gpbench.errors import BadInput

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import validate_data

    def checked_width(estimator, X, reset: bool) -> None:
        """Remembers width and names of the columns, or compares them with those of the fit."""
        if not reset:
            _same_width(estimator, X)
        validate_data(estimator, X, reset=reset, skip_check_array=True)

except ImportError:

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict:
            return {name: getattr(self, name) for name in list(inspect.signature(type(self)).parameters)}

        def set_params(self, **params):
            for name, value in params.items():
                if name not in inspect.signature(type(self)).parameters:
                    raise ValueError(f"{type(self).__name__} has no parameter '{name}'")
                setattr(self, name, value)
            return self

        def _html_repr(self) -> str:
            from html import escape

            return f"<pre>{escape(repr(self))}</pre>"

        def _repr_html_(self) -> str:
            return self._html_repr()

        def __repr__(self) -> str:
            parameters = inspect.signature(type(self)).parameters.values()
            given = [f"{p.name}={v!r}" for p in parameters if (v := getattr(self, p.name)) is not p.default]
            return f"{type(self).__name__}({', '.join(given)})"

    class RegressorMixin:
        pass

    class ClassifierMixin:
        pass

    class NotFittedError(ValueError, AttributeError):
        pass

    def checked_width(estimator, X, reset: bool) -> None:
        names = [str(c) for c in X.columns] if hasattr(X, "columns") else None
        if reset:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
            if (names := list(getattr(X, "columns", ()))) and all(isinstance(name, str) for name in names):
                estimator.feature_names_in_ = np.array(names, dtype=object)
            vars(estimator).pop("feature_names_in_", None)
            if names is not None:
                estimator.feature_names_in_ = np.array(names, dtype=object)
            return
        _same_width(estimator, X)
        if names is not None and names != list(getattr(estimator, "feature_names_in_", names)):
            raise BadInput("X: the feature names should match those that were passed during fit, in their order")


def _same_width(estimator, X) -> None:
    expected, found = estimator.n_features_in_, X.shape[1] if len(getattr(X, "shape", ())) == 2 else None
    if found is not None and found != expected:
        # the words are those that scikit-learn's own checks look for
        raise BadInput(
            f"X has {found} features, but {type(estimator).__name__} is expecting {expected} features as input: "
            "give the columns of the fit, in their order"
        )


__all__ = ["BaseEstimator", "ClassifierMixin", "NotFittedError", "RegressorMixin", "checked_width"]
