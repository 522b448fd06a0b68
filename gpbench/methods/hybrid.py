"""Hybrid: hyperparameters of an exact GP on a subset, prediction by FITC on all data (Chalupka et al.; [cao] 4.3)."""

from __future__ import annotations

from pydantic import Field

from gpbench.gp.inference import sparse
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.linalg.cholesky import JITTER, jitter_notes

from .base import AT_ONCE, Fitted, Method
from .families.exact import learned, operations


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

    @classmethod
    def operations(cls, n, m, evaluations):
        return operations(m, evaluations) + super().operations(n, m, 0)

    def fit(self, problem, rng):
        recorder = problem.recorder()
        with recorder.time("select"):
            rows = problem.order[: self.d_max]
        with recorder.time("adapt"):
            gp = learned(problem, problem.X[rows], problem.y[rows], rng, recorder)
        model = sparse.build(sparse.FITC, gp, problem.X[rows], problem.X, problem.y, JITTER)
        recorder.evaluated(len(rows))
        recorder.note(*jitter_notes(model.jitters))
        return Fitted(
            predict=SparsePosterior.of(model),
            gp=gp,
            n_basis=len(rows),
            log_evidence=sparse.evaluate(model, gradient=False).F,
            pivots=rows,
            **recorder.told(),
        )
