"""Fit and score trials in a worker process. Trials that differ only in d_max use one nested path."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gpbench import catalog, metrics
from gpbench.data.readonly import read_only
from gpbench.errors import InvalidPrediction, NotApplicable, NotPositiveDefinite
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.methods.base import Fitted, Method, Prediction, Predictor, Problem
from gpbench.methods.families.fitted_checks import refuse_masked
from gpbench.system.memory import peak_mb, too_large
from gpbench.text import one_line

from . import class_counts, curves_1d, probes
from .prediction import PARTS, check, predict
from .probes import FinishedFit, recorder_for
from .problem import problem_of
from .timing import Elapsed, compile_seconds, now
from .trial_data import TrialData, trial_data

COMPILING = 0.5  # seconds of compiling from which on a note reports them
SHORT = 0.05  # seconds of a prediction below which it is timed again
READ_ONLY = re.compile(r"read-?only|WRITEABLE")  # messages of numpy, Cython and numba about a write to such an array
FLAT = 1e-3  # ratio of the spreads of predicted mean and targets below which a model is constant


def method_of(trial: Trial) -> Method:
    return catalog.find("method", trial.method).model_validate_json(json.dumps(trial.params))


def results(
    trials: list[Trial],
    shared: dict | None,
    begin: Callable[[Trial], None],
    equip: Callable[[Problem], Problem] = lambda problem: problem,
    asked: Collection[str] | None = None,
) -> Iterator[tuple[TrialResult, dict]]:
    """Yield (result, predictions) of trials that differ only in d_max, in increasing order.

    `nlpd_latent`, which may need two solves, is computed if `asked` contains it or is empty. An error in a prediction
    ends that trial; an error in the fit is raised and ends the rest of the path.
    """
    trials = sorted(trials, key=lambda t: t.params.get("d_max") or 0)
    begin(trials[0])
    data = trial_data(trials[0])
    method = method_of(trials[0])
    if (why := refusal(method, data, trials[0].params)) is not None:
        raise why
    latent = not asked or "nlpd_latent" in asked
    if not metrics.METRICS.keys() >= set(asked or ()):
        catalog.load_installed_metrics()
    problem = replace(equip(problem_of(trials[0], data, shared)), latent=latent, recorder=recorder_for(method))
    rng = random_streams.method(trials[0])
    fits = _fits(method, problem, rng, trials)
    elapsed, learn = Elapsed(), _learning(shared)
    learned = (shared or {}).get("notes", ())
    for trial in trials:
        begin(trial)
        started, compiled_before, notes = now(), compile_seconds()[0], []
        fitted = next(fits)
        spent = now() - started
        elapsed = elapsed + spent if method.extends(problem) else spent
        if (spent_on_it := compile_seconds()[0] - compiled_before) > COMPILING:
            notes.append(f"{spent_on_it:.0f} s of compiling, once per machine, are not in its seconds")
        try:
            fitted = method.checked(fitted, problem.n)
            fitted = replace(fitted, notes=(*learned, *fitted.notes, *notes))
            yield _score(trial, data, FinishedFit(method, problem, fitted, rng), learn | {"fit": elapsed})
        except (InvalidPrediction, NotPositiveDefinite) as e:
            yield failure(trial, e, data), {}


def refusal(method: Method | type[Method], data: TrialData, params: Mapping[str, Any]) -> Exception | None:
    """Why the method cannot use this data, as far as it is known before the fit; else None."""
    name, task, n = data.dataset.name, data.dataset.task, len(data.split.train)
    if not method.serves(task, params):
        return NotApplicable(f"{method.name} is for {method.task_of(params)}, {name} is {task} data")
    if task == "classification" and (count := data.dataset.kind.classes) > 2 and not method.many_classes:
        return NotApplicable(f"{method.name} is for two classes, {name} has {count}; take dirichlet or one-vs-rest")
    if data.row_noise(data.split.train) is not None and not method.row_noise:
        return NotApplicable(f"{method.name} takes no weights or noise variances of rows; {name} has some")
    if data.large and not method.large:
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


def failure(trial: Trial, error: BaseException, data: TrialData | None = None) -> TrialResult:
    """The result of a trial that an exception ended, with its status."""
    result = TrialResult(trial, status_of(error), reason_of(error), peak_mb=peak_mb())
    if data is not None:
        result.n_train, result.n_test = len(data.split.train), len(data.split.test)
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
    """The reason in one line; the log has the traceback."""
    message = one_line(error)
    if not isinstance(error, OSError) and READ_ONLY.search(message):
        message += "; the method tried to change its input, which is read-only: let it work on a copy"
    known = isinstance(error, (NotPositiveDefinite, NotApplicable, InvalidPrediction))
    return message if known and message else f"{type(error).__name__}: {message}".rstrip(": ")


# -- scores -------------------------------------------------------------------------------------------------------


def _score(trial: Trial, data: TrialData, sight: FinishedFit, spent: dict[str, Elapsed | None]):
    """(result, arrays) of one trial."""
    n_test, task, fitted, latent = len(data.split.test), data.dataset.task, sight.fitted, sight.problem.latent
    kept, theta = (
        _arrays(data, fitted),
        {} if fitted.gp is None else fitted.gp.values(),
    )  # before predict is called
    prediction, predicting = _timed_prediction(fitted, data, once=_has_state(trial, sight))
    check(prediction, n_test, *data.dataset.kind)
    prediction = _with_own_noise(prediction, data, fitted)
    raw = _raw(prediction, data) if task == "regression" else prediction
    if task == "regression":
        scores = regression_scores(trial, data, prediction, raw, own_density(trial, data, fitted))
    else:
        scores = class_scores(data, raw)
    if not latent:
        scores.pop("nlpd_latent", None)
    if bad := [k for k, v in scores.items() if v is not None and not np.isfinite(v)]:
        raise InvalidPrediction(f"{', '.join(bad)} is not finite although every prediction is")
    result = TrialResult(
        trial=trial,
        n_train=len(data.split.train),
        n_test=n_test,
        metrics=scores,
        n_basis=None if fitted.n_basis is None else int(fitted.n_basis),
        log_evidence=None if fitted.log_evidence is None else float(fitted.log_evidence),
        seconds=_seconds(fitted, spent | {"predict": predicting}),
        kernel_rows=None if fitted.kernel_rows is None else int(fitted.kernel_rows),
        peak_mb=max(peak_mb(), _memory(fitted)),
        theta=theta,
        trace=_scored_along(trial, data, sight, prediction),
        notes=_notes(trial, data, fitted, prediction, latent),
        data_sha256=data.dataset.sha256,
    )
    return result, kept | _predicted(data, fitted, raw)


def _with_own_noise(prediction: Prediction, data: TrialData, fitted: Fitted) -> Prediction:
    """Replace the common noise variance by that of each test row, for data with weights or known variances."""
    rows = data.row_noise(data.split.test)
    if rows is None or fitted.gp is None:
        return prediction
    return replace(prediction, var=prediction.var + rows.variances(fitted.gp.noise) - fitted.gp.noise)


def _learning(shared: dict | None) -> dict[str, Elapsed | None]:
    """Time of the full-GP fit; None if an older file lacks it."""
    if shared is None:
        return {}
    return {"learn": Elapsed(**shared["seconds"]) if "seconds" in shared else None}


def _memory(fitted: Fitted) -> float:
    """Megabytes that a model in another process used."""
    return round(fitted.predict.memory(), 1) if isinstance(fitted.predict, Predictor) else 0.0


def _seconds(fitted: Fitted, spent: dict[str, Elapsed | None]) -> dict[str, float]:
    """Wall seconds by part, and the sum of CPU seconds if those of all parts are known."""
    elsewhere = fitted.predict.clock() if isinstance(fitted.predict, Predictor) else {}
    spent = spent | {k: Elapsed(**v) for k, v in elsewhere.items()}
    seconds = fitted.seconds | {k: v.wall for k, v in spent.items() if v is not None}
    if None not in spent.values():
        seconds |= {"cpu": sum(v.cpu for v in spent.values())}
    return {k: float(v) for k, v in seconds.items()}


def _notes(trial: Trial, data: TrialData, fitted: Fitted, prediction: Prediction, latent: bool) -> list[str]:
    """Remarks that belong to the scores."""
    dataset, train, d_max = data.dataset, data.split.train, trial.params.get("d_max")
    notes = [*dataset.notes, *class_counts.named(data), *fitted.notes]
    if latent and prediction.var_latent is not None and not _positive(prediction.var_latent):
        notes.append(f"no nlpd_latent: latent variance <= 0 (smallest {prediction.var_latent.min():.1e})")
    if None not in (d_max, fitted.n_basis) and fitted.n_basis < d_max and len(train) < d_max:
        notes.append(f"d_max {d_max} is more than the {len(train)} training rows")
    several = dataset.task == "regression" and len(data.split.test) > 1
    if several and np.std(prediction.mean) < FLAT * np.std(data.scaled_target(train)):
        notes.append("all is noise to this model: it predicts one value everywhere; try another optimiser or start")
    if dataset.simulated and "simulated data" not in notes:
        notes.insert(0, "simulated data")
    return notes


def _timed_prediction(fitted: Fitted, data: TrialData, once: bool = False) -> tuple[Prediction, Elapsed]:
    """The prediction for the test part and its time; the shortest of three calls if a call takes less than SHORT.

    The first call's prediction is used, because the number of calls depends on the speed of the machine.
    """
    X, calls = data.scaler.inputs(data.X_test), []
    while not calls or (not once and len(calls) < 3 and calls[0][1].wall < SHORT):
        started = now()
        prediction = predict(fitted, X, len(data.split.train))
        calls.append((prediction, now() - started))
    return calls[0][0], min((spent for _, spent in calls), key=lambda t: t.wall)


def _has_state(trial: Trial, sight: FinishedFit) -> bool:
    """Whether a call of predict may change the next: true for plug-ins and for libraries with their own clock."""
    elsewhere = isinstance(sight.fitted.predict, Predictor) and sight.fitted.predict.clock()
    return bool(trial.code or catalog.source_hash(type(sight.method)) or elsewhere)


def _scored_along(trial: Trial, data: TrialData, sight: FinishedFit, prediction: Prediction) -> list[dict]:
    """The trace with the results of probes; scores of intermediate models are in their rows."""
    fitted = sight.fitted
    trace = [*probes.before(sight), *(dict(row) for row in fitted.trace)]
    if last := probes.after(sight) | curves_1d.curves(data, fitted) | class_counts.counts(data, prediction):
        trace = [*trace[:-1], {**(trace[-1] if trace else {}), **last}]
    for at, model in fitted.models if data.dataset.task == "regression" else ():
        prediction = model(read_only(data.scaler.inputs(data.X_test)))
        for name in PARTS:
            refuse_masked(name, getattr(prediction, name))
        row = next((r for r in trace if all(r.get(k) == v for k, v in at.items())), None)
        if row is None:
            trace.append(row := dict(at))
        scores = regression_scores(trial, data, prediction, _raw(prediction, data))
        row |= {f"test_{name}": value for name, value in scores.items() if value is not None}
    return trace


def _raw(prediction: Prediction, data: TrialData) -> Prediction:
    mean, var = data.scaler.back(prediction.mean, prediction.var, data.X_test)
    _, latent = data.scaler.back(prediction.mean, prediction.var_latent, data.X_test)
    return Prediction(mean, var, latent)


def regression_scores(
    trial: Trial, data: TrialData, scaled: Prediction, raw: Prediction, density: dict | None = None
) -> dict[str, float | None]:
    """Scores in the units of `scoring`; for a detrended target nmse divides by the variance of the detrended target."""
    whole = np.arange(data.dataset.n)
    if trial.scoring.get("target_units", "raw") == "standardised":
        p, (_, y_all) = scaled, data.scaled(whole)
    else:
        p, y_all = raw, data.dataset.y
    y, y_train = y_all[data.split.test], y_all[data.split.train]
    variance = np.var(y_all if trial.scoring.get("nmse_variance", "dataset") == "dataset" else y)
    if variance == 0:
        raise InvalidPrediction("nmse is undefined: the targets it is measured against do not vary")
    parts = {"y": y, "y_train": y_train, "variance": float(variance), "mean": p.mean, "var": p.var}
    parts |= {"var_latent": p.var_latent if _positive(p.var_latent) else None}
    return metrics.scores("regression", parts | (density or {}))


def _positive(var) -> bool:
    return var is not None and bool((var > 0).all())


def own_density(trial: Trial, data: TrialData, fitted: Fitted) -> dict[str, np.ndarray]:
    """Log density and 95 % interval of a predictive density that is not normal, as metrics take them; {} where it is.

    In the units of `scoring`.
    """
    density, X, y = getattr(fitted.predict, "log_density", None), data.scaler.inputs(data.X_test), data.y_test
    log_p = None if density is None else density(X, data.scaled_target(data.split.test))
    if log_p is None:
        return {}
    if log_p.shape != y.shape:
        raise InvalidPrediction(f"log_density has shape {log_p.shape}, expected {y.shape}")
    raw = trial.scoring.get("target_units", "raw") == "raw"
    found = {"log_density": log_p - (data.scaler.log_scale if raw else 0.0)}
    if (quantiles := getattr(fitted.predict, "quantiles", None)) is not None:
        ends = [quantiles(X, q) for q in ((1 - metrics.NOMINAL) / 2, (1 + metrics.NOMINAL) / 2)]
        found["interval"] = np.column_stack([data.scaler.back(e, None, data.X_test)[0] if raw else e for e in ends])
    return found


def class_scores(data: TrialData, p: Prediction) -> dict[str, float | None]:
    return metrics.scores("classification", {"y": data.y_test, "prob": p.prob, "log_prob": p.log_prob})


def _arrays(data: TrialData, fitted: Fitted) -> dict:
    """Arrays of a fit for --save-predictions; rows are numbers of rows of the data set."""
    train, test = data.split.train, data.split.test
    arrays = {"train_index": train, "test_index": test}
    if fitted.gp is not None:
        with np.errstate(divide="ignore"):  # noise may be 0
            arrays["theta"] = np.append(fitted.gp.kernel.theta, np.log(fitted.gp.noise))
    if fitted.pivots is not None:
        arrays["pivots"] = train[np.asarray(fitted.pivots, dtype=int)]
    if fitted.inducing is not None:
        arrays["inducing"] = np.array(fitted.inducing)  # scaled inputs
    return arrays


def _predicted(data: TrialData, fitted: Fitted, raw: Prediction) -> dict:
    """Arrays of predictions for --save-predictions, in raw units."""
    arrays = {k: v for k in PARTS if (v := getattr(raw, k)) is not None}
    if data.dataset.labels:
        arrays["classes"] = np.array(data.dataset.labels).astype(str)
    if curves_1d.has_line(data):
        train = data.split.train
        arrays |= {"x_train": data.dataset.X[train], "y_train": data.dataset.y[train]} | curves_1d.grid(data, fitted)
    return arrays
