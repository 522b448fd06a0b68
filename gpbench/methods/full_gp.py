"""Exact Gaussian process regression on all training rows: the yardstick of every sparse method."""

from __future__ import annotations

from functools import partial

from gpbench.gp.inference.exact import ExactPosterior, evaluate
from gpbench.gp.linalg.cholesky import jitter_notes

from .base import AT_ONCE, Fitted, Method, Problem
from .families.exact import learned, operations


def exact_fit(problem: Problem, rows, rng) -> Fitted:
    """Exact GP on the given rows, hyperparameters kept or learned on them as the schedule says."""
    X, y, recorder = problem.X[rows], problem.y[rows], problem.recorder()
    noise = None if problem.rows is None else problem.rows[rows]
    gp = learned(problem, X, y, rng, recorder, partial(evaluate, rows=noise))
    posterior = ExactPosterior.fit(gp, X, y, noise)
    recorder.evaluated(len(rows))
    recorder.note(*jitter_notes({"K": posterior.factor.jitter}))
    return Fitted(
        predict=posterior,
        gp=gp,
        n_basis=len(rows),
        log_evidence=posterior.log_evidence,
        pivots=rows,
        **recorder.told(),
    )


class FullGP(Method):
    """Exact GP regression; O(n^3) time, O(n^2) memory."""

    name = "full-gp"
    title = "Full Gaussian process"
    use = "The exact GP on all rows; take it up to a few thousand rows, and as the yardstick of everything else."
    dense = True
    row_noise = True
    heeds = AT_ONCE
    probes = ("prior",)

    @classmethod
    def operations(cls, n, m, evaluations):
        return operations(n, evaluations)

    def fit(self, problem, rng):
        return exact_fit(problem, problem.order, rng)
