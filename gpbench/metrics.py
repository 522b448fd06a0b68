"""Test scores. Each says which way is better; predictions and targets are on the scale the caller states."""

from __future__ import annotations

import numpy as np

LOWER_IS_BETTER = {"nmse": True, "nlpd": True, "nlpd_latent": True, "smse": True, "snlp": True, "err": True}
METRICS = tuple(LOWER_IS_BETTER)  # in the order of results.csv


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


def err(y, prob) -> float:
    """Share of misclassified points; y is -1/+1, prob is P(y = +1)."""
    return float(np.mean(np.where(prob > 0.5, 1, -1) != y))


def nlpd_class(y, prob) -> float:
    """Mean of -log p(y), natural log; y is -1/+1."""
    p = np.where(np.asarray(y) > 0, prob, 1 - prob)
    return float(-np.mean(np.log(np.maximum(p, np.finfo(float).tiny))))
