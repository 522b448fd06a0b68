"""Scores of predictions on the test part. Each `Metric` holds its name, direction and functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from .errors import InvalidPrediction
from .text import one_line

NOMINAL = 0.95  # probability of the interval that `coverage` counts
BINS = 15  # of `ece` and of reliability diagrams, of equal width between 0 and 1
RESERVED = (  # columns of results.csv that are no metric
    "trial_id", "dataset", "method", "label", "d_max", "cache", "trial", "seed", "status", "reason", "n_train",
    "n_test", "n_basis", "log_evidence", "kernel_rows", "peak_mb",
)  # fmt: skip
TASKS = ("regression", "classification")
PARTS = {  # what the function of a metric may ask for, by the names of its arguments
    "y": "targets of the test part; -1 and +1 for two classes, numbers from 0 for more",
    "y_train": "targets of the training part",
    "variance": "variance that `nmse` divides by (key `nmse_variance` of a config)",
    "mean": "predictive mean",
    "var": "predictive variance, with noise",
    "var_latent": "predictive variance without noise; absent unless all are positive",
    "log_density": "log predictive density of each target; absent if the density is normal",
    "interval": "lower and upper end of the central 95 % interval, two columns; absent if the density is normal",
    "prob": "probability of the class +1; of more than two classes that of each, one column a class",
    "log_prob": "log probability of every class, one column a class; absent if the method gives none",
}


@dataclass(frozen=True)
class Metric:
    """A score of predictions on the test part, with a function for each task that it applies to.

    Parameters
    ----------
    name : str
        Key in `metrics` of a config, and column of results.csv.
    title : str
        Heading in tables.
    regression, classification : callable, optional
        Function of that task. The names of its arguments say what it needs, see `metrics.PARTS`; there is no score
        where one without a default is absent. The function may return None where the score is not defined.
    better : {"lower", "higher"} or float
        Direction, or the best value.
    in_nats : bool
        Differences count, not ratios.

    Examples
    --------
    >>> from gpbench.extend import Metric
    >>> worst = Metric("worst", "largest error", regression=lambda y, mean: float(max(abs(y - mean))))
    >>> worst.needs("regression"), worst.tasks, worst.best
    (('y', 'mean'), ('regression',), 'lower')
    """

    name: str
    title: str
    regression: Callable[..., float | None] | None = None
    classification: Callable[..., float | None] | None = None
    better: Literal["lower", "higher"] | float = "lower"
    in_nats: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name) or self.name in RESERVED or self.name.endswith("_seconds"):
            raise ValueError(f"metric '{self.name}': a name has a-z 0-9 _ and is no other column of results.csv")
        if not self.tasks:
            raise ValueError(f"metric '{self.name}' has no function: give regression or classification")
        if unknown := [n for task in self.tasks for n in self.needs(task) if n not in PARTS]:
            known = ", ".join(PARTS)
            raise ValueError(f"metric '{self.name}': its function asks for '{unknown[0]}'; it may ask for {known}")
        if isinstance(self.better, str) and self.better not in ("lower", "higher"):
            raise ValueError(f"metric '{self.name}': better is 'lower', 'higher' or a number, not '{self.better}'")

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(task for task in TASKS if getattr(self, task) is not None)

    @property
    def best(self) -> str:
        """The direction in words: lower, higher, or nearer to a value."""
        return self.better if isinstance(self.better, str) else f"nearer to {self.better:g}"

    @property
    def about(self) -> str:
        """The docstring of its function."""
        return inspect.getdoc(getattr(self, self.tasks[0])) or self.title

    def needs(self, task: str) -> tuple[str, ...]:
        return tuple(inspect.signature(getattr(self, task)).parameters)

    def loss(self, values):
        """What is lower for the better prediction."""
        if self.better == "lower":
            return values
        return -values if self.better == "higher" else abs(values - self.better)

    @property
    def loss_name(self) -> str:
        """What `loss` gives, in a sentence."""
        if self.better == "lower":
            return self.name
        return f"negative {self.name}" if self.better == "higher" else f"distance of {self.name} from {self.better:g}"

    def score(self, task: str, parts: Mapping[str, Any]) -> float | None:
        """The score of one trial, or None where it does not apply; parts has keys of `PARTS`."""
        given = {}
        for name, parameter in inspect.signature(getattr(self, task)).parameters.items():
            if parts.get(name) is not None:
                given[name] = parts[name]
            elif parameter.default is parameter.empty:
                return None
        try:
            found = getattr(self, task)(**given)
            return None if found is None else float(found)
        except (TypeError, ValueError, ArithmeticError, LookupError) as e:
            raise InvalidPrediction(f"metric {self.name}: {type(e).__name__}: {one_line(e)}") from e


def of_task(task: str) -> list[str]:
    """Names of the metrics of a task."""
    return [name for name, metric in METRICS.items() if task in metric.tasks]


def scores(task: str, parts: Mapping[str, Any]) -> dict[str, float | None]:
    """Every metric of the task, None where it does not apply; parts has keys of `PARTS`."""
    return {name: METRICS[name].score(task, parts) for name in of_task(task)}


def lacking(known: Iterable[str], listed: Iterable[str]) -> list[str]:
    """Listed metrics that scores of a prediction lack; one that does not apply to its task is not missed."""
    known = set(known)
    return [m for m in listed if m not in known and m in of_task("classification" if "err" in known else "regression")]


def titles() -> dict[str, str]:
    """Heading of each metric in tables."""
    return {name: metric.title for name, metric in METRICS.items()}


def loss(metric: str, values):
    """What is lower for the better prediction, by the name of a metric."""
    return METRICS[metric].loss(values)


def nmse(y, mean, variance: float) -> float:
    """Mean squared error over a stated variance: of the whole data set ([sundararajan]) or of the test targets."""
    return float(np.mean((y - mean) ** 2) / variance)


def smse(y, mean) -> float | None:
    """Mean squared error over the variance of the test targets ([cao])."""
    return nmse(y, mean, float(variance)) if (variance := np.var(y)) > 0 else None


def gaussian_loss(y, mean, var):
    """-log N(y; mean, var), natural log   (t,)."""
    return 0.5 * (np.log(2 * np.pi * var) + (y - mean) ** 2 / var)


def nlpd(y, mean, var, log_density=None) -> float:
    """Mean negative log predictive density; var includes the noise."""
    return float(np.mean(gaussian_loss(y, mean, var) if log_density is None else -log_density))


def nlpd_latent(y, mean, var_latent) -> float:
    """nlpd with the latent variance, without noise."""
    return nlpd(y, mean, var_latent)


def snlp(y, mean, var, y_train, log_density=None) -> float | None:
    """nlpd minus that of the trivial model N(train mean, train variance) ([cao] eq. 22)."""
    trivial = float(np.mean(y_train)), float(np.var(y_train))
    return nlpd(y, mean, var, log_density) - nlpd(y, *trivial) if trivial[1] > 0 else None


def rmse(y, mean) -> float:
    """Root of the mean squared error, in units of the target."""
    return float(np.sqrt(np.mean((y - mean) ** 2)))


def mae(y, mean) -> float:
    """Mean absolute error of the mean, which for a Gaussian is also the median."""
    return float(np.mean(np.abs(y - mean)))


def crps(y, mean, var, log_density=None) -> float | None:
    """Mean continuous ranked probability score of N(mean, var), in units of the target; of no other density.

    sd (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)),   z = (y - mean) / sd
    """
    from scipy.special import erf

    if log_density is not None:
        return None

    sd = np.sqrt(var)
    z = (y - mean) / sd
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return float(np.mean(sd * (z * erf(z / np.sqrt(2)) + 2 * density - 1 / np.sqrt(np.pi))))


def coverage(y, mean, var, log_density=None, interval=None) -> float | None:
    """Share of test targets inside the central 95 % interval; .95 is right, more is too wide."""
    if interval is not None:
        return float(np.mean((y >= interval[:, 0]) & (y <= interval[:, 1])))
    if log_density is not None:
        return None
    half = NormalDist().inv_cdf(0.5 + NOMINAL / 2)
    return float(np.mean(np.abs(y - mean) <= half * np.sqrt(var)))


def deviance(y, mean) -> float | None:
    """Mean Poisson deviance, 2 (y log(y / mean) - y + mean), of targets 0, 1, 2, ... with means above 0."""
    from scipy.special import xlogy

    if not ((y >= 0) & (y == np.round(y)) & (mean > 0)).all():
        return None
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
    rows, probability, hits = (np.bincount(at, weights=w, minlength=BINS) for w in (np.ones(len(at)), sure, right))
    return rows, probability, hits


def ece(y, prob) -> float:
    """Expected calibration error: |share of right ones - probability| of 15 bins, weighted by their rows."""
    count, sure, right = reliability(y, prob)
    return float(np.abs(right - sure).sum() / count.sum())


_OWN = (
    Metric("nmse", "NMSE", nmse),
    Metric("nlpd", "NLPD", nlpd, nlpd_class, in_nats=True),
    Metric("nlpd_latent", "NLPD (latent)", nlpd_latent, in_nats=True),
    Metric("smse", "SMSE", smse),
    Metric("snlp", "SNLP", snlp, in_nats=True),
    Metric("err", "error", classification=err),
    Metric("rmse", "RMSE", rmse),
    Metric("mae", "MAE", mae),
    Metric("crps", "CRPS", crps),
    Metric("coverage", "coverage (nominal .95)", coverage, better=NOMINAL),
    Metric("log_loss", "log loss", classification=log_loss, in_nats=True),
    Metric("brier", "Brier score", classification=brier),
    Metric("ece", "calibration error", classification=ece),
    Metric("deviance", "Poisson deviance", deviance),
)
METRICS = {metric.name: metric for metric in _OWN}  # and those of plug-ins, which `catalog.load_plugin` adds
