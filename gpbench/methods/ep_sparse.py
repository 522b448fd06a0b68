"""EP classification with a compactly supported kernel ([vanhatalo]) by one of three solvers with one fixed point."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from pydantic import Field

from gpbench.errors import NotApplicable
from gpbench.inference.sites_fronts import FrontSites
from gpbench.inference.sites_parallel import DAMPING, Parallel
from gpbench.inference.sites_rows import Rows
from gpbench.learning.ep_mode import Start
from gpbench.linalg.ordering import Ordering

from .families.ep import LIKELIHOOD, EPMethod

SEQUENTIAL = {"fronts": FrontSites, "rows": Rows}


class EPSparse(EPMethod):
    """EP on a sparse covariance matrix (pp0..pp3, or products with one of them); memory and time follow its factor."""

    name = "ep-sparse"
    title = "EP, compact support"
    use = "EP classification with a kernel of compact support; take it for many rows whose classes vary quickly."
    compact = True

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

    def _first_sweep_from(self, fitted, problem) -> dict[str, float]:
        """[vanhatalo] section 5.4: the time of a first sweep from given sites, here those of the fixed point."""
        sites = fitted.predict.__self__.posterior.sites  # of the `Classifier` whose method it is
        fresh = self.posterior(Start(fitted.gp.kernel), problem)
        fresh.refresh(sites)
        fresh.sweep(sites.copy(), np.ascontiguousarray(problem.y, dtype=float), LIKELIHOOD)
        return {"first_sweep_seconds_given": fresh.seconds[0]}

    def fit(self, problem, rng):
        fitted = super().fit(problem, rng)
        kernel = fitted.gp.kernel
        if self.solver == "rows":
            fitted = dataclasses.replace(fitted, facts=lambda: self._first_sweep_from(fitted, problem))
        if not self.profile:
            return fitted
        if not hasattr(kernel, "profile"):
            raise NotApplicable(f"profile: kernel {kernel.name} is no function of one scaled distance; use pp0..pp3")
        r = np.arange(1, self.profile + 1) / (self.profile + 1)
        rows = [{"step": float(x), **{k: float(v[i]) for k, v in kernel.profile(r).items()}} for i, x in enumerate(r)]
        return dataclasses.replace(fitted, trace=[*rows, *fitted.trace])
