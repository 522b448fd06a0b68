"""EP classification with a compactly supported kernel ([vanhatalo]) by one of three solvers with one fixed point."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.inference.sites_fronts import FrontSites
from gpbench.gp.inference.sites_parallel import DAMPING, Parallel
from gpbench.gp.inference.sites_rows import RowSites
from gpbench.gp.linalg.ordering import Ordering

from .families.ep import EPMethod

SEQUENTIAL = {"fronts": FrontSites, "rows": RowSites}


class EPSparse(EPMethod):
    """EP on a sparse covariance matrix (pp0..pp3, or products with one of them); memory and time follow its factor."""

    name = "ep-sparse"
    title = "EP, compact support"
    use = "EP classification with a kernel of compact support; take it for many rows whose classes vary quickly."
    compact = True
    probes = ("profile", "sweeps")

    solver: Literal["fronts", "rows", "parallel"] = Field(
        "fronts", description="blocks of sites by matrix products, site by site as the paper has it, or all at once"
    )
    ordering: Ordering = Field("amd", description="fill-reducing ordering")
    damping: float = Field(DAMPING, gt=0, le=1, description="step of `solver: parallel`")
    profile: int = Field(0, ge=0, description="distances at which the kernel itself is recorded ([vanhatalo] Figure 1)")

    def posterior(self, at, problem):
        if self.solver == "parallel":
            return Parallel(at.kernel, problem.X, self.ordering, self.damping)
        return SEQUENTIAL[self.solver](at.kernel, problem.X, self.ordering)
