"""How sure and how right classifiers are: reliability diagrams, and confusion matrices, summed over trials."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from gpbench import metrics
from gpbench.analysis.drawing.axes import safe
from gpbench.analysis.table import Table, TableCell
from gpbench.analysis.traces import last_of
from gpbench.data.standins import title_of
from gpbench.html.svg_chart import Chart, Line

from ..trial_data import TrialBook

BIN_KEYS = ("bin_rows", "bin_prob", "bin_right")
LABELS = "classes: "  # how the note begins that names them


def reliability(book: TrialBook) -> Iterator[Chart]:
    """Share of right predictions against the probability of the most probable class, a line for each method."""
    for dataset, rows in _parts(book):
        lines = []
        for look, (label, part) in enumerate(rows.groupby("label", sort=False)):
            count, sure, right = (_summed(book, part, key, metrics.BINS) for key in BIN_KEYS)
            if not count.any():
                continue
            at = count > 0
            x, y, n = sure[at] / count[at], right[at] / count[at], count[at]
            tips = [f"{label}: {k:.0f} rows, probability {a:.3f}, right {b:.3f}" for k, a, b in zip(n, x, y)]
            lines.append(Line(label, look, x.tolist(), y.tolist(), tips=tips))
        if lines:
            lines.append(Line("as sure as right", len(lines), [0.0, 1.0], [0.0, 1.0], faint=True))
            caption = (
                f"{title_of(dataset)}: reliability. Rows of all trials in 15 bins by the probability of the predicted "
                "class; below the diagonal a method is surer than right."
            )
            name, titles = f"reliability-{safe(dataset)}", ("probability of the predicted class", "share of right ones")
            yield Chart(name, *titles, caption, lines, dataset, dataset, kind="reliability")


def confusions(book: TrialBook) -> list[Table]:
    """The confusion matrix of the best method of each data set by the first metric."""
    found = []
    for dataset, rows in _parts(book):
        metric = book.metrics[0]
        best = metrics.loss(metric, rows.groupby("label", sort=False)[metric].mean()).idxmin()
        part = rows[rows["label"] == best]
        known = last_of(book.results.curves, "classes", part)
        if not len(known):
            continue
        K = int(known.iloc[0])
        counts = _summed(book, part, "confusion", K * K)
        names = _labels(book, dataset, K)
        body = [(name, [TableCell(f"{v:.0f}") for v in row]) for name, row in zip(names, counts.reshape(K, K))]
        title = f"Confusion matrix of {best} on {dataset}"
        notes = ["Rows: true classes; columns: predicted ones; test rows of all trials."]
        found.append(Table(f"confusion-{safe(dataset)}", title, ["class", *names], body, notes=notes))
    return found


def _parts(book: TrialBook) -> Iterator[tuple[str, pd.DataFrame]]:
    """Finished rows of each data set of classes."""
    rows = book.rows[(book.rows["status"] == "ok")]
    if "err" in rows and book.metrics:
        for dataset, part in rows[rows["err"].notna()].groupby("dataset", sort=False):
            yield str(dataset), part


def _summed(book: TrialBook, part: pd.DataFrame, key: str, length: int) -> np.ndarray:
    """The list of this key of the traces, summed over the trials; entries that are 0 are not kept."""
    curves = book.results.curves
    mine = curves[(curves["key"] == key) & curves["trial_id"].isin(part["trial_id"])]
    return np.bincount(mine["step"].astype(int), weights=mine["value"], minlength=length)


def _labels(book: TrialBook, dataset: str, K: int) -> list[str]:
    begin = f"{dataset}: {LABELS}"
    found = next((n.removeprefix(begin).split(" | ") for n in book.results.notes if n.startswith(begin)), [])
    return found if len(found) == K else ["-1", "+1"] if K == 2 else [str(k) for k in range(K)]
