"""CSI: kernel regression on pivots chosen with side information (Bach and Jordan 2005; baseline of [cao])."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

import numpy as np
from pydantic import Field

from gpbench.gp.inference import sparse
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.linalg.cholesky import JITTER, jitter_notes
from gpbench.gp.selection.criteria import csi

from .base import GP, Fitted, Method, Prediction, Predictor, Problem, Recorder

HELD_OUT = 0.2  # of the training rows, to judge a point of the grid


class Csi(Method):
    """Look-ahead Cholesky selection, then ridge regression; hyperparameters from a grid where they are not fixed."""

    name = "csi"
    title = "Cholesky with side information"
    use = (
        "Ridge regression on pivots that look ahead at the targets; take it to compare with Bach and "
        "Jordan's kernel regression."
    )
    paper = "cao"
    heeds: ClassVar[dict] = {"joint": (), "interleaved": ()}  # a grid of its own
    chooses_rows: ClassVar[bool] = True  # may serve as `inducing` of other methods

    d_max: int = Field(200, ge=1, description="number of pivots")
    z: int = Field(40, ge=1, description="look-ahead steps")
    trade_off: float = Field(0.99, ge=0, le=1, description="weight of the targets against that of the kernel matrix")
    grid: int = Field(5, ge=1, description="values of the noise and of the common length-scale factor to try")
    grid_step: float = Field(2.0, gt=1, description="ratio of neighbouring values")

    def fit(self, problem, rng):
        gp, recorder, everything = problem.gp, problem.recorder(), np.arange(problem.n)
        search = problem.schedule.kind != "fixed" and problem.n > 1  # one row leaves none to judge by
        with recorder.time("adapt"):
            if search:
                gp = self._search(problem, recorder)
        with recorder.time("select"):
            pivots = self._select(problem, gp, everything, recorder, None if search else {})
            model, jitters = self._regress(problem, gp, everything, pivots)
        recorder.evaluated(2 * len(pivots))  # the model, and its residuals
        recorder.note(*jitter_notes(jitters))
        return Fitted(predict=model, gp=gp, n_basis=len(pivots), pivots=pivots, **recorder.told())

    def _select(self, problem: Problem, gp: GP, part, recorder: Recorder, also) -> np.ndarray:
        """Pivots (rows of the training part) chosen among `part`; `also` as in `Path`."""
        X, y = problem.X[part], problem.y[part]
        rows, size, z = KernelRows(gp.kernel, X), min(self.d_max, len(part)), min(self.z, len(part))
        path = csi.begin(gp.kernel.diag(X), y, rows, size, z, self.trade_off, recorder, also)
        recorder.evaluated(rows.evaluated)  # looked at ahead before the first step
        return part[path.grow(size).state.factor.pivots]

    def _regress(self, problem: Problem, gp: GP, part, pivots) -> tuple[Ridge, dict[str, float]]:
        """Ridge regression on the pivots' columns, which is the DTC mean; one variance, that of the residuals.

        The model, and the jitter it needed.
        """
        X, y = problem.X[part], problem.y[part]
        model = sparse.build(sparse.DTC, gp, problem.X[pivots], X, y, JITTER)
        ridge = SparsePosterior.of(model)
        var = float(np.sum((y - ridge.predict(X).mean) ** 2)) / max(len(y) - len(pivots), 1)
        return Ridge(ridge, max(var, 1e-12)), model.jitters

    def _search(self, problem: Problem, recorder: Recorder) -> GP:
        """The point of the grid with the smallest error on held-out rows; [cao]: grid search as in CSI's own code."""
        held = problem.order[: max(1, int(HELD_OUT * problem.n))]
        part = np.setdiff1d(np.arange(problem.n), held)
        factors = self.grid_step ** (np.arange(self.grid) - self.grid // 2)
        best, chosen, watch = np.inf, problem.gp, recorder.stopwatch()
        grid = product(factors if _has_scale(problem.gp) else (1.0,), factors**2)
        for step, (scale, noise) in enumerate(grid, start=1):
            with watch:
                gp = replace(_stretched(problem.gp, scale), noise=problem.gp.noise * noise)
                pivots = self._select(problem, gp, part, recorder, None)
                model, _ = self._regress(problem, gp, part, pivots)
                error = float(np.mean((model.predict(problem.X[held]).mean - problem.y[held]) ** 2))
            if error < best:
                best, chosen = error, gp
            recorder.evaluated(2 * len(pivots))
            recorder.row({"step": step, "held_out_error": error, "seconds": watch.seconds})
        return chosen


@dataclass(frozen=True)
class Ridge(Predictor):
    """The mean of ridge regression, and one variance everywhere."""

    of: SparsePosterior
    var: float

    def predict(self, Xs) -> Prediction:
        return Prediction(self.of.predict(Xs).mean, np.full(len(Xs), self.var))


def _has_scale(gp: GP) -> bool:
    return any(name.startswith("lengthscale") for name in gp.kernel.names)


def _stretched(gp: GP, factor: float) -> GP:
    """Every length-scale times the factor."""
    moved = [t + np.log(factor) * name.startswith("lengthscale") for t, name in zip(gp.kernel.theta, gp.kernel.names)]
    return GP(gp.kernel.with_theta(np.array(moved)), gp.noise)
