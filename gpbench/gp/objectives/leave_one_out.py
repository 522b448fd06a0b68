"""What the leave-one-out objectives of [sundararajan] share.

With a = S^-1 y and s = diag S^-1, leaving case i out gives the residual and the variance of the noisy target

    residual_i = a_i / s_i,    v_i = 1 / s_i + extra_i.

Under DTC S^-1 gives 1/s = noise/(1 - eta), and extra = K - Q makes it the paper's K - Q + sigma^2/(1 - eta). A basis
vector stays one when its own case is left out; only its likelihood term goes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpbench.gp.linalg.factor import Factor

from . import Value

Score = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


def leave_one_out(
    factor: Factor, y: np.ndarray, extra: np.ndarray | None, score: Score, gradient: bool = True
) -> Value:
    """(F, dF/dS, dF/dextra) of F = mean of score(residual, v) -> (f, df/dresidual, df/dv)."""
    a, s = factor.solve(y), factor.inv_diag()
    residual, v = a / s, 1 / s + (0.0 if extra is None else extra)
    f, d_residual, d_v = score(residual, v)
    F, n = float(np.mean(f)), len(y)
    if not gradient:
        return F, None, 0.0
    d_a = d_residual / s / n
    d_s = -(d_residual * residual + d_v / s) / s / n
    # da = -S^-1 dS a and ds_i = -(S^-1 dS S^-1)_ii
    W = factor.sensitivity(a, factor.solve(-d_a), 0.0, d_s)
    return F, W, 0.0 if extra is None else d_v / n
