"""Kernel parameters that all classes share, and alpha, of the regressions of gp/inference/dirichlet.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpbench.gp.inference.dirichlet import leave_one_out_loss, targets
from gpbench.gp.inference.exact import factorise
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.objectives.evidence import evidence
from gpbench.recorder import Recorder

from . import priors
from .learner import OptimiserOptions
from .parameters import Layout

ALPHAS = tuple(10.0**-k for k in range(1, 9))  # tried from the first on, until the leave-one-out loss rises


@dataclass(frozen=True)
class Chosen:
    alpha: float
    kernel: Kernel
    loss: float  # leave-one-out log loss of the rows


@dataclass(frozen=True)
class Rules:
    """How the kernel is learned for an alpha; no evaluations: it is kept."""

    options: OptimiserOptions
    prior: Callable = priors.flat


def evaluate(kernel: Kernel, X, Y, S2) -> tuple[float, np.ndarray]:
    """Sum of the K log evidences and its gradient in the kernel's parameters; Y and S2 are (n, K)."""
    K, pull = kernel.linearised(X)
    total, slopes = 0.0, np.zeros(K.shape)
    for y, s2 in zip(Y.T, S2.T):
        F, W, _ = evidence(factorise(K, s2), y)
        total += F
        slopes += W.dense()
    return total, pull(slopes)[0]


def learn(X, labels, classes: int, kernel: Kernel, alpha: float, rules: Rules, recorder: Recorder) -> Kernel:
    """The kernel with the largest sum of evidences, and log prior, for this alpha, from the given one."""
    layout = Layout(GP(kernel, 1.0), free_noise=False)
    Y, S2 = targets(labels, classes, alpha)

    def at(x):
        kernel = layout.moved(x).kernel
        F, dtheta = evaluate(kernel, X, Y, S2)
        log_prior, dprior = rules.prior(kernel)
        return F + log_prior, layout.gradient(dtheta + dprior)

    bounds = layout.bounds(rules.options.learner)
    best = rules.options.maximise(at, layout.pack(), bounds, recorder=recorder)
    recorder.evaluated(best.spent * len(X))
    return layout.moved(best.x).kernel


def choose(
    X, labels, classes: int, kernel: Kernel, alphas: tuple[float, ...], rules: Rules, recorder: Recorder
) -> Chosen:
    """alpha, and the kernel learned for it, with the smallest leave-one-out log loss."""
    best = None
    for alpha in alphas:
        if rules.options.evaluations:
            kernel = learn(X, labels, classes, kernel, alpha, rules, recorder)
        loss = leave_one_out_loss(kernel(X), labels, *targets(labels, classes, alpha))
        recorder.evaluated(len(X))
        recorder.row({"alpha": alpha, "loo_log_loss": loss})
        if best is not None and loss >= best.loss:
            break
        best = Chosen(alpha, kernel, loss)
    assert best is not None
    return best
