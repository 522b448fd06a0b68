"""Drawing that several figures share: scores against a size, against seconds, along a selection."""

from __future__ import annotations

import pandas as pd

from gpbench.analysis.drawing.axes import axis_title, doubling, finish
from gpbench.analysis.results_table import ResultsTable

from .method_styles import of_methods
from .panel import Panel


def order_of(panel: Panel, rows: pd.DataFrame) -> list[str]:
    """The series in the printed order, then labels of ours that no printed row names."""
    printed = [name.strip() for text in panel.printed["method"] for name in text.replace("/", ",").split(",")]
    return [name for name in dict.fromkeys(printed) if (rows["label"] == name).any()]


def against_size(panel: Panel, results: ResultsTable, rows: pd.DataFrame, metric: str, title: str, x: str) -> None:
    """Mean score against the number of inducing points, a marker at every size."""
    looks = of_methods(results)
    for label in order_of(panel, rows):
        panel.means(panel.ax, label, rows[rows["label"] == label], "d_max", metric, looks[label])
    doubling(panel.ax, rows["d_max"].dropna())
    panel.compare(results, rows)
    finish(panel.ax, title, x, axis_title(metric), scale=False)


def against_seconds(
    panel: Panel, results: ResultsTable, rows: pd.DataFrame, metric: str, seconds: str, title, x
) -> None:
    """Mean score against median seconds, a point for every size, joined in the order of the sizes."""
    looks = of_methods(results)
    for label in order_of(panel, rows):
        by = rows[rows["label"] == label].groupby("d_max")
        found = pd.DataFrame({"x": by[seconds].median(), "y": by[metric].mean(), "n": by["trial"].nunique()})
        panel.line(panel.ax, label, found["x"], found["y"], looks[label], trials=found["n"])
    panel.ax.set_xscale("log")
    panel.compare(results, rows)
    finish(panel.ax, title, x, axis_title(metric), scale=False)
