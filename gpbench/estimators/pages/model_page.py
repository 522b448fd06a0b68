"""One page about a fitted model: how good it is, what matters to it, what was done to the columns."""

from __future__ import annotations

import gpbench
from gpbench.estimators.quality.judged import HELD, LEAVE_ONE_OUT
from gpbench.estimators.quality.quality import CLASSES, REGRESSION, Examined, number
from gpbench.estimators.quality.relevance import names_of
from gpbench.html.render import page
from gpbench.system import atomic_files
from gpbench.text import counted

from . import model_charts

MATTER = 6  # inputs with a chart of their effect
SHOWN = 40  # columns in the chart of relevance
TERMS = {
    "RMSE": "root of the mean squared error, in the unit of the target",
    "R2": "share of the target's variance that is predicted; 0 is no better than its mean",
    "NLPD": "negative log predictive density, mean over the rows; lower is better; it also judges the width of "
    "intervals",
    "inside 95% intervals": "share of the targets in their 95 % interval; .95 is right, less means too narrow",
    "log loss": "negative log probability of the right class, mean over the rows; lower is better",
    "calibration error": "mean distance between a probability and how often the class then occurs",
    LEAVE_ONE_OUT: "each row is predicted by the model of all other rows, with the same hyperparameters",
    HELD: "the model was fitted again without these rows",
    "ridge regression": "a straight line in all inputs, with a penalty",
    "length-scale": "distance in an input over which the prediction changes; inputs are scaled to variance one",
}


def write(path, estimator, examined: Examined, name: str = "", target: str = "target") -> None:
    """The page as a file; `name` is that of the user's table."""
    atomic_files.write(path, html(estimator, examined, name, target))


def html(estimator, examined: Examined, name: str, target: str) -> str:
    """The whole document."""
    quality, judged = examined.quality, examined.judged
    names = CLASSES if quality.task == "classification" else REGRESSION
    scores = [[name, *(number(k, own[k]) for k in names)] for name, own in quality.scores.items()]
    relevance = [(name, value) for name, value in quality.relevance if value > 0]
    return page(
        "model.html",
        f"{estimator.method_}{' of ' + name if name else ''}",
        lead=_lead(estimator, quality, target),
        quality=quality,
        terms_of_page={k: v for k, v in TERMS.items() if _used(k, quality, names)},
        heads=["predictor", *names.values()],
        scores=scores,
        told=_told(quality),
        relevance=model_charts.relevance(relevance[:SHOWN]),
        hidden=max(len(relevance) - SHOWN, 0),
        charts=model_charts.of_judged(judged, target, [str(c) for c in getattr(estimator, "classes_", ())]),
        effects=model_charts.effects(estimator, examined, MATTER, target),
        columns=_columns(estimator),
        notes=list(estimator.notes_),
        settings=settings(estimator),
    )


def _lead(estimator, quality, target: str) -> str:
    size = f", {estimator.n_basis_:,} basis vectors" if estimator.n_basis_ and estimator.n_basis_ < quality.n else ""
    inputs = counted(len(names_of(estimator)), "input")
    what = "classes" if quality.task == "classification" else "values"
    return f"Predicts {what} of “{target}” from {inputs}; {quality.n:,} rows{size}."


def _told(quality) -> list[str]:
    """The scores in sentences."""
    names = list(quality.scores)
    own, simple = quality.scores[names[0]], quality.scores[names[-1]]
    if quality.task == "classification":
        wrong = f"{own['err']:.1%} of the classes are wrong; {names[-1]} gets {simple['err']:.1%} wrong."
        return [wrong, f"Probabilities are off by {own['calibration']:.3f} on average."]
    share = own["rmse"] / simple["rmse"] - 1 if simple["rmse"] else 0.0
    compared = f"{abs(share):.0%} {'below' if share < 0 else 'above'} that of {names[-1]}"
    width = own["coverage"] - 0.95
    right = "as it should be" if abs(width) <= 0.02 else "too narrow" if width < 0 else "too wide"
    return [
        f"A prediction is off by {own['rmse']:.4g} (root of the mean square), {compared}; R2 {own['r2']:.3f}.",
        f"{own['coverage']:.1%} of the targets are in their 95 % interval: {right}.",
    ]


def _columns(estimator) -> list[list[str]]:
    """Name, kind, what the column became and why, of every column of the user's table that has rules."""
    rules = getattr(getattr(estimator, "columns_", None), "columns", ())
    return [
        [c.name, c.kind, c.becomes, "; ".join([*c.facts, *([c.warning] if c.warning else [])])]
        for c in rules if hasattr(c, "becomes")
    ]  # fmt: skip


def _used(term: str, quality, names: dict) -> bool:
    return (
        term in names.values() or term in quality.scores or term == quality.how
        or (term == "length-scale" and term in quality.measure)
    )  # fmt: skip


def settings(estimator) -> list[tuple[str, str]]:
    given = {k: v for k, v in estimator.get_params(deep=False).items() if v not in (None, "auto", {})}
    found = [("method", estimator.method_), ("kernel", str(estimator.kernel_))]
    if (noise := getattr(estimator, "noise_", None)) is not None:
        found.append(("noise variance", f"{noise:.4g}"))
    if estimator.log_evidence_ is not None:
        found.append(("log evidence", f"{estimator.log_evidence_:.6g}"))
    asked = ", ".join(f"{k}={f'{v:.4g}' if isinstance(v, float) else repr(v)}" for k, v in given.items())
    return [*found, ("asked for", asked or "nothing"), ("gpbench", gpbench.__version__)]
