"""[vanhatalo] Figure 1: k_se (dashed) and k_pp,q for D = 1 (red), 5 (green), 10 (black); l_se = 1, l_pp = 3."""

from __future__ import annotations

import numpy as np

from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import last_of

from .panel import Panel

DIMENSIONS = {1: "#d00000", 5: "#008000", 10: "black"}


def panels(results: ResultsTable):
    labels = [f"pp{q}-D{D}" for q in range(4) for D in DIMENSIONS]
    if not set(labels) <= set(results.ok["label"]):
        return
    panel = Panel("vanhatalo", "figure-1-kernels-correlation", rows=2, columns=2, width=7.0, height=5.0)
    for q, ax in enumerate(panel.axes.flat):
        ax.set_title(f"k_pp,{q}", loc="left")
        for D, colour in DIMENSIONS.items():
            found = _correlation(results, f"pp{q}-D{D}", f"k_pp{q}_D{D}")
            panel.line(ax, f"D = {D}", *found, {"color": colour, "linestyle": "-"})
        if found := _correlation(results, "k_se", "k_ard-se"):
            panel.line(ax, "k_se", *found, {"color": "0.35", "linestyle": "--"})
        ax.set(xlabel="r", ylabel="k(r)", xlim=(0, 3), ylim=(0, 1.02))
    panel.axes[0, 0].legend(fontsize=8)
    panel.differs += [
        "D = 1, 5, 10 as in the caption; the text says 2, 5, 10",
        "Recorded at 19 distances, joined to the correlation 1 at r = 0",
    ]
    yield panel


def _correlation(results: ResultsTable, label: str, key: str):
    """(distance, correlation) of a kernel; distances are recorded in length-scales."""
    rows = results.ok[results.ok["label"] == label]
    mine = results.curves[(results.curves["key"] == key) & results.curves["trial_id"].isin(rows["trial_id"])]
    if mine.empty:
        return None
    mine, length = mine.sort_values("step"), last_of(results.curves, "theta.lengthscale", rows).iloc[0]
    return np.r_[0.0, length * mine["step"]], np.r_[1.0, mine["value"]]
