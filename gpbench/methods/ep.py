"""Dense EP classification, the yardstick of the sparse ones; with the squared exponential [vanhatalo]'s baseline."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gpbench.gp.inference.sites_dense import Panels, RankOne
from gpbench.gp.inference.sites_signed import SignedDense
from gpbench.versions import Added

from .families.ep_likelihood import WithLikelihood

SOLVERS = {"panels": Panels, "rank-one": RankOne}


class EP(WithLikelihood):
    """Sequential EP on the full covariance matrix; O(n^3) a sweep, O(n^2) memory. Any kernel."""

    name = "ep"
    title = "EP, full covariance"
    use = (
        "EP classification with the full covariance; take it up to some two thousand rows, and as the "
        "yardstick of the other two."
    )
    dense = True
    probes = ("profile",)

    solver: Literal["panels", "rank-one"] = Field("panels", description="how site changes reach the covariance")

    profile: Annotated[int, Added] = Field(
        0,
        ge=0,
        description="distances, up to three length-scales, at which the "
        "kernel itself is recorded ([vanhatalo] Figure 1)",
    )

    def posterior(self, at, problem):
        return SOLVERS[self.solver](at.kernel, problem.X)

    def signed(self, at, problem):
        return SignedDense(at.kernel, problem.X)
