"""Exact GP regression with a compactly supported kernel, on a sparse Cholesky factor ([vanhatalo] section 3)."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from gpbench.errors import NotApplicable
from gpbench.inference.compact import CompactPosterior, objective
from gpbench.kernels.base import NO_SUPPORT
from gpbench.learning.full_gp import fit_hyperparameters
from gpbench.linalg.ordering import Ordering

from .base import AT_ONCE, Fitted, Method


class SparseGP(Method):
    """Exact GP on all training rows; time and memory follow the fill of the factor."""

    name = "sparse-gp"
    title = "Exact GP, compact support"
    use = (
        "The exact GP with a kernel of compact support, on sparse matrices; take it for short length-scales "
        "in few dimensions."
    )
    heeds = AT_ONCE
    compact = True
    paper = "vanhatalo"

    ordering: Ordering = Field("amd", description="fill-reducing ordering")

    def fit(self, problem, rng):
        gp, schedule, trace, evaluations = problem.gp, problem.schedule, [], 0
        if not gp.kernel.compact:
            raise NotApplicable(f"kernel {gp.kernel.name} has {NO_SUPPORT}")
        if schedule.kind != "fixed":
            gp, info = fit_hyperparameters(
                problem.X, problem.y, gp, schedule.evaluations, schedule.optimiser, schedule.restarts, rng,
                objective=partial(objective, ordering=self.ordering), learner=schedule.learner,
            )  # fmt: skip
            trace, evaluations = info["trace"], info["evaluations"]
        posterior = CompactPosterior.fit(gp, problem.X, problem.y, self.ordering)
        fronts = posterior.factor.fronts
        fills = {"fill_K": posterior.fill_k, "fill_L": fronts.fill, "fronts": fronts.count}
        return Fitted(
            predict=posterior.predict,
            whole=True,
            gp=gp,
            n_basis=problem.n,
            log_evidence=posterior.log_evidence,
            kernel_rows=(evaluations + 1) * problem.n,
            trace=[*trace, fills],
            notes=(posterior.note,) if posterior.note else (),
        )
