"""[cao] Figure 1: exact against approximate cost reduction of all candidates (left), and their ranks (right)."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import lists_of

from .panel import Panel

LOOK = {"linestyle": "", "marker": ".", "color": "black"}


def panels(results: ResultsTable):
    rows = results.ok[results.ok["trial_id"].isin(
        results.curves.loc[results.curves["key"] == "exact_decrease", "trial_id"]
    )]  # fmt: skip
    if rows.empty:
        return
    row = rows.sort_values("trial").iloc[0]
    found = lists_of(results.curves, row["trial_id"])
    approximate, exact = found["estimated_decrease"], found["exact_decrease"]
    panel = Panel("cao", "figure-1-snelson1d-cost-reduction", columns=2, width=7.4)
    pairs = {"cost reduction": (approximate, exact), "rank": (rankdata(-approximate), rankdata(-exact))}
    for ax, (name, (x, y)) in zip(panel.axes.flat, pairs.items()):
        ax.set_title("left" if name != "rank" else "right", loc="left")
        panel.line(ax, name, x, y, LOOK)
        ends = [min(x.min(), y.min()), max(x.max(), y.max())]
        ax.plot(ends, ends, color="0.7", linewidth=0.8, zorder=0)
        ax.set(xlabel=f"approximate {name}", ylabel=f"exact {name}")
    panel.compare(results, rows[rows["trial_id"] == row["trial_id"]])
    best = 1 + int(np.sum(exact > exact[np.argmax(approximate)]))
    panel.differs += [
        f"First swap of the last epoch, m = {row['d_max']:.0f} (not stated): the {len(exact)} candidates of one choice",
        f"Rank 1 reduces the cost most; the approximate best has exact rank {best}",
    ]
    yield panel
