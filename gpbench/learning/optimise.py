"""The one optimiser call of the package: maximise a smooth objective, count evaluations, keep the best and a trace."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from gpbench.errors import GpbenchError, NotPositiveDefinite


@dataclass(frozen=True)
class Optimum:
    x: np.ndarray
    value: float
    evaluations: int
    converged: bool
    message: str
    trace: list[dict] = field(default_factory=list)  # best value so far after each evaluation, and when


class _Spent(Exception):
    """The evaluation budget is used up; the best point so far is the answer."""


def maximise(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]],
    x0,
    evaluations: int = 200,
    optimiser: str = "lbfgs",
    bounds=None,
    tolerance: float = 1e-7,
) -> Optimum:
    """Maximum of objective(x) -> (F, dF/dx) from x0 with L-BFGS or conjugate gradients.

    `evaluations` is a hard budget. A point where the objective cannot be evaluated (not positive definite, overflow)
    counts as very bad, so line searches back off from it.
    """
    x0 = np.asarray(x0, dtype=float)
    best: dict = {"x": x0, "F": -np.inf, "n": 0}
    trace: list[dict] = []
    begin = time.perf_counter()
    low, high = (None, None) if bounds is None else _limits(bounds)

    def loss(x):
        if best["n"] >= evaluations:
            raise _Spent
        best["n"] += 1
        inside = x if low is None else np.clip(x, low, high)  # scipy's CG knows no bounds
        try:
            F, dF = objective(inside)
        except (NotPositiveDefinite, FloatingPointError, np.linalg.LinAlgError):
            F, dF = -np.inf, None
        if dF is None or not np.isfinite(F) or not np.isfinite(dF).all():
            worst = best["F"] if np.isfinite(best["F"]) else 0.0
            return 1e3 * (1.0 + abs(worst)), np.zeros_like(x)
        if best["F"] < F:
            best.update(x=inside.copy(), F=float(F))
        trace.append({"evaluation": best["n"], "objective": best["F"], "seconds": time.perf_counter() - begin})
        return -F, np.where(inside == x, -dF, 0.0)

    if len(x0) == 0:
        F, _ = objective(x0)
        return Optimum(x0, float(F), 1, True, "nothing to learn", [])
    scipy_name = {"lbfgs": "L-BFGS-B", "cg": "CG"}[optimiser]
    options = {"maxiter": evaluations}
    if optimiser == "lbfgs":
        options |= {"maxfun": evaluations, "ftol": tolerance * 1e-2, "gtol": 1e-5, "maxcor": 20}
    try:
        found = minimize(
            loss, x0, jac=True, method=scipy_name, bounds=bounds if optimiser == "lbfgs" else None, options=options
        )
        converged, message = bool(found.success), str(found.message)
    except _Spent:
        converged, message = False, f"budget of {evaluations} evaluations used"
    if not np.isfinite(best["F"]):
        raise NotPositiveDefinite("the objective could not be evaluated at any point the optimiser tried")
    return Optimum(best["x"], best["F"], best["n"], converged, message, trace)


def _limits(bounds):
    low = np.array([-np.inf if b[0] is None else b[0] for b in bounds])
    high = np.array([np.inf if b[1] is None else b[1] for b in bounds])
    return low, high


def best_of(starts, climb: Callable[[object], Optimum]) -> Optimum:
    """The best optimum over several starts; a start that cannot be evaluated at all is passed over."""
    found, reason = [], None
    for start in starts:
        try:
            found.append(climb(start))
        except GpbenchError as e:
            reason = e
    if not found:
        raise reason
    return max(found, key=lambda o: o.value)
