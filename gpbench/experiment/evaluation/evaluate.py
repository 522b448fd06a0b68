"""Fitting and scoring trials, inside a worker process. Trials that differ only in d_max share one nested path."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import fields, replace

import numpy as np

from gpbench import catalog, metrics
from gpbench.data.scaling import large
from gpbench.errors import InvalidPrediction, NotApplicable, NotPositiveDefinite
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.methods.base import Fitted, Method, Prediction, Predictor, Problem
from gpbench.system.memory import peak_mb, too_large
from gpbench.text import one_line

from . import curves_1d, probes
from .probes import FinishedFit, recorder_for
from .problem import problem_of
from .timing import Elapsed, compile_seconds, now
from .trial_data import TrialData, trial_data

_BLOCK = 4_000_000  # entries of a kernel block at prediction: 32 MB
COMPILING = 0.5  # seconds from which on a note tells of them
SHORT = 0.05  # seconds of a prediction below which it is timed again
PARTS = tuple(f.name for f in fields(Prediction))
AGREEMENT = 1e-6  # of prob and exp(log_prob)
FLAT = 1e-3  # spread of the predicted mean, as a share of the targets', below which a model has found nothing


def method_of(trial: Trial) -> Method:
    return catalog.find("method", trial.method).model_validate_json(json.dumps(trial.params))


def results(
    trials: list[Trial],
    shared: dict | None,
    begin: Callable[[Trial], None],
    equip: Callable[[Problem], Problem] = lambda problem: problem,
    asked: Collection[str] | None = None,
) -> Iterator[tuple[TrialResult, dict]]:
    """(result, predictions) of trials that differ in d_max only, in increasing order, each as soon as it is known.

    `nlpd_latent`, which may cost two solves, is scored if it is among the metrics `asked` for, or none are named.
    Trouble with one prediction costs that trial; trouble while fitting is raised and costs the rest of the path.
    """
    trials = sorted(trials, key=lambda t: t.params.get("d_max") or 0)
    begin(trials[0])
    draw = trial_data(trials[0])
    method = method_of(trials[0])
    if (why := refusal(method, draw)) is not None:
        raise why
    latent = not asked or "nlpd_latent" in asked
    problem = replace(equip(problem_of(trials[0], draw, shared)), latent=latent, recorder=recorder_for(method))
    rng = random_streams.method(trials[0])
    fits = _fits(method, problem, rng, trials)
    elapsed, learn = Elapsed(), _learning(shared)
    for trial in trials:
        begin(trial)
        started, compiled_before = now(), compile_seconds()[0]
        fitted = method.checked(next(fits))
        spent = now() - started
        elapsed = elapsed + spent if method.extends(problem) else spent
        if (spent_on_it := compile_seconds()[0] - compiled_before) > COMPILING:
            note = f"{spent_on_it:.0f} s of compiling, once per machine, are not in its seconds"
            fitted = replace(fitted, notes=(*fitted.notes, note))
        try:
            yield _score(trial, draw, FinishedFit(method, problem, fitted, rng), learn | {"fit": elapsed})
        except (InvalidPrediction, NotPositiveDefinite) as e:
            yield failure(trial, e, draw), {}


def refusal(method: Method | type[Method], draw: TrialData) -> Exception | None:
    """Why the method cannot work on this data, where that is known before anything is learned."""
    name, task, n = draw.dataset.name, draw.dataset.task, len(draw.split.train)
    if method.task != task:
        return NotApplicable(f"{method.name} is for {method.task}, {name} is {task} data")
    if draw.large and not method.large:
        return NotApplicable(f"{method.name} holds all rows in memory; {name} has {n} of them")
    if method.dense and (why := too_large(method.name, n)):
        return MemoryError(why)
    return None


def _fits(method: Method, problem, rng, trials: list[Trial]) -> Iterator[Fitted]:
    if len(trials) == 1 and not method.has_path():
        yield method.fit(problem, rng)
    else:
        yield from method.path(problem, rng, [t.params["d_max"] for t in trials])
    raise RuntimeError(f"{method.name}.path ended before it had given a model for every size")


def failure(trial: Trial, error: BaseException, draw: TrialData | None = None) -> TrialResult:
    """The result of a trial that an exception ended, with the status that belongs to it."""
    result = TrialResult(trial, status_of(error), reason_of(error), peak_mb=peak_mb())
    if draw is not None:
        result.n_train, result.n_test = len(draw.split.train), len(draw.split.test)
    return result


def status_of(error: BaseException) -> str:
    for kind, status in (
        (NotPositiveDefinite, "nonpsd"),
        (NotApplicable, "skipped"),
        (InvalidPrediction, "invalid"),
        (MemoryError, "oom"),
    ):
        if isinstance(error, kind):
            return status
    return "failed"


def reason_of(error: BaseException) -> str:
    """One line; the log has the traceback."""
    message = one_line(error)
    known = isinstance(error, (NotPositiveDefinite, NotApplicable, InvalidPrediction))
    return message if known and message else f"{type(error).__name__}: {message}".rstrip(": ")


# -- prediction ---------------------------------------------------------------------------------------------------


def predict(fitted: Fitted, X, n_train: int) -> Prediction:
    """The prediction at scaled inputs, in blocks that bound memory; their size depends on n_train only."""
    if large(X):
        return fitted.predict(X)
    size = max(len(X), 1) if fitted.whole else max(256, _BLOCK // max(n_train, 1))
    blocks = [fitted.predict(X[i : i + size]) for i in range(0, len(X), size)]
    if not all(isinstance(b, Prediction) for b in blocks):
        raise InvalidPrediction(f"predict returned {type(blocks[0]).__name__}, not a Prediction")

    def joined(name):
        parts = [getattr(b, name) for b in blocks]
        return None if any(p is None for p in parts) else np.concatenate([np.atleast_1d(p) for p in parts])

    try:
        return Prediction(*(joined(name) for name in PARTS))
    except ValueError as e:
        raise InvalidPrediction(f"prediction has the wrong shape: {e}") from e


def check(prediction: Prediction, n_test: int, task: str) -> None:
    """InvalidPrediction unless every number may be scored."""
    required = ("prob",) if task == "classification" else ("mean", "var")
    for name in PARTS:
        values = getattr(prediction, name)
        if values is None:
            if name in required:
                raise InvalidPrediction(f"{name} is missing from the prediction")
            continue
        shape = (n_test, 2) if name == "log_prob" else (n_test,)
        if values.shape != shape:
            raise InvalidPrediction(f"{name} has shape {values.shape}, expected {shape}")
        if not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
            raise InvalidPrediction(f"{name} has type {values.dtype}, expected real numbers")
        if bad := int(np.sum(~np.isfinite(values))):
            raise InvalidPrediction(f"{name} is not finite at {bad} of {n_test} test points")
        if name == "var" and (bad := int(np.sum(values <= 0))):
            raise InvalidPrediction(f"{name} <= 0 at {bad} of {n_test} test points, smallest {values.min():.3g}")
        if name == "prob" and (bad := int(np.sum((values < 0) | (values > 1)))):
            raise InvalidPrediction(f"prob outside [0, 1] at {bad} of {n_test} test points")
        if name == "log_prob" and prediction.prob is not None:
            both = np.column_stack([1 - prediction.prob, prediction.prob])
            if bad := int(np.sum((np.abs(np.exp(values) - both) > AGREEMENT).any(1))):
                raise InvalidPrediction(f"log_prob is not the logarithm of prob at {bad} of {n_test} test points")


# -- scores -------------------------------------------------------------------------------------------------------


def _score(trial: Trial, draw: TrialData, sight: FinishedFit, spent: dict[str, Elapsed | None]):
    """(result, arrays) of one trial."""
    n_test, task, fitted, latent = len(draw.split.test), draw.dataset.task, sight.fitted, sight.problem.latent
    prediction, predicting = _timed_prediction(fitted, draw)
    check(prediction, n_test, task)
    raw = _raw(prediction, draw) if task == "regression" else prediction
    scores = regression_scores(trial, draw, prediction, raw) if task == "regression" else class_scores(draw, raw)
    if not latent:
        scores.pop("nlpd_latent", None)
    if bad := [k for k, v in scores.items() if v is not None and not np.isfinite(v)]:
        raise InvalidPrediction(f"{', '.join(bad)} is not finite although every prediction is")
    result = TrialResult(
        trial=trial,
        n_train=len(draw.split.train),
        n_test=n_test,
        metrics=scores,
        n_basis=None if fitted.n_basis is None else int(fitted.n_basis),
        log_evidence=None if fitted.log_evidence is None else float(fitted.log_evidence),
        seconds=_seconds(fitted, spent | {"predict": predicting}),
        kernel_rows=None if fitted.kernel_rows is None else int(fitted.kernel_rows),
        peak_mb=max(peak_mb(), _memory(fitted)),
        theta={} if fitted.gp is None else fitted.gp.values(),
        trace=_scored_along(trial, draw, sight),
        notes=_notes(trial, draw, fitted, prediction, latent),
        data_sha256=draw.dataset.sha256,
    )
    return result, _arrays(draw, fitted, raw)


def _learning(shared: dict | None) -> dict[str, Elapsed | None]:
    """The share of learning that was done before; None where a file of old does not say."""
    if shared is None:
        return {}
    return {"learn": Elapsed(**shared["seconds"]) if "seconds" in shared else None}


def _memory(fitted: Fitted) -> float:
    """Megabytes that a model in another process took there."""
    return round(fitted.predict.memory(), 1) if isinstance(fitted.predict, Predictor) else 0.0


def _seconds(fitted: Fitted, spent: dict[str, Elapsed | None]) -> dict[str, float]:
    """Wall seconds by part, and the CPU seconds of all parts together where all are known."""
    elsewhere = fitted.predict.clock() if isinstance(fitted.predict, Predictor) else {}
    spent = spent | {k: Elapsed(**v) for k, v in elsewhere.items()}
    seconds = fitted.seconds | {k: v.wall for k, v in spent.items() if v is not None}
    if None not in spent.values():
        seconds |= {"cpu": sum(v.cpu for v in spent.values())}
    return {k: float(v) for k, v in seconds.items()}


def _notes(trial: Trial, draw: TrialData, fitted: Fitted, prediction: Prediction, latent: bool) -> list[str]:
    """What a reader of the scores should know."""
    dataset, train, d_max = draw.dataset, draw.split.train, trial.params.get("d_max")
    notes = [*dataset.notes, *fitted.notes]
    if latent and prediction.var_latent is not None and not _positive(prediction.var_latent):
        notes.append(f"no nlpd_latent: latent variance <= 0 (smallest {prediction.var_latent.min():.1e})")
    if None not in (d_max, fitted.n_basis) and fitted.n_basis < d_max and len(train) < d_max:
        notes.append(f"d_max {d_max} is more than the {len(train)} training rows")
    several = dataset.task == "regression" and len(draw.split.test) > 1
    if several and np.std(prediction.mean) < FLAT * np.std(draw.scaled_target(train)):
        notes.append("all is noise to this model: it predicts one value everywhere; try another optimiser or start")
    if dataset.simulated and "simulated data" not in notes:
        notes.insert(0, "simulated data")
    return notes


def _timed_prediction(fitted: Fitted, draw: TrialData) -> tuple[Prediction, Elapsed]:
    """The test part's prediction and its time; the shortest of three calls where one is too short to be trusted."""
    X, taken = draw.scaler.inputs(draw.X_test), []
    while not taken or (len(taken) < 3 and taken[0].wall < SHORT):
        started = now()
        prediction = predict(fitted, X, len(draw.split.train))
        taken.append(now() - started)
    return prediction, min(taken, key=lambda t: t.wall)


def _scored_along(trial: Trial, draw: TrialData, sight: FinishedFit) -> list[dict]:
    """The trace with what probes saw; test scores of models along the way are in the rows they belong to."""
    fitted = sight.fitted
    trace = [*probes.before(sight), *(dict(row) for row in fitted.trace)]
    if last := probes.after(sight) | curves_1d.curves(draw, fitted):
        trace = [*trace[:-1], {**(trace[-1] if trace else {}), **last}]
    for at, model in fitted.models if draw.dataset.task == "regression" else ():
        prediction = model(draw.scaler.inputs(draw.X_test))
        row = next((r for r in trace if all(r.get(k) == v for k, v in at.items())), None)
        if row is None:
            trace.append(row := dict(at))
        scores = regression_scores(trial, draw, prediction, _raw(prediction, draw))
        row |= {f"test_{name}": value for name, value in scores.items() if value is not None}
    return trace


def _raw(prediction: Prediction, draw: TrialData) -> Prediction:
    mean, var = draw.scaler.back(prediction.mean, prediction.var, draw.X_test)
    _, latent = draw.scaler.back(prediction.mean, prediction.var_latent, draw.X_test)
    return Prediction(mean, var, latent)


def regression_scores(trial: Trial, draw: TrialData, scaled: Prediction, raw: Prediction) -> dict[str, float | None]:
    """Scores in the units that `scoring` states; a detrended target's variances are those of the detrended target."""
    whole = np.arange(draw.dataset.n)
    if trial.scoring.get("target_units", "raw") == "standardised":
        p, (_, y_all) = scaled, draw.scaled(whole)
    else:
        p, y_all = raw, draw.dataset.y
    y, y_train = y_all[draw.split.test], y_all[draw.split.train]
    variance = np.var(y_all if trial.scoring.get("nmse_variance", "dataset") == "dataset" else y)
    if variance == 0:
        raise InvalidPrediction("nmse is undefined: the targets it is measured against do not vary")
    return {
        "nmse": metrics.nmse(y, p.mean, float(variance)),
        "nlpd_latent": metrics.nlpd(y, p.mean, p.var_latent) if _positive(p.var_latent) else None,
        "smse": metrics.smse(y, p.mean) if np.var(y) > 0 else None,
        "snlp": metrics.snlp(y, p.mean, p.var, float(np.mean(y_train)), float(np.var(y_train)))
        if np.var(y_train) > 0
        else None,
        **metrics.of_gaussians(y, p.mean, p.var),
    }


def _positive(var) -> bool:
    return var is not None and bool((var > 0).all())


def class_scores(draw: TrialData, p: Prediction) -> dict[str, float | None]:
    return {"err": metrics.err(draw.y_test, p.prob), "nlpd": metrics.nlpd_class(draw.y_test, p.prob, p.log_prob)}


def _arrays(draw: TrialData, fitted: Fitted, raw: Prediction) -> dict:
    """What --save-predictions keeps, in raw units and rows of the data."""
    train, test = draw.split.train, draw.split.test
    arrays = {"train_index": train, "test_index": test}
    if fitted.gp is not None:
        with np.errstate(divide="ignore"):  # noise may be 0
            arrays["theta"] = np.append(fitted.gp.kernel.theta, np.log(fitted.gp.noise))
    arrays |= {k: v for k in PARTS if (v := getattr(raw, k)) is not None}
    if fitted.pivots is not None:
        arrays["pivots"] = train[np.asarray(fitted.pivots, dtype=int)]
    if fitted.inducing is not None:
        arrays["inducing"] = fitted.inducing  # scaled inputs
    if curves_1d.has_line(draw):
        arrays |= {"x_train": draw.dataset.X[train], "y_train": draw.dataset.y[train]} | curves_1d.grid(draw, fitted)
    return arrays
