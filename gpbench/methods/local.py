"""Full GPs on clusters of rows: the cheap baseline of Chalupka, Williams and Murray (2013)."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from gpbench.errors import NotApplicable
from gpbench.inference.local import LocalPosterior, objective
from gpbench.learning.full_gp import fit_hyperparameters
from gpbench.linalg.cholesky import jitter_notes
from gpbench.linalg.halving import Halving

from .base import AT_ONCE, Fitted, Method


class Local(Method):
    """Independent GPs on clusters of at most d_max rows, one set of hyperparameters; O(n d_max^2) an evaluation."""

    name = "local"
    title = "Local GPs"
    use = (
        "Independent GPs on clusters of rows; take it for short length-scales, many rows and no need of "
        "smoothness between clusters."
    )
    heeds = AT_ONCE

    d_max: int = Field(500, ge=1, description="rows of a cluster, at most")

    def fit(self, problem, rng):
        if problem.X.ndim != 2:
            raise NotApplicable("local: clusters need inputs that are vectors")
        X, y = problem.X[problem.order], problem.y[problem.order]
        gp, schedule, trace, evaluations = problem.gp, problem.schedule, [], 0
        tree = Halving.of(X, self.d_max, rng)
        clusters = tree.leaves()
        if schedule.kind != "fixed":
            budget = schedule.evaluations, schedule.optimiser, schedule.restarts
            of_clusters = partial(objective, clusters=clusters)
            gp, info = fit_hyperparameters(X, y, gp, *budget, rng, of_clusters, schedule.learner)
            trace, evaluations = info["trace"], info["evaluations"]
        posterior = LocalPosterior.fit(gp, X, y, tree)
        return Fitted(
            predict=posterior.predict,
            gp=gp,
            n_basis=max(map(len, clusters)),
            log_evidence=posterior.log_evidence,
            kernel_rows=(evaluations + 1) * problem.n,
            trace=[*trace, {"clusters": len(clusters)}],
            notes=jitter_notes({"K": max(part.factor.jitter for part in posterior.parts)}),
        )
