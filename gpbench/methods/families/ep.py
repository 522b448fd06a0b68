"""What ep, ep-fic and ep-sparse share: labels, the search for the mode, one timed EP run at it, predictions."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from gpbench.errors import DataError
from gpbench.gp.inference import ep
from gpbench.gp.inference.likelihoods import Probit
from gpbench.gp.learning import priors
from gpbench.gp.learning.ep_mode import Rules, find_mode
from gpbench.gp.learning.parameters import Layout
from gpbench.methods.base import AT_ONCE, GP, Fitted, Method, Prediction, Predictor, Problem, Recorder

LIKELIHOOD = Probit()
NOISE = 1.0  # variance of the probit's own


@dataclasses.dataclass(frozen=True)
class Classifier(Predictor):
    """A posterior of the latent function as a model of the classes."""

    posterior: ep.SitePosterior

    def predict(self, X) -> Prediction:
        mean, var = self.posterior.predict(X)
        prob, log_prob = LIKELIHOOD.probability(mean, var), LIKELIHOOD.log_probabilities(mean, var)
        return Prediction(mean, var + NOISE, None, prob, log_prob)


class EPMethod(Method):
    """Binary classification with a probit likelihood; prior, evaluations and restarts are those of the schedule."""

    version: ClassVar[int] = 2  # nlpd from log p of both classes
    task: ClassVar[str] = "classification"
    heeds: ClassVar[dict] = AT_ONCE
    passes: ClassVar[int] = 1  # over the kernel matrix in an evaluation of log Z and its gradient
    paper: ClassVar[str] = "vanhatalo"

    tolerance: float = Field(1e-6, gt=0, description="largest relative change of a site in the last sweep")
    learning_tolerance: float = Field(1e-3, gt=0, description="the same while hyperparameters are learned")
    max_sweeps: int = Field(100, ge=1, description="sweeps over all sites before EP gives up and says so")
    prior_on: Literal[priors.ON] = Field("lengthscale+sd", description="quantities that `prior: half-t` covers")

    def posterior(self, at: Layout, problem: Problem) -> ep.SitePosterior:
        """The EP posterior of a kernel (and inducing inputs) on the training part."""
        raise NotImplementedError

    def starts(self, problem: Problem, rng) -> list[Layout]:
        """The given hyperparameters, then random ones a factor e around them."""
        kernel = problem.gp.kernel
        moved = (kernel.theta + rng.normal(size=len(kernel.theta)) for _ in range(problem.schedule.restarts - 1))
        kernels = [kernel, *(kernel.with_theta(theta) for theta in moved)]
        return [Layout(GP(k, NOISE), free_noise=False) for k in kernels]

    def fit(self, problem, rng):
        if not np.isin(problem.y, (-1, 1)).all():
            raise DataError(f"{self.name} needs two classes, coded -1 and +1; got {len(np.unique(problem.y))} values")
        recorder = problem.recorder()
        with recorder.time("adapt"):
            at = self._learn(problem, rng, recorder)
        steps = len(recorder.trace)
        found, figures = self._run(at, problem, recorder)
        n_basis = problem.n if at.Z is None else len(at.Z)
        recorder.row({**figures, "optimisation_steps": steps})
        recorder.evaluated(n_basis)
        recorder.note(*found.notes, *found.posterior.notes)
        return Fitted(
            predict=Classifier(found.posterior),
            gp=at.gp,
            n_basis=n_basis,
            log_evidence=found.log_Z,
            inducing=at.Z,
            **recorder.told(),
        )

    def _learn(self, problem: Problem, rng, recorder: Recorder) -> Layout:
        starts, schedule = self.starts(problem, rng), problem.schedule
        if schedule.kind == "fixed":
            return starts[0]
        at, best = find_mode(
            lambda at: self.posterior(at, problem), problem.y, LIKELIHOOD, priors.find(schedule.prior, self.prior_on),
            starts, Rules(schedule.options, self.learning_tolerance, self.max_sweeps), recorder,
        )  # fmt: skip
        recorder.rows(best.trace)
        recorder.evaluated(best.spent * self.passes * (problem.n if at.Z is None else len(at.Z)))
        if not best.converged:
            recorder.note(f"hyperparameters not converged: {best.message}")
        return at

    def _run(self, at: Layout, problem: Problem, recorder: Recorder) -> tuple[ep.EPResult, dict[str, float]]:
        """One EP run from empty sites, as [vanhatalo] times it, with what is recorded of it."""
        small = dataclasses.replace(problem, X=problem.X[:3], y=problem.y[:3])
        ep.run(self.posterior(at, small), small.y, LIKELIHOOD, tolerance=self.tolerance)  # loads the compiled loops
        with recorder.stopwatch() as whole:
            with recorder.stopwatch() as building:
                posterior = self.posterior(at, problem)
            found = ep.run(posterior, problem.y, LIKELIHOOD, None, self.tolerance, self.max_sweeps)
        figures = {
            "ep_seconds": whole.seconds, "build_seconds": building.seconds, "sweeps": found.sweeps,
            "converged": float(found.converged), "change": found.change, "log_evidence": found.log_Z,
        }  # fmt: skip
        return found, figures | {k: float(v) for k, v in posterior.figures().items()}
