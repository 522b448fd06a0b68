"""Names, axes and groups of rows that every figure shares."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

from gpbench.data.standins import twin_of
from gpbench.metrics import METRICS

from ..results_table import ResultsTable
from ..series import told_apart

Named = Iterator[tuple[str, object]]
LEGEND = 18  # names that stand one above the other beside a figure


def axis_title(metric: str) -> str:
    known = METRICS.get(metric)
    return f"test {known.title}{', nats' if known.in_nats else ''}" if known else metric


def data_title(results: ResultsTable, dataset: str) -> str:
    """The data set's label, where the config gives one, else its name; `dataset` may end with a size (`by_dataset`)."""
    name = next((n for n in results.labels if dataset == n or re.fullmatch(re.escape(n) + r"-\d+", dataset)), "")
    shown = results.labels[name] + dataset[len(name) :] if name else dataset
    twin = twin_of(name or dataset)
    return plain(f"{shown} (stand-in for {twin})" if twin else shown)


def grids(results: ResultsTable, least: int = 2) -> Iterator[tuple[str, pd.DataFrame]]:
    """Data sets on which some label was run at several d_max; rows without a size are left out."""
    for name, rows in by_dataset(results):
        rows = rows.dropna(subset=["d_max"])
        counts = rows.groupby("label")["d_max"].nunique()
        if len(counts) and counts.max() >= least:
            yield name, rows


def by_dataset(results: ResultsTable) -> Iterator[tuple[str, pd.DataFrame]]:
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


def band(ax, x, mean, std, label, look, limits=(-np.inf, np.inf)) -> None:
    ax.plot(x, mean, label=label, markersize=4, linewidth=1.3, **look)
    if std.notna().any():
        low, high = (mean + sign * std.fillna(0) for sign in (-1, 1))
        ax.fill_between(x, low.clip(*limits), high.clip(*limits), color=look["color"], alpha=0.12, linewidth=0)


def doubling(ax, sizes: pd.Series) -> None:
    """Draws sizes that double (16, 32, ..., 512) at equal distances."""
    steps = np.sort(sizes.unique())
    if len(steps) > 3 and (steps[1:] >= 1.5 * steps[:-1]).all():
        ax.set_xscale("log")
        ticks(ax, sizes)


def ticks(ax, sizes: pd.Series) -> None:
    """The sizes themselves, written out."""
    ax.set_xticks(sorted(sizes.unique()), [f"{n:.0f}" for n in sorted(sizes.unique())])
    ax.set_xticks([], minor=True)


def plain_log(ax) -> None:
    """Logarithmic axes with plain numbers, few enough to be read; sizes that were written out stay."""
    for axis, scale, limits in ((ax.xaxis, ax.get_xscale(), ax.get_xlim), (ax.yaxis, ax.get_yscale(), ax.get_ylim)):
        if scale != "log" or isinstance(axis.get_major_locator(), FixedLocator):
            continue
        low, high = limits()
        subs = (1, 2, 3, 4, 5, 7) if high < 8 * low else (1, 2, 5) if high < 200 * low else (1,)
        axis.set_major_locator(LogLocator(subs=subs))
        axis.set_major_formatter(FuncFormatter(lambda value, _: plain_number(value)))
        axis.set_minor_formatter(NullFormatter())


def plain_number(value: float) -> str:
    """1000000, 0.0001, 0.5: no power of ten, no trailing zeros, a true minus."""
    text = f"{value:.12f}".rstrip("0").rstrip(".") if abs(value) >= 1e-12 else "0"
    return text.replace("-", "\u2212")


def finish(ax, title: str, x: str, y: str, legend: bool = True, scale: bool = True) -> None:
    """Names and legend; with `scale` a score that spans a wide range gets a logarithmic axis."""
    low, high = ax.dataLim.intervaly
    if scale and low > 0 and high > 8 * low and ax.get_yscale() == "linear":
        ax.set_yscale("log")  # errors over a range of sizes: equal ratios, equal distances
    plain_log(ax)
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if legend and (entries := ax.get_legend_handles_labels()[0]):  # many would cover the lines
        columns = -(-len(entries) // LEGEND)
        beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "ncols": columns} if len(entries) > 4 else {}
        ax.figure.set_figwidth(ax.figure.get_figwidth() + 1.6 * (columns - 1))
        ax.legend(fontsize=8, **beside)
