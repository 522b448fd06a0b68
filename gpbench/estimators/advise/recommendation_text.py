"""What the user gets: a table, the reason for the recommendation, a plot, and a config that `gpbench run` accepts."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import yaml

from gpbench.experiment.results.trial_result import TrialResult
from gpbench.metrics import loss

from .candidates import Candidate
from .choose import Recommendation
from .halving import Search

ERROR = {"regression": "nmse", "classification": "err"}


def _mean(values) -> str:
    values = [v for v in values if v is not None]
    if not values:
        return ""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2g}" if len(values) > 1 else ""
    return f"{np.mean(values):.4g}{error}"


def cost(results: list[TrialResult]) -> float:
    """Seconds of fit and prediction of a split."""
    return float(np.mean([sum(r.seconds.get(k) or 0.0 for k in ("fit", "predict")) for r in results]))


def cells(found: Mapping[Candidate, Sequence[TrialResult]], task: str, metric: str) -> list[list[str]]:
    """Headings; then error, NLPD with their standard errors, times and memory; the best first."""
    columns = list(dict.fromkeys([metric, ERROR[task], "nlpd"]))
    head = ["method", "size", *columns, "fit s", "predict s", "MB"]
    lines = [head]
    order = sorted(found, key=lambda c: np.mean([loss(metric, r.metrics[metric]) for r in found[c]]))
    for c in order:
        rs = found[c]
        scores = [_mean([r.metrics.get(m) for r in rs]) for m in columns]
        times = [f"{np.mean([r.seconds.get(k) or 0.0 for r in rs]):.2f}" for k in ("fit", "predict")]
        peak = f"{max(r.peak_mb or 0.0 for r in rs):.0f}"
        lines.append([c.method, str(c.size or ""), *scores, *times, peak])
    return lines


def table(found: dict[Candidate, list[TrialResult]], task: str, metric: str) -> str:
    """The same as text."""
    lines = cells(found, task, metric)
    head = lines[0]
    widths = [max(len(line[j]) for line in lines) for j in range(len(head))]
    rule = ["-" * w for w in widths]
    rows = [lines[0], rule, *lines[1:]]
    return "\n".join("| " + " | ".join(f"{cell:<{w}}" for cell, w in zip(row, widths)) + " |" for row in rows)


def config(search: Search, verdict: Recommendation) -> str:
    """YAML of a config: the recommended and the best method on five splits of all rows."""
    chosen = list(dict.fromkeys([verdict.pick, verdict.best]))
    content = search.config(chosen, search.full, name=f"{Path(search.source['csv']).stem.lower()}-advice")
    content["metrics"] = list(dict.fromkeys([search.metric, ERROR[search.task], "nlpd"]))
    return f"# {verdict.pick.name}: {verdict.reason}\n" + yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


def plot(search: Search, found: dict[Candidate, list[TrialResult]], verdict: Recommendation) -> bytes:
    """SVG of score against size, a line for each method, with standard errors; the recommendation is ringed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    for method in dict.fromkeys(c.method for c in found):
        own = sorted((c for c in found if c.method == method), key=lambda c: c.size)
        values = [[r.metrics[search.metric] for r in found[c]] for c in own]
        errors = [np.std(v, ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0 for v in values]
        sizes = [c.size or search.full for c in own]
        axes.errorbar(sizes, [np.mean(v) for v in values], errors, marker="o", markersize=4, capsize=2, label=method)
    at = np.mean([r.metrics[search.metric] for r in found[verdict.pick]])
    axes.plot(verdict.pick.size or search.full, at, "o", markersize=12, fillstyle="none", color="black", label="advice")
    axes.set_xscale("log")
    axes.set_xlabel("size (basis vectors, rows of a cluster, neighbours)")
    axes.set_ylabel(search.metric)
    axes.legend(fontsize="small")
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
