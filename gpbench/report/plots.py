"""Figures of a results folder, from what is on disk. PLOTS says which figure applies to which folder.

Each function yields (file name, figure) and yields nothing where the folder has not got what it shows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from gpbench.analysis.drawing import fit_plot
from gpbench.analysis.drawing.axes import (
    Named,
    axis_title,
    band,
    by_dataset,
    data_title,
    doubling,
    finish,
    grids,
    plain,
    safe,
)
from gpbench.analysis.drawing.box_plot import groups
from gpbench.analysis.drawing.style import ENDINGS, house_style, new_figure, save
from gpbench.analysis.ranking import metrics_of, ranking
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.series import told_apart
from gpbench.analysis.traces import averaged, lists_of, scaled_measures
from gpbench.metrics import METRICS
from gpbench.papers import figures
from gpbench.papers.figures.method_styles import of_methods

from .plots_of_time import along_training, times, trade_off, training_sizes


def learning_curves(results: ResultsTable) -> Named:
    """Metric against d_max: mean with a band of one standard deviation; of one standard error from five methods on.

    A method at one size beyond the others' (a full GP on a subset) is a level, not a point far to the right.
    """
    every = of_methods(results)
    for dataset, rows in grids(results):
        for metric in metrics_of(results):
            part = rows.dropna(subset=[metric])
            if part.empty:
                continue
            figure, [[ax]] = new_figure()
            spread, told = ("std", "deviation") if part["label"].nunique() <= 4 else ("sem", "error")
            sizes = part.groupby("label")["d_max"].agg(["nunique", "max"])
            reach = sizes.loc[sizes["nunique"] > 1, "max"].max()
            for label in part["label"].unique():
                look = every[label]
                stats = part[part["label"] == label].groupby("d_max")[metric].agg(["mean", spread])
                if len(stats) == 1 and stats.index[0] > reach:
                    name = plain(f"{label} (d = {stats.index[0]:.0f})")
                    ax.axhline(stats["mean"].iloc[0], label=name, linewidth=1.3, **{**look, "marker": ""})
                else:
                    band(ax, stats.index, stats["mean"], stats[spread], plain(label), look)
            doubling(ax, part.loc[part["d_max"] <= reach, "d_max"])
            note = f" (band: one standard {told})" if part["trial"].nunique() > 1 else ""
            finish(ax, data_title(results, dataset) + note, "number of basis vectors, d_max", axis_title(metric))
            yield f"curve-{safe(dataset)}-{metric}", figure


def measure_curves(results: ResultsTable) -> Named:
    """Selection measure along the greedy path, each run scaled to [0, 1] as [sundararajan] Figures 2-4 draw it."""
    every, joined = of_methods(results), scaled_measures(results.curves, told_apart(results.ok))
    for dataset, rows in joined.groupby("dataset", sort=False):
        figure, [[ax]] = new_figure()
        for label in rows["label"].unique():
            stats = averaged(rows[rows["label"] == label], "scaled")
            band(ax, stats.index, stats["mean"], stats["std"], plain(label), {**every[label], "marker": ""}, (0.0, 1.0))
        finish(ax, data_title(results, dataset), "number of basis vectors", "selection measure, scaled to [0, 1]")
        yield f"measure-{safe(dataset)}", figure


def box_groups(results: ResultsTable) -> Named:
    """At each d_max one box per method, in the order of the config; without a grid one group. Few trials: points."""
    together, every = dict(grids(results)), of_methods(results)
    for dataset, rows in by_dataset(results):
        rows = together.get(dataset, rows)
        for metric in metrics_of(results):
            part = rows.dropna(subset=[metric])
            if (
                part.groupby(["label", "d_max"], dropna=False)["trial"].nunique().max() < 3
                or part["label"].nunique() < 2
            ):
                continue
            figure, [[ax]] = new_figure(width=7.2)
            sizes = None if dataset in together else [None]
            groups(ax, part, metric, list(part["label"].unique()), every, sizes)
            finish(
                ax,
                data_title(results, dataset),
                "number of basis vectors, d_max" if dataset in together else "",
                axis_title(metric),
            )
            yield f"box-{safe(dataset)}-{metric}", figure


def one_dimension(results: ResultsTable) -> Named:
    """Mean and two standard deviations over the only input, of every method's first trial at its largest size."""
    kept = results.curves.loc[results.curves["key"] == "fit_x", "trial_id"]
    rows = results.ok[results.ok["trial_id"].isin(kept)].sort_values(["d_max", "trial"], ascending=[False, True])
    for row in rows.drop_duplicates(["dataset", "label"]).sort_index().to_dict("records"):
        figure, [[ax]] = new_figure()
        found = lists_of(results.curves, row["trial_id"])
        fit_plot.draw(ax, found, 2)
        size = "" if pd.isna(row["d_max"]) else f", {row['d_max']:.0f} points"
        beyond, _ = fit_plot.outside(found)
        size += f", {beyond} of them beyond the axis" if beyond else ""
        finish(ax, f"{data_title(results, row['dataset'])}: {plain(row['label'])}{size}", "input x", "target y")
        yield f"fit-{safe(row['dataset'])}-{safe(row['label'])}", figure


def critical_difference(results: ResultsTable) -> Named:
    """Average ranks over five or more data sets; a bar joins methods closer than Nemenyi's critical difference."""
    for metric in metrics_of(results):
        if not (r := ranking(results, metric)):
            continue
        order = np.argsort(r.ranks)
        cliques = _cliques(r.ranks[order], r.critical_difference)
        depth = 0.5 * len(cliques)  # bars first, names below them
        figure, [[ax]] = new_figure(height=1.2 + 0.22 * (len(order) + depth))
        ax.set_xlim(0.5, len(order) + 1)
        ax.set_ylim(depth + len(order) + 0.7, -0.5)
        for k, i in enumerate(order):
            ax.plot([r.ranks[i], r.ranks[i]], [0, depth + k + 0.8], color="0.6", linewidth=0.8)
            ax.plot(r.ranks[i], 0, "o", color="black", markersize=4)
            ax.text(
                r.ranks[i] + 0.06, depth + k + 0.6, f"{plain(r.methods[i])} ({r.ranks[i]:.2f})", va="center", fontsize=8
            )
        for level, (first, last) in enumerate(cliques):
            ax.plot([first, last], [0.5 * (level + 1)] * 2, color="black", linewidth=3, solid_capstyle="butt")
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        distance = f"critical difference {r.critical_difference:.2f}"
        finish(
            ax,
            f"{METRICS[metric].title}: {r.datasets} data sets, Friedman p = {r.p:.3g}, {distance}",
            "average rank (1 is best)",
            "",
        )
        yield f"ranks-{metric}", figure


def _cliques(ranks, cd: float) -> list[tuple[float, float]]:
    """Longest runs of sorted ranks that span less than the critical difference."""
    runs, reach = [], -1
    for i in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[i] + cd, side="right")) - 1
        if last > max(i, reach):
            runs.append((ranks[i], ranks[last]))
            reach = last
    return runs


PLOTS = {  # figure -> what a folder must hold
    learning_curves: "two or more sizes d_max",
    measure_curves: "traces with a measure (curves.csv)",
    box_groups: "two or more methods, three or more trials",
    times: "three or more sizes d_max",
    along_training: "traces with snapshots",
    trade_off: "two or more methods at three or more sizes d_max, or six methods",
    training_sizes: "three or more training sizes of a data set",
    one_dimension: "one input",
    critical_difference: "five or more data sets",
}


def draw(
    results: ResultsTable, folder: Path, numbers: Path | None = None, endings: tuple[str, ...] = ENDINGS
) -> list[Path]:
    """Every figure that applies, the papers' own first; what those draw also as csv files in the folder `numbers`."""
    files = []
    with house_style():
        for panel in figures.panels(results):
            files += save(panel.captioned(), folder, panel.name, endings)
            if numbers is not None:
                files.append(panel.save_numbers(numbers))
        for plot in PLOTS:
            for name, figure in plot(results):
                files += save(figure, folder, name, endings)
    return files
