"""Exact Gaussian process regression on all training rows: the yardstick of every sparse method."""

from __future__ import annotations

from gpbench.inference.exact import ExactPosterior
from gpbench.learning.full_gp import fit_hyperparameters

from .base import Fitted, Method, Problem


def exact_fit(problem: Problem, rows, rng) -> Fitted:
    """Exact GP on the given rows, hyperparameters kept or learned on them as the schedule says."""
    X, y = problem.X[rows], problem.y[rows]
    schedule, gp, trace = problem.schedule, problem.gp, []
    if schedule.kind != "fixed":
        budget = schedule.evaluations, schedule.optimiser, schedule.restarts
        gp, info = fit_hyperparameters(X, y, gp, *budget, rng, learner=schedule.learner)
        trace = info["trace"]
    posterior = ExactPosterior.fit(gp, X, y)
    notes = (f"jitter {posterior.factor.jitter:.1e}",) if posterior.factor.jitter else ()
    return Fitted(
        predict=posterior.predict,
        gp=gp,
        n_basis=len(rows),
        log_evidence=posterior.log_evidence,
        pivots=rows,
        kernel_rows=len(rows),
        trace=trace,
        notes=notes,
    )


class FullGP(Method):
    """Exact GP regression; O(n^3) time, O(n^2) memory."""

    name = "full-gp"
    title = "Full Gaussian process"
    dense = True

    def fit(self, problem, rng):
        return exact_fit(problem, problem.order, rng)
