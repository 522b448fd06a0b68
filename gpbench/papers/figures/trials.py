"""Which trial a figure over one input shows, and how."""

from __future__ import annotations

import numpy as np

from gpbench.analysis.drawing import fit_plot
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import lists_of

from .panel import Panel


def fit(
    panel: Panel, ax, results: ResultsTable, trial_id: str, deviations: float, colours: dict, overlaid: bool = False
):
    fit_plot.draw(ax, lists_of(results.curves, trial_id), deviations, colours, panel.keep, overlaid)
    ax.set(xlabel="x", ylabel="y")


def shared_legend(panel: Panel) -> None:
    """One legend above all axes."""
    handles = {label: h for ax in panel.axes.flat for h, label in zip(*ax.get_legend_handles_labels())}
    columns = min(len(handles), int(panel.figure.get_figwidth() // 1.8))
    panel.figure.legend(handles.values(), handles, loc="outside upper center", ncols=columns, fontsize=8)


def beyond(results: ResultsTable, trial_id: str) -> int:
    """Final inducing inputs outside the training rows."""
    found = lists_of(results.curves, trial_id)
    at, x = found.get("inducing_x", np.zeros(0)), found["data_x"]
    return int(np.sum((at < x.min()) | (at > x.max())))


def drawn(results: ResultsTable, label: str, best: bool = False, **where):
    """The trial that is shown: the first, or the one with the highest evidence; None where no curve was kept."""
    rows = results.ok[results.ok["label"] == label]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    kept = results.curves.loc[results.curves["key"] == "fit_x", "trial_id"]
    rows = rows[rows["trial_id"].isin(kept)]
    if rows.empty:
        return None
    return rows.sort_values("log_evidence" if best else "trial", ascending=not best).iloc[0]
