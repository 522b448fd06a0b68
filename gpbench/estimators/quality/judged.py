"""Some rows of a fit, each with what the model predicts of it without its target.

Leave-one-out where the model gives it (gp/inference/left_out.py), with hyperparameters and basis as they are. Any other
model is fitted again without a fifth of the rows, and so is one whose inducing inputs were learned: on kin8nm their
leave-one-out RMSE is 14 % below that of fresh rows, otherwise the two agree within 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, softmax

from gpbench import catalog
from gpbench.errors import BadInput, GpbenchError, NotApplicable
from gpbench.estimators.input_checks import column, targets
from gpbench.gp.inference.dirichlet import DirichletPosterior, log_softmax_mean
from gpbench.gp.inference.dirichlet import targets as targets_of_classes
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.inference.latent import LikelihoodPosterior
from gpbench.gp.inference.left_out import Known, cavity, left_out
from gpbench.gp.inference.sparse import APPROXIMATIONS, Approximation
from gpbench.methods.families.ep import LIKELIHOOD, Classifier
from gpbench.methods.one_vs_rest import OneVsRestPosterior
from gpbench.metrics import class_numbers, each_class, gaussian_loss
from gpbench.system import deadline, threads

ROWS = 2000  # judged; the standard error of a coverage of 95 % is then half a per cent
FEWEST = 400  # of a large exact model, each of whose rows costs n^2
WORK = 1.5e11  # about so many operations for all rows of an exact model
STEP = 250  # rows between two looks at the clock
HELD_OUT = 0.2
LEAVE_ONE_OUT, HELD, GIVEN = "leave-one-out", "rows held out", "given rows"


@dataclass(frozen=True)
class Judged:
    """Targets and predictive distributions in the units of the target; for classes, their probabilities."""

    how: str
    rows: np.ndarray  # (r,) numbers of the rows, in random order
    y: np.ndarray  # (r,) targets, or numbers of classes
    mean: np.ndarray | None = None
    std: np.ndarray | None = None
    low: np.ndarray | None = None  # P(target < y)
    high: np.ndarray | None = None  # P(target <= y)
    log_density: np.ndarray | None = None
    prob: np.ndarray | None = None  # (r, classes)

    def inside(self, level: float) -> np.ndarray:
        """Whether each target is in the central interval of this probability   (r,)."""
        return (self.high >= (1 - level) / 2) & (self.low <= (1 + level) / 2)


def order(n: int) -> np.ndarray:
    """All rows at random, always in the same way; the first ones are judged."""
    return np.random.default_rng(0).permutation(n)


def judge(estimator, refit: bool = True) -> Judged:
    """Up to ROWS rows; NotApplicable where nothing can be said, or only a fit without them could."""
    training, n = estimator._training, len(estimator._training.y)
    if n < 3:
        raise NotApplicable("fewer than three rows")
    rows = order(n)[:ROWS]
    if refit and getattr(training.method, "optimise_inputs", False):  # places learned from a row know its target
        return _held_out(estimator, training)
    try:
        with threads.limited():
            return _left_out(estimator, rows)
    except NotApplicable:
        if not refit:
            raise
    return _held_out(estimator, training)


# -- leave-one-out -------------------------------------------------------------------------------------------------


def _left_out(estimator, rows) -> Judged:
    posterior, training = estimator.model_.fitted.predict, estimator._training
    if isinstance(posterior, Classifier):
        m, v = cavity(posterior.posterior, rows)
        prob = LIKELIHOOD.probability(m, v)
        return Judged(LEAVE_ONE_OUT, rows, class_numbers(training.y[rows], 2), prob=each_class(prob))
    if isinstance(posterior, OneVsRestPosterior):
        each = [LIKELIHOOD.log_probabilities(*cavity(part.posterior, rows))[:, 1] for part in posterior.parts]
        return Judged(LEAVE_ONE_OUT, rows, training.y[rows].astype(int), prob=softmax(np.column_stack(each), axis=1))
    if isinstance(posterior, DirichletPosterior):
        return _of_dirichlet(posterior, training, np.asarray(estimator.model_.fitted.pivots), rows)
    if isinstance(posterior, LikelihoodPosterior):
        return _with_likelihood(estimator, posterior, rows)
    known, scaler = _known(estimator), estimator.model_.scaler
    if hasattr(posterior, "alpha"):
        rows = rows[: max(FEWEST, int(WORK / len(posterior.alpha) ** 2))]
    cost, parts = deadline.Cost(), []
    for start in range(0, len(rows), STEP):
        if parts and not cost.fits():
            break
        with cost.of():
            parts.append(left_out(posterior, known, rows[start : start + STEP]))
    mean, var = (np.concatenate([getattr(p, name) for p in parts]) for name in ("mean", "var"))
    rows = rows[: len(mean)]
    mean, var = scaler.back(mean, var, None)
    y = scaler.back(training.y[rows], None, None)[0]
    return of_gaussians(LEAVE_ONE_OUT, rows, y, mean, np.sqrt(var))


def of_gaussians(how: str, rows, y, mean, std) -> Judged:
    below = ndtr((y - mean) / std)
    return Judged(how, rows, y, mean, std, below, below, -gaussian_loss(y, mean, std**2))


def _of_dirichlet(posterior: DirichletPosterior, training, chosen, rows) -> Judged:
    """Quality of exact regressions, whose factors give the noise of the rows and so alpha."""
    first, classes = posterior.parts[0], len(posterior.parts)
    if not isinstance(first, ExactPosterior):
        raise NotApplicable("classes by sparse regressions have no leave-one-out predictions of their own")
    labels = class_numbers(training.y, classes)
    other = int(np.argmax(labels[chosen] != 0))  # a row that is not of the first class has the noise log(1/alpha + 1)
    s2 = float((first.factor.L[other] ** 2).sum() - first.kernel.diag(first.X[[other]])[0])
    Y, S2 = targets_of_classes(labels, classes, 1 / np.expm1(s2))
    each = [left_out(p, Known(training.X, y, s, chosen=chosen), rows) for p, y, s in zip(posterior.parts, Y.T, S2.T)]
    mean, var = np.column_stack([p.mean for p in each]), np.column_stack([p.var for p in each]) - S2[rows]
    return Judged(LEAVE_ONE_OUT, rows, labels[rows], prob=np.exp(log_softmax_mean(mean, var)))


def _with_likelihood(estimator, posterior: LikelihoodPosterior, rows) -> Judged:
    (m, v), scaler = cavity(posterior.posterior, rows), estimator.model_.scaler
    y, likelihood, values = estimator._training.y[rows], posterior.at.likelihood, posterior.at.values
    mean, var = scaler.back(*likelihood.moments(m, v, values), None)
    low, high = posterior.at.below(y, m, v)
    density = likelihood.log_predictive(y, m, v, values) - scaler.log_scale
    return Judged(LEAVE_ONE_OUT, rows, scaler.back(y, None, None)[0], mean, np.sqrt(var), low, high, density)


def _known(estimator) -> Known:
    training, fitted = estimator._training, estimator.model_.fitted
    n, gp = len(training.y), fitted.gp
    if gp is None:
        raise NotApplicable("the model has no kernel of gpbench")
    noise = np.full(n, gp.noise) if training.noise is None else training.noise.variances(gp.noise)
    exact = fitted.pivots is not None and len(getattr(fitted.predict, "alpha", ())) == len(fitted.pivots)
    order = np.asarray(fitted.pivots) if exact else None
    return Known(training.X, training.y, noise, _approximation(estimator), order)


def _approximation(estimator) -> Approximation | None:
    """Approximation of the model that predicts, which the method or its class names."""
    method = estimator._training.method
    given = method if method.name == estimator.method_ else catalog.find("method", estimator.method_)
    found = getattr(given, "approximation", None)
    if method.name == "hybrid":
        return APPROXIMATIONS["fitc"]
    if method.name == "cholqr":
        return APPROXIMATIONS["vfe" if method.objective == "var" else "dtc"]
    return APPROXIMATIONS.get(found) if isinstance(found, str) else found


def judge_on(estimator, X, y) -> Judged:
    """Rows that are not of the fit, all of them; X as the model takes it."""
    p, rows = estimator.model_.predict(X), np.arange(len(X))
    if estimator.model_.task == "classification":
        y = column(y, len(X))
        if len(unknown := np.setdiff1d(y, estimator.classes_)):
            raise BadInput(f"y: {unknown[0]} is none of the classes of the fit")
        return Judged(GIVEN, rows, np.searchsorted(estimator.classes_, y), prob=each_class(p.prob))
    y = targets(y, len(X))
    low, high = estimator.model_.below(X, y)
    return Judged(GIVEN, rows, y, p.mean, np.sqrt(p.var), low, high, estimator.model_.log_density(X, y))


# -- another fit without some rows -----------------------------------------------------------------------------------


def _held_out(estimator, training) -> Judged:
    model, mixed = estimator.model_, order(len(training.y))
    kept = len(mixed) - max(1, round(HELD_OUT * len(mixed)))
    rows = mixed[kept:][:ROWS]
    X, y = model.scaler.raw_inputs(training.X), estimator._targets(training.y)
    again = type(estimator)(**estimator.get_params(deep=False))
    try:
        again.fit(X[mixed[:kept]], y[mixed[:kept]], **_row_noise(estimator, training, mixed[:kept]))
        if model.task == "classification":
            classes = np.searchsorted(again.classes_, y[rows])
            return Judged(HELD, rows, classes, prob=again.predict_proba(X[rows]))
        mean, std = again.predict(X[rows], return_std=True)
    except GpbenchError as e:
        raise NotApplicable(f"the fit without a fifth of the rows failed: {e}") from e
    return of_gaussians(HELD, rows, y[rows], mean, std)


def _row_noise(estimator, training, rows) -> dict:
    if training.noise is None:
        return {}
    scale = estimator.model_.scaler.factor**2
    return {"sample_weight": 1 / training.noise.factor[rows], "noise_variance": training.noise.added[rows] * scale}
