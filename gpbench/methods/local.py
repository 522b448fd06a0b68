"""Full GPs on clusters of rows: the cheap baseline of Chalupka, Williams and Murray (2013)."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from gpbench.errors import NotApplicable
from gpbench.gp.inference.local import LocalPosterior, evaluate
from gpbench.gp.linalg.cholesky import jitter_notes
from gpbench.gp.linalg.halving import Halving

from .base import AT_ONCE, Fitted, Method
from .families.exact import learned


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
        X, y, recorder = problem.X[problem.order], problem.y[problem.order], problem.recorder()
        tree = Halving.of(X, self.d_max, rng)
        clusters = tree.leaves()
        gp = learned(problem, X, y, rng, recorder, partial(evaluate, clusters=clusters))
        posterior = LocalPosterior.fit(gp, X, y, tree)
        recorder.evaluated(problem.n)
        recorder.row({"clusters": len(clusters)})
        recorder.note(*jitter_notes({"K": max(part.factor.jitter for part in posterior.parts)}))
        return Fitted(
            predict=posterior,
            gp=gp,
            n_basis=max(map(len, clusters)),
            log_evidence=posterior.log_evidence,
            **recorder.told(),
        )
