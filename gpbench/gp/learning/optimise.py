"""The one optimiser call of the package: maximise a smooth objective, count evaluations, keep the best and a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import minimize

from gpbench.errors import GpbenchError, NotPositiveDefinite
from gpbench.recorder import Recorder
from gpbench.system import deadline, progress

from . import lbfgs


@dataclass(frozen=True)
class Optimum:
    x: np.ndarray
    value: float
    evaluations: int  # of the optimisation that led here
    converged: bool
    message: str
    trace: list[dict] = field(default_factory=list)  # best value so far after each evaluation, and when
    lost: int = 0  # evaluations of other starts, which led nowhere better

    @property
    def spent(self) -> int:
        """Evaluations in all."""
        return self.evaluations + self.lost

    def then(self, later: Optimum) -> Optimum:
        """This optimisation and the one that went on from it, as one."""
        offset = self.trace[-1]["seconds"] if self.trace else 0.0
        moved = [r | {"evaluation": r["evaluation"] + self.evaluations, "seconds": r["seconds"] + offset}
                 for r in later.trace]  # fmt: skip
        evaluations, lost = self.evaluations + later.evaluations, self.lost + later.lost
        return replace(later, evaluations=evaluations, trace=[*self.trace, *moved], lost=lost)


class Nowhere(NotPositiveDefinite):
    def __init__(self, evaluations: int, reason: str = ""):
        why = f": {reason}" if reason else ""
        super().__init__(f"the objective could not be evaluated at any point the optimiser tried{why}")
        self.evaluations = evaluations


SHARE = 1e-2  # of the tolerance: a single iteration that gains less ends an L-BFGS optimisation
STEEP = 1e-5  # a gradient that is flat
PATIENCE = 2  # iterations that together gain too little: a single one may just have been a short step


class _BudgetUsed(Exception):
    """The budget is used up; the best point so far is the answer."""


class _Settled(Exception):
    """The next iteration is not worth its cost; the text says why."""


class _Loss:
    """What scipy minimises: -scale F inside the bounds, counted; the best point and a trace are kept."""

    def __init__(self, objective, x0, evaluations: int, bounds, recorder: Recorder):
        self.objective, self.evaluations = objective, evaluations
        self.low, self.high = (None, None) if bounds is None else _limits(bounds)
        self.best_x, self.best_F, self.count, self.scale = x0, -np.inf, 0, 1.0
        self.trace: list[dict] = []
        self.reason = ""  # why the objective could not be evaluated, where it said so
        self.watch = recorder.stopwatch()
        self.cost = deadline.Cost()  # of an evaluation
        self.known: tuple | None = None  # the start and its loss, evaluated to learn the scale

    def __call__(self, x):
        if self.known is not None and np.array_equal(x, self.known[0]):
            value, self.known = self.known[1], None
            return value[0] * self.scale, value[1] * self.scale
        value, gradient = self.unscaled(x)
        return value * self.scale, gradient * self.scale

    def unscaled(self, x):
        if self.count >= self.evaluations:
            raise _BudgetUsed(f"budget of {self.evaluations} evaluations used")
        if np.isfinite(self.best_F) and not self.cost.fits():
            deadline.cut("learning was ended early")
            raise _BudgetUsed("time is up")
        self.count += 1
        progress.step("learning hyperparameters", self.count, self.evaluations)
        inside = x if self.low is None else np.clip(x, self.low, self.high)  # scipy's CG knows no bounds
        try:
            with self.cost.of():
                F, dF = self.objective(inside)
        except (NotPositiveDefinite, FloatingPointError, np.linalg.LinAlgError) as e:
            F, dF, self.reason = -np.inf, None, str(e)
        if dF is None or not np.isfinite(F) or not np.isfinite(dF).all():
            worst = self.best_F if np.isfinite(self.best_F) else 0.0
            return 1e3 * (1.0 + abs(worst)), np.zeros_like(x)
        if self.best_F < F:
            self.best_x, self.best_F = inside.copy(), float(F)
        self.trace.append({"evaluation": self.count, "objective": self.best_F, "seconds": self.watch.seconds})
        return -F, np.where(inside == x, -dF, 0.0)

    def watching(self, gain: float, leave: Callable | None):
        """For scipy to call after each iteration."""
        values = [-np.inf] * PATIENCE

        def look(_x):
            values.append(self.best_F)
            if self.best_F - values[-1 - PATIENCE] < gain:
                raise _Settled(f"{PATIENCE} iterations gained less than {gain:g}")
            if leave is not None and leave(self.best_x, self.best_F):
                raise _Settled("met another optimisation")

        return look

    def limit_first_step(self, x0, length: float):
        """Scale the loss so that its projected gradient at x0, the first step in a box, is at most so long."""
        self.known = x0, self.unscaled(x0)
        step = -self.known[1][1]
        if self.low is not None:
            step = np.where((x0 <= self.low) & (step < 0) | (x0 >= self.high) & (step > 0), 0.0, step)
        steepness = float(np.linalg.norm(step))
        self.scale = length / steepness if steepness > length else 1.0


def maximise(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]],
    x0,
    evaluations: int = 200,
    optimiser: str = "lbfgs",
    bounds=None,
    tolerance: float = 1e-7,
    first_step: float | None = None,
    gain: float = -np.inf,
    leave: Callable[[np.ndarray, float], bool] | None = None,
    recorder: Recorder | None = None,
    diagonal: np.ndarray | None = None,
) -> Optimum:
    """Maximum of objective(x) -> (F, dF/dx) from x0 with L-BFGS or conjugate gradients.

    `evaluations` is a hard budget. A point where the objective cannot be evaluated (not positive definite, overflow)
    counts as very bad, so line searches back off from it. `first_step` bounds the length of the first step, which
    L-BFGS-B leaves at that of the gradient where every variable has two bounds. The optimisation ends as soon as
    PATIENCE iterations together gain less than `gain`, or when `leave(x, F)` says so of the best point after one.
    The trace is timed by the recorder's clock. With `diagonal`, how far each variable may go beside the others, L-BFGS
    is that of lbfgs.py and needs `first_step`, otherwise scipy's.
    """
    x0 = np.asarray(x0, dtype=float)
    if len(x0) == 0:
        F, _ = objective(x0)
        return Optimum(x0, float(F), 1, True, "nothing to learn", [])
    loss = _Loss(objective, x0, evaluations, bounds, recorder or Recorder())
    if loss.low is not None and optimiser == "lbfgs":
        x0 = np.clip(x0, loss.low, loss.high)  # as scipy would
    look = loss.watching(gain, leave)
    try:
        with loss.watch:
            if diagonal is not None:
                free = np.full(len(x0), np.inf)
                box = (-free, free) if loss.low is None else (loss.low, loss.high)
                ended = lbfgs.minimise(loss, x0, diagonal, *box, first_step, tolerance * SHARE, STEEP, look)
            else:
                ended = _by_scipy(loss, x0, evaluations, optimiser, bounds, tolerance, first_step, look)
        converged, message = ended
    except (_BudgetUsed, _Settled) as e:
        converged, message = isinstance(e, _Settled), str(e)
    if not np.isfinite(loss.best_F):
        raise Nowhere(loss.count, loss.reason)
    return Optimum(loss.best_x, loss.best_F, loss.count, converged, message, loss.trace)


def _by_scipy(loss: _Loss, x0, evaluations: int, optimiser: str, bounds, tolerance, first_step, look):
    """(whether it converged, why it ended)."""
    options = {"maxiter": evaluations}
    if first_step is not None:
        loss.limit_first_step(x0, first_step)
    if optimiser == "lbfgs":
        options |= {"maxfun": evaluations, "ftol": tolerance * SHARE, "gtol": STEEP * loss.scale, "maxcor": lbfgs.PAIRS}
    found = minimize(
        loss, x0, jac=True, method={"lbfgs": "L-BFGS-B", "cg": "CG"}[optimiser],
        bounds=bounds if optimiser == "lbfgs" else None, options=options, callback=look,
    )  # fmt: skip
    return bool(found.success), str(found.message)


def _limits(bounds):
    low = np.array([-np.inf if b[0] is None else b[0] for b in bounds])
    high = np.array([np.inf if b[1] is None else b[1] for b in bounds])
    return low, high


def best_of(starts, optimise: Callable[[object], Optimum]) -> Optimum:
    """The best optimum over several starts; a start that cannot be evaluated at all is passed over."""
    found, reason, lost = [], None, 0
    for start in starts:
        try:
            found.append(optimise(start))
        except GpbenchError as e:
            reason = e
            lost += getattr(e, "evaluations", 0)
    if not found:
        raise reason
    best = max(found, key=lambda o: o.value)
    return replace(best, lost=lost + sum(o.spent for o in found) - best.evaluations)
