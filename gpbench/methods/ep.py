"""Dense EP classification, the yardstick of the sparse ones; with the squared exponential [vanhatalo]'s baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from gpbench.errors import NotApplicable
from gpbench.inference.sites_dense import Panels, RankOne
from gpbench.versions import Added

from .families.ep import EPMethod

SOLVERS = {"panels": Panels, "rank-one": RankOne}


class EP(EPMethod):
    """Sequential EP on the full covariance matrix; O(n^3) a sweep, O(n^2) memory. Any kernel."""

    name = "ep"
    title = "EP, full covariance"
    use = (
        "EP classification with the full covariance; take it up to some two thousand rows, and as the "
        "yardstick of the other two."
    )
    dense = True

    solver: Literal["panels", "rank-one"] = Field("panels", description="how site changes reach the covariance")

    profile: Annotated[int, Added] = Field(
        0,
        ge=0,
        description="distances, up to three length-scales, at which the "
        "kernel itself is recorded ([vanhatalo] Figure 1)",
    )

    def fit(self, problem, rng):
        fitted = super().fit(problem, rng)
        return replace(fitted, trace=[*_profile(fitted.gp.kernel, self.profile), *fitted.trace])

    def posterior(self, at, problem):
        return SOLVERS[self.solver](at.kernel, problem.X)


def _profile(kernel, distances: int) -> list[dict[str, float]]:
    """The correlation along one input; `step` is the distance in length-scales."""
    if not distances:
        return []
    length = np.ravel(kernel.values().get("lengthscale", []))
    if len(length) != 1:
        raise NotApplicable(f"profile: kernel {kernel.name} has no single length-scale; use ard: false")
    steps = 3 * np.arange(1, distances + 1) / (distances + 1)
    at = np.zeros((distances, kernel.dims))
    at[:, 0] = steps * length[0]
    k = kernel(np.zeros((1, kernel.dims)), at)[0] / kernel.diag(at)
    return [{"step": float(s), f"k_{kernel.name}": float(v)} for s, v in zip(steps, k)]
