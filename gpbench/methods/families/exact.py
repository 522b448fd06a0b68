"""What methods with an exact GP on some or all rows share: hyperparameters kept, or learned by its evidence."""

from __future__ import annotations

from collections.abc import Callable

from gpbench.gp.inference import exact
from gpbench.gp.learning import priors
from gpbench.gp.learning.full_gp import fit_hyperparameters
from gpbench.methods.base import GP, Problem, Recorder

SETTLED = 40  # evaluations after which optimisations of the kernel's parameters usually end, whatever is allowed


def operations(rows: int, evaluations: int) -> float:
    """Flops of one factorisation and the learning: n^3, and 2 n^3 for each evidence with its gradient."""
    return (1 + 2.0 * min(evaluations, SETTLED)) * rows**3


def learned(problem: Problem, X, y, rng, recorder: Recorder, evaluate: Callable = exact.evaluate) -> GP:
    """The given hyperparameters, or the optimum over rows (X, y), as the schedule says; told to the recorder."""
    if problem.schedule.kind == "fixed":
        return problem.gp
    if problem.schedule.prior != "none":
        evaluate = priors.with_prior(evaluate, priors.of_kernel(priors.find(problem.schedule.prior)))
    gp, info = fit_hyperparameters(X, y, problem.gp, problem.schedule.options, rng, evaluate, recorder)
    recorder.rows(info["trace"])
    recorder.evaluated(info["evaluations"] * len(y))
    return gp
