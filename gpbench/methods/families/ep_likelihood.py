"""What ep and ep-fic do with `likelihood:` other than probit: counts, and numbers with outliers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from gpbench import catalog
from gpbench.errors import ConfigError
from gpbench.gp.inference import ep, ep_parallel
from gpbench.gp.inference.latent import LikelihoodPosterior
from gpbench.gp.learning import priors
from gpbench.gp.learning.ep_likelihood import Point, find_mode
from gpbench.gp.learning.ep_mode import Rules
from gpbench.gp.learning.parameters import Layout
from gpbench.gp.likelihoods.base import Fixed, Likelihood
from gpbench.methods.base import Fitted, Problem, Recorder
from gpbench.versions import Added

from .ep import EPMethod

PROBIT = "probit"


class WithLikelihood(EPMethod):
    """Probit by the compiled, sequential updates of [vanhatalo]; every other likelihood by parallel EP."""

    likelihood: Annotated[str, Added] = Field(
        PROBIT, description="probit for two classes; poisson, negative-binomial for counts; student-t for outliers"
    )

    @field_validator("likelihood")
    @classmethod
    def _known(cls, name):
        try:
            catalog.find("likelihood", name)
        except ConfigError as e:
            raise ValueError(str(e)) from e
        return name

    @classmethod
    def task_of(cls, params):
        found = _found(params)
        return "regression" if found is not None and found.targets != "classes" else "classification"

    @classmethod
    def parts_of(cls, params):
        found = _found(params)
        return [] if found is None or found.name == PROBIT else [found]

    def signed(self, at: Layout, problem: Problem) -> ep.SitePosterior:
        """The EP posterior of a kernel (and inducing inputs) that takes sites of either sign."""
        raise NotImplementedError

    def fit(self, problem, rng):
        return super().fit(problem, rng) if self.likelihood == PROBIT else self._fit(problem, rng)

    def _fit(self, problem: Problem, rng) -> Fitted:
        likelihood: Likelihood = catalog.find("likelihood", self.likelihood)()
        likelihood.check(problem.y)
        recorder, start = problem.recorder(), Fixed(likelihood, likelihood.start(problem.y))
        starts = [Point(layout, start) for layout in self.starts(problem, rng)]
        with recorder.time("adapt"):
            at = self._learned(starts, problem, recorder)
        posterior = self.signed(at.layout, problem)
        found = ep_parallel.run(posterior, problem.y, at.likelihood, None, self.tolerance, self.sweeps)
        n_basis = problem.n if at.layout.Z is None else len(at.layout.Z)
        recorder.row({"sweeps": found.sweeps, "change": found.change, **at.likelihood.values})
        recorder.evaluated(n_basis)
        recorder.note(*found.posterior.notes, *_told(at.likelihood))
        return Fitted(
            predict=LikelihoodPosterior(found.posterior, at.likelihood),
            gp=at.layout.gp,
            n_basis=n_basis,
            log_evidence=found.log_Z,
            inducing=at.layout.Z,
            **recorder.told(),
        )

    @property
    def sweeps(self) -> int:
        """At most: parallel updates need a few times as many as sequential ones."""
        return 5 * self.max_sweeps

    def _learned(self, starts: list[Point], problem: Problem, recorder: Recorder) -> Point:
        schedule = problem.schedule
        if schedule.kind == "fixed":
            return starts[0]
        rules = Rules(schedule.options, self.learning_tolerance, self.sweeps)
        prior = priors.find(schedule.prior, self.prior_on)
        at, best = find_mode(lambda at: self.signed(at, problem), problem.y, prior, starts, rules, recorder)
        recorder.rows(best.trace)
        recorder.evaluated(best.spent * self.passes * (problem.n if at.layout.Z is None else len(at.layout.Z)))
        if not best.converged:
            recorder.note(f"hyperparameters not converged: {best.message}")
        return at


def _found(params) -> type[Likelihood] | None:
    """The likelihood that the parameters name; None where no likelihood has that name."""
    try:
        return catalog.find("likelihood", params.get("likelihood") or PROBIT)
    except ConfigError:
        return None


def _told(at: Fixed) -> tuple[str, ...]:
    return tuple(f"{name} {value:.4g}" for name, value in at.values.items())
