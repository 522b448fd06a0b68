"""[vanhatalo] Figure 3: time of one EP run and classification error against n; k_se dashed, k_pp3 solid, FIC dotted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gpbench.analysis.drawing.axes import data_title, finish, ticks
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import last_of

from .method_styles import of_methods
from .panel import Panel

FITTED = 3  # sizes behind an extrapolation
LOOKS = {
    "k_se": {"linestyle": "--", "color": "#0072b2", "marker": "s"},
    "k_pp3": {"linestyle": "-", "color": "#000000", "marker": "o"},
    "FIC": {"linestyle": ":", "color": "#b23b00", "marker": "^"},
}


def panels(results: ResultsTable):
    rows, looks = results.ok[results.ok["label"].isin(LOOKS)], of_methods(results)
    rows = rows.assign(ep_seconds=rows["trial_id"].map(last_of(results.curves, "ep_seconds", rows)))
    for dataset, mine in rows.groupby("dataset", sort=False):
        for column, name, axis in (
            ("ep_seconds", "ep-time", "time of one EP run, seconds"),
            ("err", "err", "classification error"),
        ):
            panel = Panel("vanhatalo", f"figure-3-{dataset}-{name}")
            for label in LOOKS:
                panel.means(panel.ax, label, mine[mine["label"] == label], "n_train", column, looks[label])
            panel.ax.set_xscale("log")
            if column == "ep_seconds":
                panel.ax.set_yscale("log")
            told = _extrapolated(panel, mine, looks["k_se"]) if column == "ep_seconds" else ""
            ticks(panel.ax, mine["n_train"])
            panel.compare(results, mine)
            panel.differs += [told] if told else []
            if left := _not_run(mine):
                panel.differs.append(f"Not run: {left}")
            panel.differs.append("The text does not state the scales of the axes")
            finish(panel.ax, data_title(results, dataset), "number of training rows, n", axis, scale=False)
            yield panel


def _extrapolated(panel: Panel, rows: pd.DataFrame, look: dict) -> str:
    """Draw k_se beyond its largest size by the power of n of its last three sizes; what the caption says of it."""
    times = rows[rows["label"] == "k_se"].groupby("n_train")["ep_seconds"].mean().dropna()
    end = rows["n_train"].max()
    if len(times) < FITTED or times.index[-1] >= end:
        return ""
    n, t = times.index[-FITTED:].to_numpy(float), times.iloc[-FITTED:].to_numpy(float)
    power, level = np.polyfit(np.log(n), np.log(t), 1)
    x = np.array([n[-1], end])
    y = np.exp(level + power * np.log(x))
    y[0] = t[-1]
    drawn = {"color": look["color"], "marker": look["marker"], "linestyle": (0, (1, 2)), "markerfacecolor": "white"}
    panel.line(panel.ax, "k_se, extrapolated", x, y, drawn, markevery=[1])
    return f"k_se at n = {end:.0f} is extrapolated, by n^{power:.1f} of its last {FITTED} sizes"


def _not_run(rows) -> str:
    """Training sizes that some method lacks."""
    sizes = {label: sorted(set(rows["n_train"]) - set(rows.loc[rows["label"] == label, "n_train"])) for label in LOOKS}
    return "; ".join(f"{label} at n = {', '.join(f'{n:.0f}' for n in left)}" for label, left in sizes.items() if left)
