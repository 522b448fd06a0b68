"""Curves of a fit over a single input, for figures; part of the trace, so that every results folder has them."""

from __future__ import annotations

import numpy as np

from gpbench.data.readonly import read_only
from gpbench.methods.base import Fitted

from .trial_data import TrialData

LARGEST = 1000  # training rows up to which the curves are kept
POINTS, KEPT = 200, 100  # of the grid: in trials/<id>.npz, in the trace


def has_line(data: TrialData) -> bool:
    X = data.dataset.X
    return data.dataset.task == "regression" and isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1


def grid(data: TrialData, fitted: Fitted, points: int = POINTS) -> dict[str, np.ndarray]:
    """The prediction over the range of the input and a tenth beyond, in raw units."""
    low, high = float(data.dataset.X.min()), float(data.dataset.X.max())
    x = np.linspace(low - 0.1 * (high - low), high + 0.1 * (high - low), points)[:, None]
    p = fitted.predict(read_only(data.scaler.inputs(x)))
    mean, var = data.scaler.back(p.mean, p.var, x)
    return {"x_grid": x, "mean_grid": mean, "var_grid": var}


def curves(data: TrialData, fitted: Fitted) -> dict[str, list[float]]:
    """Lists for the trace in raw units: the fit, the training rows, inducing inputs at the end and at the start."""
    train = data.split.train
    if not has_line(data) or len(train) > LARGEST:
        return {}
    over, X = grid(data, fitted, KEPT), data.dataset.X
    found = {
        "fit_x": over["x_grid"][:, 0], "fit_mean": over["mean_grid"], "fit_sd": np.sqrt(over["var_grid"]),
        "data_x": X[train, 0], "data_y": data.dataset.y[train],
    }  # fmt: skip
    if fitted.inducing is not None:
        found["inducing_x"] = data.scaler.raw_inputs(fitted.inducing)[:, 0]
    elif fitted.pivots is not None and len(fitted.pivots) < len(train):
        found["inducing_x"] = X[train[np.asarray(fitted.pivots, dtype=int)], 0]
    if "start" in fitted.shown:
        found["start_x"] = data.scaler.raw_inputs(fitted.shown["start"])[:, 0]
    return {key: np.asarray(values, dtype=float).tolist() for key, values in found.items()}
