"""Log evidence log N(y; 0, S), natural log with all constants; higher is better.

[sundararajan]'s NLML is its negative. `extra` plays no part: the evidence is a property of S alone.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.factor import Factor, Solver

from . import Value


def evidence(factor: Factor | Solver, y: np.ndarray, extra: np.ndarray | None = None, gradient: bool = True) -> Value:
    """(F, dF/dS, dF/dextra); without `gradient` dF/dS is None and a factor that only solves will do."""
    a = factor.solve(y)
    F = -0.5 * (y @ a + factor.logdet() + len(y) * np.log(2 * np.pi))
    return float(F), factor.sensitivity(a, 0.5, 0.5) if gradient else None, 0.0  # type: ignore[union-attr]
