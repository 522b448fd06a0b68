"""Scale inputs and targets, and scale predictions back. Every statistic is of the training part.

`standardise` divides by the standard deviation with ddof 0. `detrend` is the form in which KIN40K is distributed
([seeger 2003], [snelson]): subtract the least-squares line through the training part, divide by the residuals'
standard deviation with ddof 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.errors import ConfigError

from .shards import Chosen

INPUTS = ("standardise", "none")
TARGETS = ("standardise", "centre", "detrend", "none")


@dataclass(frozen=True)
class Scaler:
    """Scaling of a trial's data. The scaled target is (y - offset - X slope) / factor."""

    shift: np.ndarray | None  # (D,) of the inputs; None: inputs are not scaled
    stretch: np.ndarray | None  # (D,)
    offset: float
    slope: np.ndarray | None  # (D,) on raw inputs; None but for detrend
    factor: float  # raw variance = factor^2 x scaled variance

    @classmethod
    def fit(cls, X_train, y_train, scale: dict | None = None, task: str = "regression") -> Scaler:
        """Fit to the training part; `scale` as in a config, default standardise. Class labels are never scaled."""
        scale = scale or {}
        inputs, target = scale.get("inputs", "standardise"), scale.get("target", "standardise")
        if inputs not in INPUTS or target not in TARGETS:
            raise ConfigError(f"scale: inputs is one of {', '.join(INPUTS)}, target one of {', '.join(TARGETS)}")
        vectors = large(X_train) or np.asarray(X_train).dtype != object  # molecules, for example, have no mean
        shift, stretch = _input_moments(X_train) if vectors else (None, None)
        slope, offset, factor = None, 0.0, 1.0
        if task == "regression" and target != "none":
            y = np.asarray(y_train, dtype=float)
            if target == "detrend":
                if not vectors:
                    raise ConfigError("scale: target detrend needs vector inputs; use standardise, centre or none")
                if large(X_train):
                    raise ConfigError("scale: target detrend needs all rows in memory; use standardise, centre or none")
                slope, offset, factor = _line(np.asarray(X_train, dtype=float), y, shift, stretch)
            else:
                offset, factor = (float(v[0]) for v in _moments(y[:, None]))
                factor = factor if target == "standardise" else 1.0
        if inputs == "none":
            shift = stretch = None
        return cls(shift, stretch, offset, slope, factor)

    def inputs(self, X):
        if large(X):
            return X.scaled(self.shift, self.stretch).with_target(self.offset, self.factor)
        return X if self.shift is None else (X - self.shift) / self.stretch

    def raw_inputs(self, X):
        """Raw inputs from scaled ones."""
        return X if self.shift is None else X * self.stretch + self.shift

    def target(self, y, X):
        """Scaled targets; X are the raw inputs."""
        return (y - self._trend(X)) / self.factor

    def back(self, mean, var, X):
        """(mean, var) in raw units from (mean, var) of the scaled target; X are the raw inputs, var may be None."""
        return mean * self.factor + self._trend(X), None if var is None else var * self.factor**2

    @property
    def log_scale(self) -> float:
        """-log density in raw units = -log density in scaled units + log_scale."""
        return float(np.log(self.factor))

    def _trend(self, X):
        return self.offset if self.slope is None else self.offset + X @ self.slope


def large(X) -> bool:
    """Whether the rows are beyond memory (shards.py); those are scaled when they are read."""
    return isinstance(X, Chosen)


def _input_moments(X):
    return X.moments() if large(X) else _moments(np.asarray(X, dtype=float))


def _moments(X):
    """Mean and standard deviation of the columns; a constant column is only shifted."""
    constant = X.max(0) == X.min(0)  # exact test: the computed deviation of a constant column is not exactly zero
    deviation = X.std(0)
    return np.where(constant, X[0], X.mean(0)), np.where(constant | (deviation == 0), 1.0, deviation)


def _line(X, y, shift, stretch):
    """Least-squares line through the training part on raw inputs, and the residuals' deviation (ddof 1)."""
    A = np.c_[(X - shift) / stretch, np.ones(len(y))]  # standardised: well conditioned
    w = np.linalg.lstsq(A, y, rcond=None)[0]
    spread = np.std(y - A @ w, ddof=1) if len(y) > 1 else 0.0
    slope = w[:-1] / stretch
    exact = spread <= 1e-12 * (np.abs(y).max() or 1.0)  # an exact line leaves rounding only
    return slope, float(w[-1] - shift @ slope), 1.0 if exact else float(spread)
