"""Test scores. Each says which way is better; predictions and targets are on the scale the caller states."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import NormalDist

import numpy as np

METRICS = (
    "nmse", "nlpd", "nlpd_latent", "smse", "snlp", "err", "rmse", "mae", "crps", "coverage", "log_loss", "brier", "ece",
    "deviance",
)  # fmt: skip
CLASSIFICATION = ("err", "nlpd", "log_loss", "brier", "ece")
REGRESSION = tuple(m for m in METRICS if m == "nlpd" or m not in CLASSIFICATION)
OF_TASK = {"regression": REGRESSION, "classification": CLASSIFICATION}
IN_NATS = ("nlpd", "nlpd_latent", "snlp", "log_loss")  # differences count; of the others, ratios
BINS = 15  # of `ece` and of reliability diagrams, of equal width between 0 and 1
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


def deviance(y, mean) -> float:
    """Mean Poisson deviance of counts, 2 (y log(y / mean) - y + mean); the mean must be above 0."""
    from scipy.special import xlogy

    return float(2 * np.mean(xlogy(y, y / mean) - y + mean))


# -- classes: y is -1/+1 with prob = P(y = +1) (t,), or a class number 0 to K-1 with prob (t, K) --------------------


def each_class(prob) -> np.ndarray:
    """Probabilities of every class   (t, K)."""
    prob = np.asarray(prob)
    return np.column_stack([1 - prob, prob]) if prob.ndim == 1 else prob


def class_numbers(y, classes: int) -> np.ndarray:
    """0 to K-1; of two classes -1 is number 0."""
    return (np.asarray(y) > 0).astype(int) if classes == 2 else np.asarray(y).astype(int)


def err(y, prob) -> float:
    """Share of misclassified points."""
    prob = np.asarray(prob)
    likely = np.where(prob > 0.5, 1, -1) if prob.ndim == 1 else prob.argmax(1)
    return float(np.mean(likely != y))


def nlpd_class(y, prob, log_prob=None) -> float:
    """Mean of -log p(y), natural log.

    log_prob is log p of all classes (t, K). Without it 1 - prob stands for the class -1, which knows no loss between
    37 nats and that of the smallest number.
    """
    p = each_class(prob)
    number = class_numbers(y, p.shape[1])
    rows = np.arange(len(number))
    if log_prob is not None:
        return float(-np.mean(log_prob[rows, number]))
    return float(-np.mean(np.log(np.maximum(p[rows, number], np.finfo(float).tiny))))


def log_loss(y, prob, log_prob=None) -> float:
    """Mean of -log p(y) of classes, natural log: the nlpd under its usual name."""
    return nlpd_class(y, prob, log_prob)


def brier(y, prob) -> float:
    """Mean squared distance of the probabilities from the class (1, others 0); of two classes that of P(y = +1)."""
    p = each_class(prob)
    squares = ((p - (class_numbers(y, p.shape[1])[:, None] == np.arange(p.shape[1]))) ** 2).sum(1)
    return float(np.mean(squares) / (2 if p.shape[1] == 2 else 1))


def reliability(y, prob) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows, sum of the probabilities, right ones) in each of BINS bins by the most probable class's probability."""
    p = each_class(prob)
    sure = p.max(1)
    right = p.argmax(1) == class_numbers(y, p.shape[1])
    at = np.minimum((sure * BINS).astype(int), BINS - 1)
    return tuple(np.bincount(at, weights=w, minlength=BINS) for w in (np.ones(len(at)), sure, right))


def ece(y, prob) -> float:
    """Expected calibration error: |share of right ones - probability| of 15 bins, weighted by their rows."""
    count, sure, right = reliability(y, prob)
    return float(np.abs(right - sure).sum() / count.sum())


def of_classes(y, prob, log_prob=None) -> dict[str, float]:
    """All scores of class probabilities."""
    loss = nlpd_class(y, prob, log_prob)
    return {"err": err(y, prob), "nlpd": loss, "log_loss": loss, "brier": brier(y, prob), "ece": ece(y, prob)}
