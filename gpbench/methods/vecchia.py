"""Vecchia's approximation: every row given its nearest earlier rows, for short scales and many rows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gpbench.gp.inference.vecchia import VecchiaPosterior, embedding, evaluate
from gpbench.gp.inference.vif import build, leave_one_out
from gpbench.gp.learning.calibration import told, variance_factor
from gpbench.gp.learning.neighbours import fit_noise, learn, noise_note
from gpbench.gp.linalg.neighbours import earlier_neighbours, maximin_order
from gpbench.versions import Added

from .base import AT_ONCE, Fitted, Method


class Vecchia(Method):
    """Nearest-neighbour conditioning with noise; O(n k^3) time an evaluation, O(n k) memory, exact for k = n - 1."""

    name = "vecchia"
    title = "Vecchia approximation"
    use = "Every row given its nearest ones; take it for short length-scales, few dimensions and very many rows."
    heeds = AT_ONCE
    row_noise = True

    neighbours: int = Field(20, ge=1, description="earlier rows that each row is conditioned on")
    test_neighbours: int | None = Field(
        None, ge=1, description="training rows for each test point; null: 2 x neighbours"
    )
    ordering: Literal["random", "maximin"] = Field("random", description="of the rows; maximin takes O(n^2) time")

    calibrate: Annotated[bool | None, Added] = Field(
        None,
        description="scale variances by leave-one-out residuals where that raises the density of other rows; null: "
        "where the values are those of a full GP on a subset (`schedule: fixed`)",
    )

    @classmethod
    def raised_for(cls, params):
        """Test points once had as many rows as training points: in eight dimensions a third more error.

        Noise that a full GP learned on a subset once was kept where it did not fit all rows.
        """
        return int(params.get("test_neighbours") is None) + int(params["schedule"] == "fixed")

    def fit(self, problem, rng):
        gp, schedule, order, recorder = problem.gp, problem.schedule, problem.order, problem.recorder()
        if self.ordering == "maximin":
            order = order[maximin_order(embedding(gp.kernel, problem.X[order]))]
        X, y, k = problem.X[order], problem.y[order], min(self.neighbours, problem.n - 1)
        noise = None if problem.rows is None else problem.rows[order]
        if schedule.kind != "fixed":
            gp, trace = learn(X, y, gp, k, schedule.options, rng, recorder=recorder, rows=noise)
            recorder.rows(trace)
        near = earlier_neighbours(embedding(gp.kernel, X), k)
        if schedule.kind == "fixed" and problem.learned_on:
            rules = schedule.evaluations, schedule.learner, recorder
            gp, trace = fit_noise(X, y, problem.gp, lambda gp: evaluate(gp, X, y, near, noise), *rules)
            recorder.rows(trace)
            recorder.note(*([noise_note(problem.gp, gp)] if trace else []))
        F, _, _ = evaluate(gp, X, y, near, noise)
        subset = schedule.kind == "fixed" and bool(problem.learned_on)
        factor = self._factor(gp, X, y, near, noise) if self.calibrate or (subset and self.calibrate is None) else 1.0
        recorder.note(*told(factor))
        own = None if noise is None else noise.variances(gp.noise)
        posterior = VecchiaPosterior(gp, X, y, self.test_neighbours or 2 * self.neighbours, factor, own)
        return Fitted(predict=posterior, gp=gp, n_basis=k, log_evidence=float(F), **recorder.told())

    def _factor(self, gp, X, y, near, noise) -> float:
        """Factor of the variances, from the residuals of each row given all others."""
        return variance_factor(*leave_one_out(build(gp, X[:0], X, y, near, noise=noise)))
