"""Dense EP classification, the yardstick of the sparse ones; with the squared exponential [vanhatalo]'s baseline."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.inference.sites_dense import Panels, RankOne

from .families.ep import EPMethod

SOLVERS = {"panels": Panels, "rank-one": RankOne}


class EP(EPMethod):
    """Sequential EP on the full covariance matrix; O(n^3) a sweep, O(n^2) memory. Any kernel."""

    name = "ep"
    title = "EP, full covariance"
    dense = True

    solver: Literal["panels", "rank-one"] = Field("panels", description="how site changes reach the covariance")

    def posterior(self, at, problem):
        return SOLVERS[self.solver](at.kernel, problem.X)
