"""What to try next, from what is seen of rows left out; at most two things and the search that compares methods."""

from __future__ import annotations

import numpy as np

from .judged import Judged

CLOSE = 0.03  # of the RMSE: a straight line is then as good
WEAK = 0.1  # R2
TAILS = 3.0  # excess kurtosis of standardised residuals
SKEWED = 1.5  # of targets that are all positive
IDLE = 0.05  # of the largest relevance
MOST = 2


def next_steps(estimator, judged: Judged, compared: list[dict], columns) -> list[str]:
    """`compared` has the scores of the model first, then of simpler ones; `columns` the inverse length-scales."""
    found = _of_classes(compared) if judged.prob is not None else _of_numbers(estimator, judged, compared)
    found += _size(estimator)
    if columns and (idle := [c.name for c, value in columns if value < IDLE * columns[0][1]]):
        found.append(f"leave out what hardly matters: {', '.join(idle[:3])}{', ...' if len(idle) > 3 else ''}")
    return [*found[:MOST], "gpbench advise compares methods and sizes"]


def _of_numbers(estimator, judged: Judged, compared: list[dict]) -> list[str]:
    own, simple = compared[0], compared[1:]
    z, found = (judged.y - judged.mean) / judged.std, []
    if own["r2"] < WEAK:
        found.append("the inputs hardly predict the target: look for others, or check units and missing values")
    elif len(simple) > 1 and simple[-1]["rmse"] <= (1 + CLOSE) * own["rmse"]:
        found.append("a straight line predicts as well: kernel {sum: [linear, matern52]}")
    if judged.y.min() > 0 and _moment(judged.y, 3) > SKEWED:
        found.append("the target is positive and skewed: fit its logarithm")
    if estimator.likelihood is None and _moment(z, 4) - 3 > TAILS:
        found.append("some residuals are far out: likelihood student-t, or look at those rows")
    if "ard-se" in str(estimator.kernel_):
        found.append("kernel matern52, for less smooth functions")
    return found


def _of_classes(compared: list[dict]) -> list[str]:
    if len(compared) > 2 and compared[2]["nlpd"] <= compared[0]["nlpd"]:
        return ["logistic regression predicts as well: kernel {sum: [linear, matern52]}"]
    if compared[0]["err"] >= compared[1]["err"]:
        return ["the inputs hardly tell the classes apart: look for others"]
    return []


def _size(estimator) -> list[str]:
    n, basis, training = estimator.model_.n, estimator.n_basis_, getattr(estimator, "_training", None)
    if basis and basis < n and basis == getattr(getattr(training, "method", None), "d_max", None):
        return [f"more basis vectors than {basis} (n_basis)"]
    return []


def _moment(values, power: int) -> float:
    spread = values.std()
    return float(np.mean(((values - values.mean()) / spread) ** power)) if spread else 0.0
