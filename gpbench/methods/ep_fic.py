"""EP classification with FIC and learned inducing inputs (Naish-Guzman & Holden 2008), [vanhatalo]'s other baseline."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field, field_validator

from gpbench.gp.inference.sites_fic import Fic
from gpbench.gp.inference.sites_signed import SignedFic
from gpbench.gp.linalg.cholesky import JITTER

from .families.ep_likelihood import WithLikelihood
from .families.inducing import choose, known_start


class EPFic(WithLikelihood):
    """Sequential EP on the FIC covariance; O(n d_max^2) a sweep."""

    name = "ep-fic"
    version = 2  # symmetric products and solves by blocks move last bits, and an optimisation enlarges them
    title = "EP, FIC"
    use = "EP classification on a few learned inducing inputs; take it for many rows whose classes vary slowly."
    passes = 2  # its gradient is that of FITC, built anew

    d_max: int = Field(10, ge=1, description="number of inducing inputs")
    inducing: str = Field("random", description="where they start: random, kmeans, covering, or a selection method")
    optimise_inputs: bool = Field(True, description="learn them with the hyperparameters")

    @field_validator("inducing")
    @classmethod
    def _known(cls, name):
        return known_start(name)

    def starts(self, problem, rng):
        if self.optimise_inputs:
            problem = problem.with_input_gradient(self.name)
        found = []
        for k, start in enumerate(super().starts(problem, rng)):
            Z, _, _ = choose(self.inducing, problem, self.d_max, rng, again=k > 0)
            found.append(replace(start, Z=Z, free_inputs=self.optimise_inputs))
        return found

    def posterior(self, at, problem):
        return Fic(at.kernel, problem.X, at.Z, jitter=JITTER)

    def signed(self, at, problem):
        return SignedFic(at.kernel, problem.X, at.Z, jitter=JITTER)
