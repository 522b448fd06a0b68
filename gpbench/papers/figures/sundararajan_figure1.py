"""[sundararajan] Figure 1: every measure along its own selection on Friedman3, a line for each round of learning."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import finish
from gpbench.analysis.drawing.style import shades
from gpbench.analysis.results_table import ResultsTable

from ..printed_numbers import ALGORITHMS
from .panel import Panel

SHOWN = 0.35  # of the whole fall; the rise behind the minimum is small beside it
PREFIX = "measure_of_round_"


def panels(results: ResultsTable):
    rows = results.ok[(results.ok["dataset"] == "friedman3") & (results.ok["trial"] == 0)]
    curves = results.curves[results.curves["key"].str.startswith(PREFIX)].merge(
        rows[["trial_id", "label"]], on="trial_id"
    )
    if curves.empty:
        return
    curves = curves.assign(round=curves["key"].str.removeprefix(PREFIX).astype(int))
    panel = Panel("sundararajan", "figure-1-friedman3-measure", rows=2, columns=3, width=8.4, height=4.8)
    rounds = sorted(curves["round"].unique())
    colours = dict(zip(rounds, shades(len(rounds))))
    for ax, label in zip(panel.axes.flat, ALGORITHMS):
        ax.set_title(label, loc="left")
        for k, path in curves[curves["label"] == label].groupby("round"):
            path = path.sort_values("step")
            look = {"color": colours[k], "linestyle": "-", "linewidth": 1.0}
            panel.line(ax, f"round {k}", path["step"], path["value"], look)
        low, high = ax.dataLim.intervaly
        ax.set_ylim(low - 0.02 * (high - low), low + SHOWN * (high - low))
        finish(ax, "", "basis vectors", "measure", legend=False, scale=False)
    last = panel.axes.flat[-1]
    last.axis("off")
    handles = {line.get_label(): line for ax in panel.axes.flat[:-1] for line in ax.get_lines()}
    ordered = sorted(handles, key=lambda name: int(name.split()[-1]))
    last.legend([handles[n] for n in ordered], ordered, loc="center", fontsize=8, ncols=2)
    panel.differs += [
        "One run of ours (trial 0); the paper does not say how many rounds it shows",
        "A round is one selection of up to all 200 rows, then 20 evaluations of the evidence",
        "Measures are as each selection minimises them, on standardised targets; the first steps lie above the axes",
    ]
    yield panel
