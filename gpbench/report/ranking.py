"""Who is best, who is significantly worse: marks for the tables, rows for stats/*.csv, ranks over data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpbench.metrics import METRICS, loss

from . import significance
from .frame import Results
from .series import named, paired, told_apart


@dataclass(frozen=True)
class Mark:
    """A series against the best of its group, on the `n` trials that all of the group share."""

    series: str
    mean: float
    best: bool
    worse: bool
    p: float
    n: int
    left_out: int
    note: str = ""


@dataclass(frozen=True)
class Group:
    """Series that compete: one data set, one training size, one d_max where d_max is a grid."""

    dataset: str
    n_train: float
    d_max: float  # nan: not a grid
    rows: pd.DataFrame
    label: str = ""  # how tables call the data set

    @property
    def title(self) -> str:
        return (self.label or self.dataset) + (f", d_max = {self.d_max:.0f}" if pd.notna(self.d_max) else "")


def groups(results: Results) -> Iterator[Group]:
    """In the order of the config; a data set's training sizes from small to large.

    Methods without d_max (a full GP) compete at every size of the others' grid.
    """
    ok = results.ok
    order = {dataset: i for i, dataset in enumerate(dict.fromkeys(ok["dataset"]))}
    found = dict(list(ok.groupby(["dataset", "n_train"], sort=False, dropna=False)))
    for dataset, n_train in sorted(found, key=lambda key: (order[key[0]], key[1])):
        rows = found[dataset, n_train]
        if rows.groupby("label")["d_max"].nunique().max() > 1:
            for d_max in sorted(rows["d_max"].dropna().unique()):
                part = rows[(rows["d_max"] == d_max) | rows["d_max"].isna()]
                yield Group(dataset, n_train, d_max, named(part), results.labels.get(dataset, ""))
        else:
            yield Group(dataset, n_train, np.nan, named(rows), results.labels.get(dataset, ""))


def metrics_of(results: Results) -> list[str]:
    """The config's metrics that have values, else every metric that has."""
    wanted = results.config.get("metrics") or METRICS
    return [m for m in wanted if m in METRICS and results.ok[m].notna().any()]


def against_best(rows: pd.DataFrame, metric: str, compare: dict | None = None, by: str = "series") -> dict[str, Mark]:
    """A mark for every series; `compare` is the config's {test, alpha, correction}."""
    compare = compare or {}
    test = significance.TESTS[compare.get("test", "paired-t")]
    table, left_out = paired(rows, metric, by)
    if table.empty:
        return {}
    means, table = table.mean(), loss(metric, table)
    losses = table.mean()
    winner = losses.idxmin()
    share = float((rows["n_test"] / rows["n_train"]).mean())
    outcomes = {s: test(table[s].to_numpy(), table[winner].to_numpy(), test_share=share) for s in table if s != winner}
    p = np.array([o.p for o in outcomes.values()])
    holm, alpha = compare.get("correction") == "holm", compare.get("alpha", 0.05)
    p = dict(zip(outcomes, significance.holm(p) if holm else p))
    tested = sum(not np.isnan(o.p) for o in outcomes.values()) if holm else 1
    alone = len(table.columns) == 1
    marks = {winner: Mark(winner, means[winner], not alone, False, np.nan, len(table), left_out)}
    for s, outcome in outcomes.items():
        note = significance.out_of_reach(outcome, alpha, tested) or outcome.note
        worse = bool(p[s] < alpha and losses[s] > losses[winner])
        marks[s] = Mark(s, means[s], False, worse, float(p[s]), len(table), left_out, note)
    return {s: marks[s] for s in table}


def stats_rows(results: Results) -> pd.DataFrame:
    """Every series of every group against its best, for stats/significance.csv."""
    compare, out = results.config.get("compare") or {}, []
    for group in groups(results):
        for metric in metrics_of(results):
            marks = against_best(group.rows, metric, compare)
            best = next((m.series for m in marks.values() if m.best), "")
            for m in marks.values():
                out.append(
                    {
                        "dataset": group.dataset, "n_train": group.n_train, "d_max": group.d_max, "metric": metric,
                        "series": m.series, "mean": m.mean, "best": best, "test": compare.get("test", "paired-t"),
                        "correction": compare.get("correction", "none"), "p": m.p, "significantly_worse": m.worse,
                        "trials": m.n, "trials_left_out": m.left_out, "note": m.note,
                    }
                )  # fmt: skip
    return pd.DataFrame(out)


def ranking(results: Results, metric: str) -> significance.Ranking | None:
    """Average ranks of the labels over data sets (mean over trials each); at the largest size of a grid."""
    rows = told_apart(results.ok).dropna(subset=[metric])
    largest = rows.groupby(["dataset", "n_train", "label"])["d_max"].transform("max")
    rows = rows[rows["d_max"].isna() | (rows["d_max"] == largest)]
    if rows.empty:
        return None
    table = rows.pivot_table(index=["dataset", "n_train"], columns="label", values=metric, aggfunc="mean", sort=False)
    table = loss(metric, table.dropna())
    return significance.friedman(table.to_numpy(), list(table.columns))


def ranking_rows(results: Results) -> pd.DataFrame:
    out = []
    for metric in metrics_of(results):
        if r := ranking(results, metric):
            for method, rank in zip(r.methods, r.ranks):
                out.append((metric, method, rank, r.datasets, r.p, r.critical_difference))
    columns = ["metric", "label", "average_rank", "datasets", "friedman_p", "critical_difference"]
    return pd.DataFrame(out, columns=columns)
