"""VIF: inducing inputs for what varies slowly, nearest earlier rows for what they leave over."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field, field_validator

from gpbench.gp.inference import vif
from gpbench.gp.learning.calibration import told, variance_factor
from gpbench.gp.learning.full_scale import first_values, near_of, optimise_vif
from gpbench.gp.learning.neighbours import fit_noise, noise_note
from gpbench.gp.linalg.cholesky import jitter_notes

from .base import AT_ONCE, GP, Fitted, Method, Problem
from .families.inducing import choose, known_start


class Vif(Method):
    """Inducing inputs and Vecchia's approximation of their residual; O(n (m^2 + m k^2)) time, O(n (m + k)) memory."""

    name = "vif"
    title = "Vecchia on the residual of inducing inputs"
    use = (
        "Inducing inputs for what varies slowly and nearest rows for the rest; take it for many rows when neither "
        "`fitc` nor `vecchia` is clearly better."
    )
    heeds = AT_ONCE
    learners = 5
    row_noise = True

    d_max: int = Field(200, ge=0, description="number of inducing inputs; 0 is `vecchia`")
    neighbours: int = Field(20, ge=0, description="earlier rows that each row is conditioned on; 0 is `fitc`")
    test_neighbours: int | None = Field(
        None, ge=0, description="training rows for each test point; null: 2 x neighbours"
    )
    inducing: str = Field("covering", description="random, kmeans, covering or a selection method's name")
    optimise_inputs: bool = Field(False, description="learn the inducing inputs together with the hyperparameters")
    calibrate: bool = Field(
        True, description="scale variances by leave-one-out residuals where that raises the density of other rows"
    )
    optimiser: Literal["lbfgs", "cg"] | None = Field(None, description="overrides the schedule's")

    @field_validator("inducing")
    @classmethod
    def _known(cls, name):
        return known_start(name)

    def fit(self, problem, rng):
        if self.optimise_inputs:
            problem = problem.with_input_gradient(self.name)
        X, y, recorder = problem.X[problem.order], problem.y[problem.order], problem.recorder()
        k, noise = min(self.neighbours, problem.n - 1), None if problem.rows is None else problem.rows[problem.order]
        gp, Z = self._learned(problem, X, y, noise, rng, recorder)
        columns = vif.InducingColumns.of(gp, Z)
        Vt = columns.transposed(X)
        model = vif.build(gp, Z, X, y, vif.neighbours(columns, X, Vt, k), columns, Vt, noise)
        factor = variance_factor(*vif.leave_one_out(model)) if self.calibrate else 1.0
        recorder.note(*jitter_notes({"Kuu": columns.root.needed, "B": model.factor.B.jitter}), *told(factor))
        recorder.evaluated(len(Z))
        test_k = 2 * self.neighbours if self.test_neighbours is None else self.test_neighbours
        return Fitted(
            predict=vif.FullScalePosterior.of(model, test_k, factor),
            whole=True,
            gp=gp,
            n_basis=len(Z),
            log_evidence=vif.evaluate(model, gradient=False).F,
            inducing=Z,
            **recorder.told(),
        )

    def _learned(self, problem: Problem, X, y, noise, rng, recorder) -> tuple[GP, np.ndarray]:
        """Hyperparameters and inducing inputs, as the schedule says."""
        schedule, k = problem.schedule, min(self.neighbours, problem.n - 1)
        options = replace(schedule.options, optimiser=self.optimiser or schedule.optimiser)
        gp = problem.gp
        if schedule.kind != "fixed" and not problem.learned_on:
            with recorder.time("adapt"):
                gp = first_values(X, y, gp, max(k, 1), options, rng, recorder, noise)
        Z = self._inducing(problem, gp, rng, recorder)
        if schedule.kind != "fixed":
            with recorder.time("adapt"):
                gp, Z, trace = optimise_vif(X, y, gp, Z, k, options, self.optimise_inputs, recorder, noise)
            recorder.rows(trace)
            recorder.evaluated(len(trace) * len(Z))
        elif problem.learned_on:
            near = near_of(gp, Z, X, k)

            def evaluate_at(gp):
                found = vif.evaluate(vif.build(gp, Z, X, y, near, noise=noise))
                return found.F, found.dtheta, gp.noise * found.dnoise

            gp, trace = fit_noise(X, y, gp, evaluate_at, schedule.evaluations, schedule.learner, recorder)
            recorder.rows(trace)
            recorder.note(*([noise_note(problem.gp, gp)] if trace else []))
        return gp, Z

    def _inducing(self, problem: Problem, gp: GP, rng, recorder) -> np.ndarray:
        """(m, D), chosen at these hyperparameters."""
        if not self.d_max:
            return problem.X[:0]
        with recorder.time("select"):
            Z, _, rows = choose(self.inducing, replace(problem, gp=gp), self.d_max, rng)
        recorder.evaluated(rows)
        return Z
