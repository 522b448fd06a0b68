"""What `auto` does with two classes: EP, unless Dirichlet regression predicts rows left out clearly better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import log_ndtr

from gpbench.errors import GpbenchError
from gpbench.methods.base import Fitted, Problem
from gpbench.methods.dirichlet import Dirichlet
from gpbench.methods.ep import EP

from .kernel_of_classes import by_evidence
from .left_out import EQUAL, named


def chosen(problem: Problem, rng, why: str) -> Fitted:
    """EP with the kernel by evidence, or Dirichlet regression with the same kernel; the latter's values are its own."""
    by_ep = by_evidence(EP(), problem, rng)
    if not problem.others or problem.schedule.kind == "fixed":
        return named(by_ep, EP.name, why)
    try:
        other = Dirichlet().fit(replace(problem, gp=by_ep.gp, others=()), rng)
    except GpbenchError:
        return named(by_ep, EP.name, why)
    losses = left_out_loss(by_ep, problem.y), min(row["loo_log_loss"] for row in other.trace if "alpha" in row)
    told = "log loss of rows left out: ep {:.3f}, dirichlet {:.3f}".format(*losses)
    if losses[1] < losses[0] - EQUAL:
        return named(other, Dirichlet.name, told)
    return named(by_ep, EP.name, f"{why}; {told}")


def left_out_loss(by_ep: Fitted, y) -> float:
    """Mean log loss of each row given the others, by the cavities of EP."""
    posterior = by_ep.predict.posterior
    (mu, var), sites = posterior.marginals(), posterior.sites
    v = 1 / (1 / var - sites.tau)
    m = v * (mu / var - sites.nu)
    return float(-np.mean(log_ndtr(y * m / np.sqrt(1 + v))))
