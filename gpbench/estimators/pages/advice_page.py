"""The page of `gpbench advise`: what is recommended and why, on how many rows it rests, all candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote

import numpy as np
from markupsafe import Markup

from gpbench.estimators.advise import recommendation_text
from gpbench.estimators.advise.candidates import Candidate
from gpbench.estimators.advise.choose import Recommendation
from gpbench.estimators.advise.halving import Search
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.html.render import page
from gpbench.html.svg_chart import Chart, Line, figure
from gpbench.metrics import METRICS

Found = Mapping[Candidate, Sequence[TrialResult]]


def html(search: Search, found: Found, verdict: Recommendation, rows: int, table: str) -> str:
    """The whole document; `rows` are the training rows of the last comparison, `table` is the user's file."""
    heads, *lines = recommendation_text.cells(found, search.task, search.metric)
    splits = len(found[verdict.pick])
    every = f"all {rows:,}" if rows == search.full else f"{rows:,} of {search.full:,}"
    return page(
        "advice.html",
        f"Advice for {search.source['target']}",
        lead=f"{table}: {search.n:,} rows; {search.budget:g} s were given.",
        verdict=verdict,
        rests=f"It rests on {every} training rows, {search.test:,} test rows, and "
        f"{splits} {'split' if splits == 1 else 'splits'}.",
        first_guess=rows < search.full or splits < 2,
        heads=["method", *(METRICS[h].title if h in METRICS else h for h in heads[2:])],
        rows=[[f"{line[0]} {line[1]}".strip(), *line[2:]] for line in lines],
        charts=_charts(search, found),
        steps=_commands(search, verdict, table),
        left_out=search.left_out(found),
        config=recommendation_text.config(search, verdict),
    )


def _commands(search: Search, verdict: Recommendation, table: str) -> list[tuple[str, str]]:
    pick, target = verdict.pick, quote(str(search.source["target"]))
    size = f" --n-basis {pick.size}" if pick.size else ""
    fit = f"gpbench fit {quote(table)} --target {target} --method {pick.method}{size} -o model.npz --report model.html"
    again = f"gpbench run {quote(str(search.folder / 'advice.yaml'))}"
    return [("Fit the recommended model", fit), ("Compare it with the best on five splits of all rows", again)]


def _charts(search: Search, found: Found) -> list[Markup]:
    title = METRICS[search.metric].title
    sized = [Line(*line) for line in _lines(search, found, lambda c: float(c.size or search.full))]
    timed = [Line(*line) for line in _lines(search, found, lambda c: recommendation_text.cost(list(found[c])))]
    return [
        figure(Chart("sizes", "size", title, "Size: basis vectors, rows of a cluster, or neighbours; all rows for "
                     "methods without a size. Bars are standard errors over the splits.", sized, log_x=True)),
        figure(Chart("seconds", "seconds", title, "Seconds of a fit and its predictions: what costs more should be "
                     "better.", timed, log_x=True)),
    ]  # fmt: skip


def _lines(search: Search, found: Found, place):
    """(label, look, x, y, spread, trials, tips) of each method, from left to right."""
    for k, method in enumerate(dict.fromkeys(c.method for c in found)):
        own = sorted((c for c in found if c.method == method), key=place)
        scores = [[r.metrics[search.metric] for r in found[c]] for c in own]
        means = [float(np.mean(s)) for s in scores]
        spread = [float(np.std(s, ddof=1) / np.sqrt(len(s))) if len(s) > 1 else 0.0 for s in scores]
        tips = [f"{c.name}: {m:.4g}, {recommendation_text.cost(list(found[c])):.2g} s" for c, m in zip(own, means)]
        yield method, k, [max(place(c), 1e-3) for c in own], means, spread, [], tips
