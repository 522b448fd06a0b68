"""Predict with a fitted model at many inputs, block by block, and check that every number can be scored."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from gpbench.data.readonly import read_only
from gpbench.data.scaling import large
from gpbench.errors import InvalidPrediction
from gpbench.methods.base import Fitted, Prediction
from gpbench.methods.families.fitted_checks import refuse_masked
from gpbench.metrics import each_class

_BLOCK = 4_000_000  # entries of a kernel block at prediction: 32 MB
PARTS = tuple(f.name for f in fields(Prediction))
AGREEMENT = 1e-6  # of prob and exp(log_prob)
OF_SUMS = 1e-5  # of probabilities, which a library may give in single precision


def predict(fitted: Fitted, X, n_train: int) -> Prediction:
    """The prediction at scaled inputs, in blocks that bound memory; their size depends on n_train only.

    The arrays are copies, because a predictor may change its own arrays later.
    """
    X, whole = read_only(X), fitted.whole or large(X)
    size = max(len(X), 1) if whole else max(256, _BLOCK // max(n_train, 1))
    blocks = [_block(fitted.predict(X if size >= len(X) else X[i : i + size])) for i in range(0, len(X), size)]

    def joined(name):
        parts = [b[name] for b in blocks]
        return None if any(p is None for p in parts) else np.concatenate(parts)

    try:
        return Prediction(*(joined(name) for name in PARTS))
    except ValueError as e:
        raise InvalidPrediction(f"prediction has the wrong shape: {e}") from e


def _block(given) -> dict[str, np.ndarray | None]:
    """The arrays of one call's prediction, copied before the next call."""
    if not isinstance(given, Prediction):
        raise InvalidPrediction(f"predict returned {type(given).__name__}, not a Prediction")
    parts = {name: getattr(given, name) for name in PARTS}
    for name, part in parts.items():
        refuse_masked(name, part)
    try:
        return {name: None if part is None else np.atleast_1d(np.array(part)) for name, part in parts.items()}
    except ValueError as e:
        raise InvalidPrediction(f"prediction has the wrong shape: {e}") from e


def check(prediction: Prediction, n_test: int, task: str, classes: int = 2) -> None:
    """InvalidPrediction unless every number may be scored."""
    required = ("prob",) if task == "classification" else ("mean", "var")
    for name in PARTS:
        values = getattr(prediction, name)
        if values is None:
            if name in required:
                raise InvalidPrediction(f"{name} is missing from the prediction")
            continue
        wide = name == "log_prob" or (name == "prob" and classes > 2)
        shape = (n_test, classes) if wide else (n_test,)
        if values.shape != shape:
            raise InvalidPrediction(f"{name} has shape {values.shape}, expected {shape}")
        if values.dtype.kind not in "fiu":
            raise InvalidPrediction(f"{name} has type {values.dtype}, expected real numbers")
        if bad := int(np.sum(~np.isfinite(values))):
            raise InvalidPrediction(f"{name} is not finite at {bad} of {n_test} test points")
        if name == "var" and (bad := int(np.sum(values <= 0))):
            raise InvalidPrediction(f"{name} <= 0 at {bad} of {n_test} test points, smallest {values.min():.3g}")
        if name == "prob" and (bad := int(np.sum((values < 0) | (values > 1)))):
            raise InvalidPrediction(f"prob outside [0, 1] at {bad} of {n_test} test points")
    if prediction.prob is not None:
        _check_classes(each_class(prediction.prob), prediction.log_prob, n_test)


def _check_classes(prob, log_prob, n_test: int) -> None:
    """Do probabilities of the classes sum to one, and are their logarithms theirs?"""
    if bad := int(np.sum(np.abs(prob.sum(1) - 1) > OF_SUMS)):
        raise InvalidPrediction(f"prob does not sum to one at {bad} of {n_test} test points")
    if log_prob is not None and (bad := int(np.sum((np.abs(np.exp(log_prob) - prob) > AGREEMENT).any(1)))):
        raise InvalidPrediction(f"log_prob is not the logarithm of prob at {bad} of {n_test} test points")
