"""The summary of a fitted model that `fit` prints and a saved model keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.errors import BadInput
from gpbench.html import notebook
from gpbench.metrics import NOMINAL
from gpbench.system import deadline

from . import baselines
from .judged import GIVEN, LEAVE_ONE_OUT, Judged, judge, judge_on, order
from .next_steps import next_steps
from .relevance import SCALES, centre_of, relevance

LISTED = 6  # inputs in the line of relevance
REGRESSION = {"rmse": "RMSE", "r2": "R2", "nlpd": "NLPD", "coverage": f"inside {NOMINAL:.0%} intervals"}
CLASSES = {"err": "error", "nlpd": "log loss", "calibration": "calibration error"}
BINS = 10  # of probabilities


@dataclass(frozen=True)
class Quality:
    """Scores of the model and of simpler predictors on rows that each left out.

    Attributes
    ----------
    how : str
        "leave-one-out", or "held out": the model was fitted again without those rows.
    rows, n : int
        Rows that were judged, and rows of the fit.
    scores : dict
        Predictor to score to value; the first is the model. Errors are in the units of the target.
    measure : str
        What `relevance` measures.
    relevance : tuple of (str, float)
        Columns, the most relevant first.
    next_steps : tuple of str
        What to try next.
    """

    how: str
    rows: int
    n: int
    task: str
    scores: dict
    measure: str
    relevance: tuple
    next_steps: tuple

    def lines(self) -> list[str]:
        """Five lines of text."""
        names = CLASSES if self.task == "classification" else REGRESSION
        width = max(map(len, self.scores))
        values = {name: {k: number(k, v) for k, v in scores.items()} for name, scores in self.scores.items()}
        room = {k: max(len(v[k]) for v in values.values()) for k in names}
        found = []
        for name, own in values.items():
            told = "  ".join(f"{names[k]} {own[k]:<{room[k]}}" for k in names)
            found.append(f"{name:<{width}}  {told}".rstrip())
        found[0] += f"  ({self.judged()})"
        shown = ", ".join(f"{name} {value:.2g}" for name, value in self.relevance[:LISTED]) or "not known"
        more = len(self.relevance) - LISTED
        found.append(
            f"{'relevance':<{width}}  {shown}{f', {more} more' if more > 0 else ''} ({self.measure or 'none'})"
        )
        found.append(f"{'try next':<{width}}  {'; '.join(self.next_steps)}")
        return found

    def _repr_html_(self) -> str:
        """In a notebook."""
        names = CLASSES if self.task == "classification" else REGRESSION
        rows = [[name, *(number(k, own[k]) for k in names)] for name, own in self.scores.items()]
        shown = [f"{name} {value:.2g}" for name, value in self.relevance[:LISTED]]
        notes = [f"Relevance ({self.measure}): {', '.join(shown)}."] if shown else []
        return notebook.table(self.judged(), ["", *names.values()], rows, [*notes, *self.next_steps])

    def judged(self) -> str:
        if self.how == GIVEN:
            return f"{self.rows:,} rows that the fit did not see"
        every = f"all {self.n:,}" if self.rows == self.n else f"{self.rows:,} of {self.n:,}"
        return f"{self.how}: {every} rows"


def number(kind: str, value: float) -> str:
    return f"{value:.3f}" if kind in ("r2", "coverage", "calibration", "err") else f"{value:.4g}"


def scores(judged: Judged) -> dict[str, float]:
    """RMSE, R2, NLPD and coverage; for classes the error, the log loss and the calibration error."""
    if judged.prob is not None:
        return of_classes(judged.y, judged.prob)
    residual, spread = judged.y - judged.mean, float(np.mean((judged.y - judged.y.mean()) ** 2))
    error = float(np.mean(residual**2))
    return {
        "rmse": float(np.sqrt(error)), "r2": 1 - error / spread if spread else 0.0,
        "nlpd": float(-judged.log_density.mean()), "coverage": float(judged.inside(NOMINAL).mean()),
    }  # fmt: skip


def of_classes(labels, prob) -> dict[str, float]:
    """The calibration error is the mean distance of probability and frequency over ten bins of the likeliest class."""
    likely, top = prob.argmax(1), prob.max(1)
    hit, own = likely == labels, prob[np.arange(len(labels)), labels]
    place = np.minimum((top * BINS).astype(int), BINS - 1)
    gaps = [abs(float(np.sum(hit[place == b] - top[place == b]))) for b in np.unique(place)]
    loss = float(-np.log(np.maximum(own, np.finfo(float).tiny)).mean())
    return {"err": float(1 - hit.mean()), "nlpd": loss, "calibration": sum(gaps) / len(labels)}


@dataclass(frozen=True)
class Examined:
    """A summary with the rows behind it."""

    quality: Quality
    judged: Judged
    relevance: list  # of (Column, value)
    centre: np.ndarray | None = None  # a typical row, raw, where it is not of the fit
    rows: np.ndarray | None = None  # rows it comes from


def examine(estimator, refit: bool = True) -> Examined:
    """NotApplicable where no row can be left out, or (`refit` false) only another fit could tell."""
    judged = judge(estimator, refit)
    compared = {estimator.method_: scores(judged)}
    for name, other in _others(estimator, judged).items():
        if other is not None:
            compared[name] = scores(other)
    measure, columns = relevance(estimator)
    steps = next_steps(estimator, judged, list(compared.values()), columns if measure == SCALES else [])
    summary = Quality(
        judged.how, len(judged.rows), len(estimator._training.y), estimator.model_.task, compared, measure,
        tuple((c.name, value) for c, value in columns), tuple(steps),
    )  # fmt: skip
    return Examined(summary, judged, columns)


def examine_on(estimator, X, y) -> Examined:
    """The same on rows that are not of the fit: nothing is left out for them."""
    model, rows = estimator._ready(X)
    judged = judge_on(estimator, rows, y)
    compared = {estimator.method_: scores(judged)} | {
        name: scores(other) for name, other in _constants(estimator, judged.y, np.arange(len(judged.y))).items()
    }
    centre = centre_of(estimator, rows)
    measure, columns = relevance(estimator, centre, rows)
    steps = next_steps(estimator, judged, list(compared.values()), columns if measure == SCALES else [])
    summary = Quality(
        judged.how, len(judged.y), model.n, model.task, compared, measure, tuple((c.name, v) for c, v in columns),
        tuple(steps),
    )  # fmt: skip
    return Examined(summary, judged, columns, centre, rows)


def _others(estimator, judged: Judged) -> dict[str, Judged | None]:
    """Simpler predictors of the same rows, each left out."""
    training = estimator._training
    mixed, y = order(len(training.y)), estimator._targets(training.y)
    if judged.how != LEAVE_ONE_OUT:
        mixed = np.r_[judged.rows, np.setdiff1d(mixed, judged.rows, assume_unique=True)]
    if estimator.model_.task == "classification":
        y = np.searchsorted(estimator.classes_, y)
    found = _constants(estimator, y, judged.rows)
    if estimator.model_.task == "regression":
        found["ridge regression"] = baselines.ridge(training.X, y, mixed, len(judged.rows)) if np.ptp(y) else None
    elif len(estimator.classes_) == 2:
        found["logistic regression"] = baselines.logistic(training.X, y, mixed, len(judged.rows))
    return found


def _constants(estimator, y, rows) -> dict[str, Judged | None]:
    """What needs no inputs, for these of the targets y."""
    if estimator.model_.task == "classification":
        return {"shares of the classes": baselines.shares_of_classes(y, rows, len(estimator.classes_))}
    return {"mean of the target": baselines.mean_of_targets(y, rows)}


def told(estimator, seconds: float | None = None) -> list[str]:
    """The lines that end `gpbench fit`. Within a limit, nothing is fitted again, and fewer rows may be judged."""
    try:
        with deadline.within(seconds):
            return estimator._examine(refit=seconds is None).quality.lines()
    except BadInput as e:
        return [str(e)]
