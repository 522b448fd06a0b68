"""Figures of a results folder, from what is on disk. PLOTS says which figure applies to which folder.

Each function yields (file name, figure) and yields nothing where the folder has not got what it shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from .frame import Results, told_apart, twin_of
from .ranking import metrics_of, ranking
from .style import GREYS, house_style, looks, new_figure, save
from .tables import TITLES
from .traces import last_of

Named = Iterator[tuple[str, object]]


def axis_title(metric: str) -> str:
    units = {
        "nmse": "test NMSE",
        "smse": "test SMSE",
        "nlpd": "test NLPD, nats",
        "nlpd_latent": "test NLPD (latent), nats",
    }
    return units.get(metric, {"snlp": "test SNLP, nats", "err": "test error rate"}.get(metric, metric))


def data_title(dataset: str) -> str:
    return plain(f"{dataset} (stand-in for {twin_of(dataset)})" if twin_of(dataset) else dataset)


def grids(results: Results, least: int = 2) -> Iterator[tuple[str, pd.DataFrame]]:
    """Data sets on which some label was run at several d_max; rows without a size are left out."""
    for name, rows in by_dataset(results):
        rows = rows.dropna(subset=["d_max"])
        counts = rows.groupby("label")["d_max"].nunique()
        if len(counts) and counts.max() >= least:
            yield name, rows


def by_dataset(results: Results) -> Iterator[tuple[str, pd.DataFrame]]:
    """(name, finished rows); the name has n_train where a data set was run at several."""
    ok = told_apart(results.ok)
    for (dataset, n_train), rows in ok.groupby(["dataset", "n_train"], sort=False):
        several = ok.loc[ok["dataset"] == dataset, "n_train"].nunique() > 1
        yield f"{dataset}-{n_train:.0f}" if several else dataset, rows


def plain(label: str) -> str:
    """A label as text: no formula between dollar signs, and shown in legends even with a leading underscore."""
    return ("\u200a" if label.startswith("_") else "") + label.replace("$", r"\$")


def safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in name)


def learning_curves(results: Results) -> Named:
    """Metric against d_max: mean with a band of one standard deviation; of one standard error where there are many.

    A method at one size beyond the others' (a full GP on a subset) is a level, not a point far to the right.
    """
    for dataset, rows in grids(results):
        for metric in metrics_of(results):
            part = rows.dropna(subset=[metric])
            if part.empty:
                continue
            figure, [[ax]] = new_figure()
            spread, told = ("std", "deviation") if part["label"].nunique() <= 4 else ("sem", "error")
            sizes = part.groupby("label")["d_max"].agg(["nunique", "max"])
            reach = sizes.loc[sizes["nunique"] > 1, "max"].max()
            for label, look in looks(part["label"].unique()).items():
                stats = part[part["label"] == label].groupby("d_max")[metric].agg(["mean", spread])
                if len(stats) == 1 and stats.index[0] > reach:
                    name = plain(f"{label} (d = {stats.index[0]:.0f})")
                    ax.axhline(stats["mean"].iloc[0], label=name, linewidth=1.3, **{**look, "marker": ""})
                else:
                    _band(ax, stats.index, stats["mean"], stats[spread], plain(label), look)
            _doubling(ax, part.loc[part["d_max"] <= reach, "d_max"])
            band = f" (band: one standard {told})" if part["trial"].nunique() > 1 else ""
            _finish(ax, data_title(dataset) + band, "number of basis vectors, d_max", axis_title(metric))
            yield f"curve-{safe(dataset)}-{metric}", figure


def _band(ax, x, mean, std, label, look, limits=(-np.inf, np.inf)) -> None:
    ax.plot(x, mean, label=label, markersize=4, linewidth=1.3, **look)
    if std.notna().any():
        low, high = (mean + sign * std.fillna(0) for sign in (-1, 1))
        ax.fill_between(x, low.clip(*limits), high.clip(*limits), color=look["color"], alpha=0.12, linewidth=0)


def _doubling(ax, sizes: pd.Series) -> None:
    """Sizes that double (16, 32, ..., 512) stand at equal distances."""
    steps = np.sort(sizes.unique())
    if len(steps) > 3 and (steps[1:] >= 1.5 * steps[:-1]).all():
        ax.set_xscale("log")
        _ticks(ax, sizes)


def _finish(ax, title: str, x: str, y: str) -> None:
    low, high = ax.dataLim.intervaly
    if low > 0 and high > 8 * low and ax.get_yscale() == "linear":
        ax.set_yscale("log")  # errors over a range of sizes: equal ratios, equal distances
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if entries := ax.get_legend_handles_labels()[0]:  # many would cover the lines
        beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if len(entries) > 4 else {}
        ax.legend(fontsize=8, **beside)


def measure_curves(results: Results) -> Named:
    """Selection measure along the greedy path, each run scaled to [0, 1] as [sundararajan] Figures 2-4 draw it."""
    curves = results.curves[results.curves["key"] == "measure"].dropna(subset=["step"])
    if curves.empty:
        return
    joined = curves.merge(told_apart(results.ok)[["trial_id", "dataset", "label", "d_max"]], on="trial_id")
    longest = joined.groupby(["dataset", "label"])["d_max"].transform("max")
    joined = joined[joined["d_max"].isna() | (joined["d_max"] == longest)]
    spread = joined.groupby("trial_id")["value"].agg(["min", "max"]).reindex(joined["trial_id"])
    scale = (spread["max"] - spread["min"]).replace(0, 1).to_numpy()
    joined = joined.assign(scaled=(joined["value"].to_numpy() - spread["min"].to_numpy()) / scale)
    for dataset, rows in joined.groupby("dataset", sort=False):
        figure, [[ax]] = new_figure()
        for label, look in looks(rows["label"].unique()).items():
            stats = rows[rows["label"] == label].groupby("step")["scaled"].agg(["mean", "std", "count"])
            stats = stats[stats["count"] == stats["count"].max()]  # thinned paths do not all keep the same steps
            _band(ax, stats.index, stats["mean"], stats["std"], plain(label), {**look, "marker": ""}, (0.0, 1.0))
        _finish(ax, data_title(dataset), "number of basis vectors", "selection measure, scaled to [0, 1]")
        yield f"measure-{safe(dataset)}", figure


def box_groups(results: Results) -> Named:
    """At each d_max one box per method, in the order of the config ([keerthi] Figure 1); without a grid one group."""
    together = dict(grids(results))
    for dataset, every in by_dataset(results):
        rows = together.get(dataset, every)
        for metric in metrics_of(results):
            part = rows.dropna(subset=[metric])
            if (
                part.groupby(["label", "d_max"], dropna=False)["trial"].nunique().max() < 3
                or part["label"].nunique() < 2
            ):
                continue
            figure, [[ax]] = new_figure(width=7.2)
            _boxes(ax, part, metric, grid=dataset in together)
            _finish(
                ax,
                data_title(dataset),
                "number of basis vectors, d_max" if dataset in together else "",
                axis_title(metric),
            )
            yield f"box-{safe(dataset)}-{metric}", figure


def _boxes(ax, rows: pd.DataFrame, metric: str, grid: bool) -> None:
    labels = list(rows["label"].unique())
    sizes = sorted(rows["d_max"].dropna().unique()) if grid else [None]
    width = 0.8 / len(labels)
    for k, label in enumerate(labels):
        mine = rows[rows["label"] == label]
        values = [(mine if d is None else mine[mine["d_max"] == d])[metric].to_numpy() for d in sizes]
        places = [i + (k - (len(labels) - 1) / 2) * width for i in range(len(sizes))]
        box = ax.boxplot(values, positions=places, widths=0.85 * width, patch_artist=True, manage_ticks=False)
        for patch in box["boxes"]:
            patch.set(facecolor=GREYS[k % len(GREYS)], edgecolor="black", hatch=["", "//", "xx", "--", "||"][k % 5])
        for median in box["medians"]:
            median.set(color="black", linewidth=1.5)
        if grid:
            box["boxes"][0].set_label(plain(label))
    if grid:
        ax.set_xticks(range(len(sizes)), [f"{d:.0f}" for d in sizes])
    else:  # one group: the names stand below their boxes
        places = [(k - (len(labels) - 1) / 2) * width for k in range(len(labels))]
        ax.set_xticks(places, [plain(name) for name in labels], rotation=30 if len(labels) > 4 else 0, ha="center")
    ax.grid(visible=False, axis="x")


def times(results: Results) -> Named:
    """Training time against d_max on log-log axes, with the exponent fitted to the upper half of the sizes."""
    for dataset, rows in grids(results, least=3):
        part = rows[rows["fit_seconds"] > 0]
        if part.empty:
            continue
        figure, [[ax]] = new_figure()
        _power_laws(ax, part, "d_max", "fit_seconds", "d")
        _finish(ax, data_title(dataset), "number of basis vectors, d_max", "training time, seconds (median)")
        yield f"time-{safe(dataset)}", figure


def along_training(results: Results) -> Named:
    """Test score against seconds of training, from traces with snapshots: one trial in full ([cao] Figures 3d, 3e)."""
    curves = results.curves.dropna(subset=["step"])
    for dataset, rows in by_dataset(results):
        for metric in metrics_of(results):
            wide = curves[curves["key"].isin(["seconds", f"test_{metric}"]) & curves["trial_id"].isin(rows["trial_id"])]
            wide = wide.pivot_table(index=["trial_id", "step"], columns="key", values="value", aggfunc="last")
            if len(wide.columns) < 2 or (wide := wide.dropna()).empty:
                continue
            wide = wide.reset_index().merge(rows[["trial_id", "label", "trial", "d_max"]], on="trial_id")
            figure, [[ax]] = new_figure()
            for label, look in looks(rows.loc[rows["trial_id"].isin(wide["trial_id"]), "label"].unique()).items():
                mine = wide[wide["label"] == label]
                mine = mine[mine["d_max"].isna() | (mine["d_max"] == mine["d_max"].max())]
                for trial, path in mine.groupby("trial"):
                    first = trial == mine["trial"].min()
                    shown = {"label": plain(label), "linewidth": 1.3} if first else {"linewidth": 0.7, "alpha": 0.3}
                    marks = {"marker": look["marker"] if first else "", "markersize": 4, "markevery": [-1]}
                    ax.plot(path["seconds"], path[f"test_{metric}"], **{**look, **marks, **shown})
            _seconds(ax)
            _finish(ax, data_title(dataset) + " (other trials: faint)", "training time, seconds", axis_title(metric))
            yield f"training-{safe(dataset)}-{metric}", figure


def trade_off(results: Results) -> Named:
    """Mean score against median training and test time, a point for every size ([cao] Figures 3c, 3f, 6 and 7)."""
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
            for label, look in looks(part["label"].unique()).items():
                by = part[part["label"] == label].groupby("d_max", dropna=False)
                for ax, column in zip(axes, ("fit_seconds", "predict_seconds")):
                    ax.plot(by[column].median(), by[metric].mean(), label=plain(label), markersize=4, **look)
            for ax, what in zip(axes, ("training", "test")):
                _seconds(ax)
                _finish(ax, data_title(dataset), f"{what} time, seconds", axis_title(metric))
            axes[0].get_legend().remove()
            axes[1].set_ylabel("")
            yield f"trade-off-{safe(dataset)}-{metric}", figure


def _seconds(ax) -> None:
    """A logarithmic axis of times with plain numbers, few enough to be read."""
    ax.set_xscale("log")
    low, high = ax.dataLim.intervalx
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _power_laws(ax, rows: pd.DataFrame, by: str, column: str, letter: str) -> None:
    """Medians on log-log axes, with the exponent in the legend from three sizes on."""
    for label, look in looks(rows["label"].unique()).items():
        t = rows[rows["label"] == label].groupby(by)[column].median()
        name = plain(label) + (f": {letter}^{_exponent(t):.2f}" if len(t) >= 3 else "")
        ax.loglog(t.index, t, label=name, markersize=4, linewidth=1.3, **look)


def training_sizes(results: Results) -> Named:
    """Time and scores against n ([vanhatalo] Figure 3); the time of one EP run where the traces have it."""
    for dataset, rows in told_apart(results.ok).groupby("dataset", sort=False):
        column, title = "fit_seconds", "training time, seconds (median)"
        if rows.groupby("label")["n_train"].nunique().max() < 3:
            continue
        runs = last_of(results.curves, "ep_seconds", rows)
        if len(runs):
            column, title = "ep_seconds", "time of one EP run, seconds"
            rows = rows.assign(ep_seconds=rows["trial_id"].map(runs)).dropna(subset=[column])
        figure, [[ax]] = new_figure()
        _power_laws(ax, rows[rows[column] > 0], "n_train", column, "n")
        _ticks(ax, rows["n_train"])
        _finish(ax, data_title(dataset), "training rows, n", title)
        yield f"size-time-{safe(dataset)}", figure
        for metric in metrics_of(results):
            figure, [[ax]] = new_figure()
            for label, look in looks(rows["label"].unique()).items():
                stats = rows[rows["label"] == label].groupby("n_train")[metric].agg(["mean", "std"])
                _band(ax, stats.index, stats["mean"], stats["std"], plain(label), look)
            ax.set_xscale("log")
            _ticks(ax, rows["n_train"])
            _finish(ax, data_title(dataset), "training rows, n", axis_title(metric))
            yield f"size-{safe(dataset)}-{metric}", figure


def _ticks(ax, sizes: pd.Series) -> None:
    """The sizes themselves, written out."""
    ax.set_xticks(sorted(sizes.unique()), [f"{n:.0f}" for n in sorted(sizes.unique())])
    ax.set_xticks([], minor=True)


def _exponent(t: pd.Series) -> float:
    upper = t.iloc[len(t) // 2 :] if len(t) >= 4 else t
    return float(np.polyfit(np.log(upper.index.to_numpy(float)), np.log(upper.to_numpy()), 1)[0])


def one_dimension(results: Results) -> Named:
    """Mean and two standard deviations over a one-dimensional input, with initial and final pseudo-inputs."""
    for row in results.ok[results.ok["trial"] == 0].to_dict("records"):
        file = results.path / "trials" / f"{row['trial_id']}.npz"
        if not file.is_file():
            continue
        with np.load(file, allow_pickle=False) as stored:
            arrays = {k: stored[k] for k in stored.files}
        if not {"x_train", "y_train", "x_grid", "mean_grid", "var_grid"} <= arrays.keys():
            continue
        figure, [[ax]] = new_figure()
        _predictive(ax, arrays, _scaled(results, row["trial_id"]))
        size = "" if pd.isna(row["d_max"]) else f", {row['d_max']:.0f} points"
        _finish(ax, f"{data_title(row['dataset'])}: {plain(row['label'])}{size}", "input x", "target y")
        yield f"fit-{safe(row['dataset'])}-{safe(row['label'])}{size.replace(', ', '-').replace(' points', '')}", figure


def _scaled(results: Results, trial_id: str) -> bool:
    """Whether the inputs of a trial were standardised: pseudo-inputs are stored as the method saw them."""
    planned = {t.get("id"): t for t in results.manifest.get("trials") or []}
    scale = planned.get(trial_id, results.config).get("scale") or {}
    return scale.get("inputs", "standardise") == "standardise"


def _predictive(ax, a: dict, scaled: bool) -> None:
    x, x_train = a["x_grid"].ravel(), a["x_train"].ravel()
    mean, sd = a["mean_grid"], np.sqrt(a["var_grid"])
    ax.plot(x_train, a["y_train"], ".", color="0.45", markersize=3, label="training data")
    ax.plot(x, mean, "-", color="black", linewidth=1.4, label="predictive mean")
    ax.plot(x, mean - 2 * sd, "--", color="black", linewidth=0.8, label="± 2 standard deviations")
    ax.plot(x, mean + 2 * sd, "--", color="black", linewidth=0.8)
    raw = (lambda z: z.ravel() * x_train.std() + x_train.mean()) if scaled else np.ravel
    marks = [(raw(a[k]), edge, m, n) for k, edge, m, n in PSEUDO_INPUTS if k in a]
    if "pivots" in a:
        where = {row: i for i, row in enumerate(a["train_index"].tolist())}
        marks.append((x_train[[where[row] for row in a["pivots"].tolist()]], 0.03, "^", "basis vectors"))
    for at, height, marker, name in marks:
        outside = int(np.sum((at < x[0]) | (at > x[-1])))
        label = f"{name} ({outside} beyond the axis)" if outside else name
        ax.plot(at, np.full(len(at), height), marker, color="black", markersize=5, label=label,
                transform=ax.get_xaxis_transform(), markerfacecolor="none")  # fmt: skip
    ax.set_xlim(x[0], x[-1])


# key, height in the axes, marker, name
PSEUDO_INPUTS = (("inducing_start", 0.97, "v", "initial pseudo-inputs"), ("inducing", 0.03, "^", "final pseudo-inputs"))


def critical_difference(results: Results) -> Named:
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
        _finish(
            ax,
            f"{TITLES[metric]}: {r.datasets} data sets, Friedman p = {r.p:.3g}, {distance}",
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
    one_dimension: "one input and --save-predictions",
    critical_difference: "five or more data sets",
}


def draw(results: Results, folder: Path) -> list[Path]:
    """Every figure that applies, as svg and png."""
    files = []
    with house_style():
        for plot in PLOTS:
            for name, figure in plot(results):
                files += save(figure, folder, name)
    return files
