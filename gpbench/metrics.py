"""Test scores. Each says which way is better; predictions and targets are on the scale the caller states."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import NormalDist

import numpy as np

METRICS = ("nmse", "nlpd", "nlpd_latent", "smse", "snlp", "err", "rmse", "mae", "crps", "coverage")
CLASSIFICATION = ("err", "nlpd")
REGRESSION = tuple(m for m in METRICS if m != "err")
OF_TASK = {"regression": REGRESSION, "classification": CLASSIFICATION}
IN_NATS = ("nlpd", "nlpd_latent", "snlp")  # differences count; of the others, ratios
AIM = {"coverage": 0.95}  # the best value of a score that is not simply better when lower


def lacking(known: Iterable[str], listed: Iterable[str]) -> list[str]:
    """Listed metrics that scores of a prediction lack; one that does not apply to its task is not missed."""
    known = set(known)
    return [m for m in listed if m in (CLASSIFICATION if "err" in known else REGRESSION) and m not in known]


def loss(metric: str, values):
    """What is lower for the better prediction: the score itself, or its distance from the value it should have."""
    return abs(values - AIM[metric]) if metric in AIM else values


def loss_name(metric: str) -> str:
    """What `loss` gives, in a sentence."""
    return f"distance of {metric} from {AIM[metric]:g}" if metric in AIM else metric


def nmse(y, mean, variance: float) -> float:
    """Mean squared error over a stated variance: of the whole data set ([sundararajan]) or of the test targets."""
    return float(np.mean((y - mean) ** 2) / variance)


def smse(y, mean) -> float:
    """Mean squared error over the variance of the test targets ([cao])."""
    return nmse(y, mean, float(np.var(y)))


def gaussian_loss(y, mean, var):
    """-log N(y; mean, var), natural log   (t,)."""
    return 0.5 * (np.log(2 * np.pi * var) + (y - mean) ** 2 / var)


def nlpd(y, mean, var) -> float:
    """Mean negative log predictive density; var includes the noise unless the name says latent."""
    return float(np.mean(gaussian_loss(y, mean, var)))


def snlp(y, mean, var, train_mean: float, train_var: float) -> float:
    """nlpd minus that of the trivial model N(train mean, train variance) ([cao] eq. 22)."""
    return nlpd(y, mean, var) - nlpd(y, train_mean, train_var)


def rmse(y, mean) -> float:
    """Root of the mean squared error, in units of the target."""
    return float(np.sqrt(np.mean((y - mean) ** 2)))


def mae(y, mean) -> float:
    """Mean absolute error of the mean, which for a Gaussian is also the median."""
    return float(np.mean(np.abs(y - mean)))


def crps(y, mean, var) -> float:
    """Mean continuous ranked probability score of N(mean, var), in units of the target.

    sd (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)),   z = (y - mean) / sd
    """
    from scipy.special import erf

    sd = np.sqrt(var)
    z = (y - mean) / sd
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return float(np.mean(sd * (z * erf(z / np.sqrt(2)) + 2 * density - 1 / np.sqrt(np.pi))))


def coverage(y, mean, var) -> float:
    """Share of test targets inside the central 95 % interval of N(mean, var); .95 is right, more is too wide."""
    half = NormalDist().inv_cdf(0.5 + AIM["coverage"] / 2)
    return float(np.mean(np.abs(y - mean) <= half * np.sqrt(var)))


def of_gaussians(y, mean, var) -> dict[str, float]:
    """The scores that need nothing but targets and predictive densities N(mean, var)."""
    scores = {"rmse": rmse(y, mean), "mae": mae(y, mean)}
    return scores | {f.__name__: f(y, mean, var) for f in (nlpd, crps, coverage)}


def err(y, prob) -> float:
    """Share of misclassified points; y is -1/+1, prob is P(y = +1)."""
    return float(np.mean(np.where(prob > 0.5, 1, -1) != y))


def nlpd_class(y, prob, log_prob=None) -> float:
    """Mean of -log p(y), natural log; y is -1/+1.

    log_prob is log p of both classes (t, 2). Without it 1 - prob stands for the class -1, which knows no loss between
    37 nats and that of the smallest number.
    """
    positive = np.asarray(y) > 0
    if log_prob is not None:
        return float(-np.mean(np.where(positive, log_prob[:, 1], log_prob[:, 0])))
    p = np.where(positive, prob, 1 - prob)
    return float(-np.mean(np.log(np.maximum(p, np.finfo(float).tiny))))
