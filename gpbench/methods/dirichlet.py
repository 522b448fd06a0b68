"""Many classes by regression: one Gaussian process for each class on the logarithm of Dirichlet variables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pydantic import Field, field_validator

from gpbench import catalog
from gpbench.errors import ConfigError, NotApplicable
from gpbench.gp.inference.dirichlet import DirichletPosterior, targets
from gpbench.gp.inference.row_noise import RowNoise
from gpbench.gp.learning import priors
from gpbench.gp.learning.dirichlet import ALPHAS, Rules, choose

from .base import GP, Fitted, Problem, Recorder, Schedule
from .families.classes import ManyClasses, numbers


class Dirichlet(ManyClasses):
    """Milios et al. (2018): K regressions with known noise variances share kernel and inducing inputs; no EP."""

    name = "dirichlet"
    title = "Classes by Dirichlet regression"
    use = "Two or more classes by regression, without EP; take it for many classes, and for two where EP is too slow."
    heeds = dict.fromkeys(("joint", "interleaved"), ("evaluations", "optimiser"))

    regression: str = Field("full-gp", description="method of each class: full-gp, fitc, vfe, vecchia or vif")
    alpha: float | None = Field(
        None, gt=0, description="of the Dirichlet: the smaller, the surer; null: by leave-one-out log loss"
    )
    rows: int = Field(500, ge=2, description="rows, at most, on which kernel and alpha are learned")

    @field_validator("regression")
    @classmethod
    def _takes_row_noise(cls, name: str):
        try:
            found = catalog.find("method", name)
        except ConfigError as e:
            raise ValueError(str(e)) from e
        if not found.row_noise:
            raise ValueError(f"{name} takes no noise variances of rows; take full-gp, fitc, vfe, vecchia or vif")
        return name

    @classmethod
    def parts_of(cls, params):
        try:
            return [catalog.find("method", params.get("regression") or "full-gp")]
        except ConfigError:
            return []

    def fit(self, problem: Problem, rng):
        labels, recorder = numbers(problem), problem.recorder()
        if problem.learned_on:
            raise NotApplicable("dirichlet: a full GP learns nothing from class numbers; write `schedule: joint`")
        with recorder.time("adapt"):
            alpha, kernel = self._learned(problem, labels, recorder)
        Y, S2 = targets(labels, problem.classes, alpha)
        method, seed = self.part(self.regression, calibrate=False), int(rng.integers(2**31 - 1))
        fits = []
        for y, s2 in zip(Y.T, S2.T):
            of_class = replace(
                problem, y=y, gp=GP(kernel, 0.0), schedule=Schedule("fixed", learner=problem.schedule.learner),
                task="regression", learned_on=None, rows=RowNoise.of(len(y), variance=s2),
            )  # fmt: skip
            fits.append(method.fit(of_class, np.random.default_rng(seed)))  # the same stream: the same inducing inputs
            recorder.evaluated(fits[-1].kernel_rows or 0)
        recorder.note(*dict.fromkeys(note for fitted in fits for note in fitted.notes), f"alpha {alpha:.0e}")
        return Fitted(
            predict=DirichletPosterior(tuple(fitted.predict for fitted in fits)),
            gp=GP(kernel, 0.0),
            n_basis=fits[0].n_basis,
            log_evidence=_sum(fits),
            pivots=fits[0].pivots,
            inducing=fits[0].inducing,
            whole=fits[0].whole,
            **recorder.told(),
        )

    def _learned(self, problem: Problem, labels, recorder: Recorder):
        """(alpha, kernel) by the first rows of the shared order."""
        schedule, rows = problem.schedule, problem.order[: self.rows]
        options = schedule.options.within(0) if schedule.kind == "fixed" else schedule.options
        prior = priors.find(schedule.prior, "lengthscale")  # the magnitude is that of log alpha
        if self.alpha is not None and not options.evaluations:
            return self.alpha, problem.gp.kernel
        alphas = ALPHAS if self.alpha is None else (self.alpha,)
        rules = Rules(options, prior)
        found = choose(problem.X[rows], labels[rows], problem.classes, problem.gp.kernel, alphas, rules, recorder)
        return found.alpha, found.kernel


def _sum(fits: list[Fitted]) -> float | None:
    found = [fitted.log_evidence for fitted in fits]
    return None if None in found else float(sum(found))
