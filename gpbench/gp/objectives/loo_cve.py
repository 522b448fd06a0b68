"""Leave-one-out cross-validation error: F = -mean residual^2, the negative of [sundararajan] LOO-CVE."""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.factor import Factor

from . import Value
from .leave_one_out import leave_one_out


def loo_cve(factor: Factor, y: np.ndarray, extra: np.ndarray | None = None, gradient: bool = True) -> Value:
    return leave_one_out(factor, y, extra, lambda r, v: (-(r**2), -2 * r, 0.0 * v), gradient)
