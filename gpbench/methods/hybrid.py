"""Hybrid: hyperparameters of an exact GP on a subset, prediction by FITC on all data (Chalupka et al.; [cao] 4.3)."""

from __future__ import annotations

import time

from pydantic import Field

from gpbench.inference import sparse
from gpbench.inference.sparse_predict import SparsePosterior
from gpbench.learning.full_gp import fit_hyperparameters
from gpbench.linalg.cholesky import JITTER, jitter_notes

from .base import AT_ONCE, Fitted, Method


class Hybrid(Method):
    """The d_max rows of the subset are also FITC's inducing inputs; learning is O(d_max^3), the model O(n d_max^2)."""

    name = "hybrid"
    title = "Hybrid: SoD hyperparameters, FITC prediction"
    use = (
        "Hyperparameters of an exact GP on a subset, prediction by FITC on all rows; take it where learning "
        "must be quick."
    )
    heeds = AT_ONCE
    paper = "cao"

    d_max: int = Field(200, ge=1, description="size of the subset and number of inducing inputs")

    def fit(self, problem, rng):
        begin, rows = time.perf_counter(), problem.order[: self.d_max]
        schedule, gp, trace, evaluations = problem.schedule, problem.gp, [], 0
        if schedule.kind != "fixed":
            X, y = problem.X[rows], problem.y[rows]
            budget = schedule.evaluations, schedule.optimiser, schedule.restarts
            gp, found = fit_hyperparameters(X, y, gp, *budget, rng, learner=schedule.learner)
            trace, evaluations = found["trace"], found["evaluations"]
        learned = time.perf_counter()
        model = sparse.build(sparse.FITC, gp, problem.X[rows], problem.X, problem.y, JITTER)
        return Fitted(
            predict=SparsePosterior.of(model).predict,
            gp=gp,
            n_basis=len(rows),
            log_evidence=sparse.objective(model, gradient=False).F,
            pivots=rows,
            seconds={"select": 0.0, "adapt": learned - begin},
            kernel_rows=(evaluations + 1) * len(rows),
            trace=trace,
            notes=jitter_notes(model.jitters),
        )
