"""Geisser's predictive probability: F = -mean(residual^2/v + log v), the negative of [sundararajan] NLGPP.

That is twice the mean leave-one-out log density, less log 2 pi.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.factor import Factor

from .leave_one_out import leave_one_out


def _score(r, v):
    return -(r**2) / v - np.log(v), -2 * r / v, (r**2 / v - 1) / v


def nlgpp(factor: Factor, y, extra=None, gradient: bool = True):
    return leave_one_out(factor, y, extra, _score, gradient)
