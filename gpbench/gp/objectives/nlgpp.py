"""Geisser's predictive probability: F = -mean(residual^2/v + log v), the negative of [sundararajan] NLGPP.

That is twice the mean leave-one-out log density, less log 2 pi.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.factor import Factor

from . import Value
from .leave_one_out import leave_one_out


def _score(r: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return -(r**2) / v - np.log(v), -2 * r / v, (r**2 / v - 1) / v


def nlgpp(factor: Factor, y: np.ndarray, extra: np.ndarray | None = None, gradient: bool = True) -> Value:
    return leave_one_out(factor, y, extra, _score, gradient)
