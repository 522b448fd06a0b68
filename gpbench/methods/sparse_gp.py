"""Exact GP regression with a compactly supported kernel, on a sparse Cholesky factor ([vanhatalo] section 3)."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from gpbench.errors import NotApplicable
from gpbench.gp.inference.compact import CompactPosterior, evaluate
from gpbench.gp.kernels.patterns import NO_SUPPORT
from gpbench.gp.linalg.ordering import Ordering

from .base import AT_ONCE, Fitted, Method
from .families.exact import learned


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
    takes_prior = True  # [vanhatalo] Figure 2 shows posterior modes
    paper = "vanhatalo"

    ordering: Ordering = Field("amd", description="fill-reducing ordering")

    def fit(self, problem, rng):
        if not problem.gp.kernel.compact:
            raise NotApplicable(f"kernel {problem.gp.kernel.name} has {NO_SUPPORT}")
        recorder, on_sparse = problem.recorder(), partial(evaluate, ordering=self.ordering)
        gp = learned(problem, problem.X, problem.y, rng, recorder, on_sparse)
        posterior = CompactPosterior.fit(gp, problem.X, problem.y, self.ordering)
        fronts = posterior.factor.fronts
        recorder.evaluated(problem.n)
        recorder.row({"fill_K": posterior.fill_k, "fill_L": fronts.fill, "fronts": fronts.count})
        if posterior.note:
            recorder.note(posterior.note)
        return Fitted(
            predict=posterior,
            whole=True,
            gp=gp,
            n_basis=problem.n,
            log_evidence=posterior.log_evidence,
            **recorder.told(),
        )
