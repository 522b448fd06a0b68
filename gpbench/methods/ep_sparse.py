"""EP classification with a compactly supported kernel ([vanhatalo]); damped parallel EP runs on the same factor."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.inference.sites_parallel import DAMPING, Parallel
from gpbench.inference.sites_rows import Rows

from ._ep import EPMethod


class EPSparse(EPMethod):
    """EP on a sparse covariance matrix (pp0..pp3, or products with one of them); memory and time follow its factor."""

    name = "ep-sparse"
    title = "EP, compact support"

    solver: Literal["rows", "parallel"] = Field("rows", description="site by site, or all sites at once")
    ordering: Literal["amd", "metis", "nesdis", "natural"] = Field("amd", description="fill-reducing ordering")
    damping: float = Field(DAMPING, gt=0, le=1, description="step of `solver: parallel`")

    def posterior(self, at, problem):
        if self.solver == "parallel":
            return Parallel(at.kernel, problem.X, self.ordering, self.damping)
        return Rows(at.kernel, problem.X, self.ordering)
