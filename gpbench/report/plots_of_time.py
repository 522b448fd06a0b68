"""Figures against time and against the number of training rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gpbench.analysis.drawing.axes import (
    Named,
    axis_title,
    band,
    by_dataset,
    data_title,
    finish,
    grids,
    plain,
    safe,
    ticks,
)
from gpbench.analysis.drawing.style import new_figure
from gpbench.analysis.pareto_front import pareto_front, whole_trial
from gpbench.analysis.ranking import metrics_of
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.series import enough, told_apart
from gpbench.analysis.traces import along, last_of
from gpbench.metrics import METRICS
from gpbench.papers.figures.method_styles import of_methods


def times(results: ResultsTable) -> Named:
    """Training time against d_max on log-log axes, with the exponent fitted to the upper half of the sizes."""
    for dataset, rows in grids(results, least=3):
        part = rows[rows["fit_seconds"] > 0]
        if part.empty:
            continue
        figure, [[ax]] = new_figure()
        _power_laws(ax, part, "d_max", "fit_seconds", "d", of_methods(results))
        finish(ax, data_title(results, dataset), "number of basis vectors, d_max", "training time, seconds (median)")
        yield f"time-{safe(dataset)}", figure


def along_training(results: ResultsTable) -> Named:
    """Test score against seconds of training, from traces with snapshots: one trial in full ([cao] Figures 3d, 3e).

    A trace begins when learning that trials share is done.
    """
    every = of_methods(results)
    for dataset, rows in by_dataset(results):
        for metric in metrics_of(results):
            wide = along(results.curves, rows, f"test_{metric}")
            if wide.empty:
                continue
            wide = wide.merge(rows[["trial_id", "label", "trial", "d_max", "learn_seconds"]], on="trial_id")
            wide["seconds"] += wide["learn_seconds"].fillna(0)
            figure, [[ax]] = new_figure()
            for label in rows.loc[rows["trial_id"].isin(wide["trial_id"]), "label"].unique():
                look = every[label]
                mine = wide[wide["label"] == label]
                mine = mine[mine["d_max"].isna() | (mine["d_max"] == mine["d_max"].max())]
                for trial, path in mine.groupby("trial"):
                    first = trial == mine["trial"].min()
                    shown = {"label": plain(label), "linewidth": 1.3} if first else {"linewidth": 0.7, "alpha": 0.3}
                    marks = {"marker": look["marker"] if first else "", "markersize": 4, "markevery": [-1]}
                    ax.plot(path["seconds"], path[f"test_{metric}"], **{**look, **marks, **shown})
            ax.set_xscale("log")
            finish(
                ax,
                data_title(results, dataset) + " (other trials: faint)",
                "training time, seconds",
                axis_title(metric),
            )
            yield f"training-{safe(dataset)}-{metric}", figure


def trade_off(results: ResultsTable) -> Named:
    """Mean score against median time in all and of the test, a point for every size ([cao] Figures 3c, 3f, 6 and 7).

    The dotted steps are the front, where nothing is both faster and better; of the methods with the most trials.
    """
    every = of_methods(results)
    for dataset, rows in by_dataset(results):
        sizes = rows.groupby("label")["d_max"].nunique()
        if len(sizes) < 2 or (sizes.max() < 3 and len(sizes) < 6):
            continue
        for metric in metrics_of(results):
            part = rows.dropna(subset=[metric])
            part = part[(part["fit_seconds"] > 0) & (part["predict_seconds"] > 0)]
            if part["label"].nunique() < 2:
                continue
            figure, [axes] = new_figure(columns=2, width=8.4)
            whole, seconds = whole_trial(part)
            for ax, column in zip(axes, (whole, "predict_seconds")):
                points, counts = [], []
                for label in part["label"].unique():
                    by = part[part["label"] == label].groupby("d_max", dropna=False)
                    x, y = by[column].median(), by[metric].mean()
                    ax.plot(x, y, label=plain(label), markersize=4, **every[label])
                    points += zip(x, y)
                    counts += by.size().tolist()
                full = [point for point, is_full in zip(points, enough(pd.Series(counts))) if is_full]
                if METRICS[metric].better == "lower" and len(best := pareto_front(full)) > 1:
                    ax.step(*zip(*best), where="post", color="0.5", linewidth=0.8, linestyle=":", label="front")
            for ax, what in zip(axes, (f"learning, fit and prediction, {seconds}", "prediction, seconds")):
                ax.set_xscale("log")
                finish(ax, data_title(results, dataset), what, axis_title(metric), legend=ax is axes[1])
            axes[1].set_ylabel("")
            yield f"trade-off-{safe(dataset)}-{metric}", figure


def training_sizes(results: ResultsTable) -> Named:
    """Time and scores against n ([vanhatalo] Figure 3); the time of one EP run where the traces have it."""
    every = of_methods(results)
    for dataset, rows in told_apart(results.ok).groupby("dataset", sort=False):
        column, title = "fit_seconds", "training time, seconds (median)"
        if rows.groupby("label")["n_train"].nunique().max() < 3:
            continue
        runs = last_of(results.curves, "ep_seconds", rows)
        if len(runs):
            column, title = "ep_seconds", "time of one EP run, seconds"
            rows = rows.assign(ep_seconds=rows["trial_id"].map(runs)).dropna(subset=[column])
        figure, [[ax]] = new_figure()
        _power_laws(ax, rows[rows[column] > 0], "n_train", column, "n", every)
        ticks(ax, rows["n_train"])
        finish(ax, data_title(results, dataset), "training rows, n", title)
        yield f"size-time-{safe(dataset)}", figure
        for metric in metrics_of(results):
            figure, [[ax]] = new_figure()
            for label in rows["label"].unique():
                stats = rows[rows["label"] == label].groupby("n_train")[metric].agg(["mean", "std"])
                band(ax, stats.index, stats["mean"], stats["std"], plain(label), every[label])
            ax.set_xscale("log")
            ticks(ax, rows["n_train"])
            finish(ax, data_title(results, dataset), "training rows, n", axis_title(metric))
            yield f"size-{safe(dataset)}-{metric}", figure


def _power_laws(ax, rows: pd.DataFrame, by: str, column: str, letter: str, every: dict) -> None:
    """Medians on log-log axes, with the exponent in the legend from three sizes on."""
    for label in rows["label"].unique():
        t = rows[rows["label"] == label].groupby(by)[column].median()
        name = plain(label) + (f": {letter}^{_exponent(t):.2f}" if len(t) >= 3 else "")
        ax.loglog(t.index, t, label=name, markersize=4, linewidth=1.3, **every[label])


def _exponent(t: pd.Series) -> float:
    upper = t.iloc[len(t) // 2 :] if len(t) >= 4 else t
    return float(np.polyfit(np.log(upper.index.to_numpy(float)), np.log(upper.to_numpy()), 1)[0])
