"""Classes as regressions (Milios et al. 2018): log-normal targets of a Dirichlet, with a noise variance for each row.

With alpha_k = alpha + [the row is of class k], the target of class k is log alpha_k - s2/2 and its noise variance
s2 = log(1 / alpha_k + 1). The class probabilities are the mean of the softmax under the K Gaussian posteriors. The
softmax does not change when all classes move alike, so the common mean of all targets is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpbench.gp.linalg.cholesky import Cholesky

from .exact import factorise
from .model import Prediction, Predictor

SAMPLES = 512  # points of a Sobol sequence: the mean of the softmax is known to some .005
AT_ONCE = 4_000_000  # numbers of a block of them


def targets(labels, classes: int, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Targets, their common mean taken off, and noise variances of class numbers   (n, K), (n, K)."""
    alphas = alpha + (np.asarray(labels)[:, None] == np.arange(classes))
    s2 = np.log(1 / alphas + 1)
    y = np.log(alphas) - s2 / 2
    return y - y.mean(), s2


def log_softmax_mean(mean, var) -> np.ndarray:
    """log E[softmax(f)] with independent f_k ~ N(mean_k, var_k), by a fixed Sobol sequence   (t, K)."""
    from scipy.special import logsumexp, ndtri
    from scipy.stats import qmc

    t, K = mean.shape
    normal = ndtri(qmc.Sobol(K, seed=0).random(SAMPLES))
    sd, found = np.sqrt(np.maximum(var, 0.0)), np.empty((t, K))
    for begin in range(0, t, step := max(1, AT_ONCE // (SAMPLES * K))):
        rows = slice(begin, begin + step)
        f = mean[rows, None] + sd[rows, None] * normal  # (b, SAMPLES, K)
        f -= logsumexp(f, axis=2, keepdims=True)
        found[rows] = logsumexp(f, axis=1) - np.log(SAMPLES)
    return found - logsumexp(found, axis=1, keepdims=True)


def leave_one_out(factor: Cholesky, y, s2) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the latent function at each row given the others   (n,), (n,)."""
    inv_diag = factor.inv_diag()
    return y - factor.solve(y) / inv_diag, np.maximum(1 / inv_diag - s2, 0.0)


def leave_one_out_loss(K_rows, labels, Y, S2) -> float:
    """Mean log loss of each row given the others, by exact regression with the kernel matrix K_rows (n, n)."""
    found = [leave_one_out(factorise(K_rows, s2), y, s2) for y, s2 in zip(Y.T, S2.T)]
    mean, var = (np.column_stack(part) for part in zip(*found))
    return float(-np.mean(log_softmax_mean(mean, var)[np.arange(len(labels)), labels]))


@dataclass(frozen=True)
class DirichletPosterior(Predictor):
    """One regression model for each class."""

    parts: tuple[Predictor, ...]

    def predict(self, Xs) -> Prediction:
        found = [part.predict(Xs) for part in self.parts]
        log_prob = log_softmax_mean(np.column_stack([p.mean for p in found]), np.column_stack([p.var for p in found]))
        return of_log_probabilities(log_prob)


def of_log_probabilities(log_prob) -> Prediction:
    return replace(of_probabilities(np.exp(log_prob)), log_prob=log_prob)


def of_probabilities(p) -> Prediction:
    """The prediction with these probabilities (t, K); mean and variance are those of the class number."""
    numbers = np.arange(p.shape[1], dtype=float) if p.shape[1] > 2 else np.array([-1.0, 1.0])
    mean = p @ numbers
    var = np.maximum(p @ numbers**2 - mean**2, np.finfo(float).tiny)
    return Prediction(mean, var, None, p if p.shape[1] > 2 else p[:, 1])
