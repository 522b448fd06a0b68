"""The best methods, the significantly worse ones: marks for tables, rows for stats/*.csv, ranks over data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpbench.metrics import METRICS, loss

from . import significance
from .results_table import ResultsTable
from .series import by_trial, competing, named, told_apart
from .table import TableCell


@dataclass(frozen=True)
class Mark:
    """A series against the best of its group; mean and test on the `n` trials that all of the group share.

    The best is found on more trials where some series lack many: those of the series that compete for it.
    """

    series: str
    mean: float
    best: bool
    worse: bool
    p: float
    n: int
    left_out: int
    note: str = ""
    own: int = 0  # trials of this series

    @property
    def few(self) -> str:
        """'1 of 6 trials' where the others of the group have some that this one lacks."""
        total = self.n + self.left_out
        return f"{self.own} of {total} trials" if self.own < total else ""


def marked(text: str, mark: Mark | None, **more) -> TableCell:
    """The cell of a series: bold for the best, a star if significantly worse, 'few' if the test has few trials."""
    if mark is None:
        return TableCell(text, **more)
    few = mark.worse and mark.n < significance.FEW
    return TableCell(text, mark.best, mark.worse, few, **more)


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


def groups(results: ResultsTable) -> Iterator[Group]:
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


def metrics_of(results: ResultsTable) -> list[str]:
    """The config's metrics that have values, else every metric that has."""
    wanted = results.config.get("metrics") or METRICS
    return [m for m in wanted if m in METRICS and results.ok[m].notna().any()]


def against_best(rows: pd.DataFrame, metric: str, compare: dict | None = None, by: str = "series") -> dict[str, Mark]:
    """A mark for every series; `compare` is the config's {test, alpha, correction}.

    The best mean is one of those that compete (series.py); a series with fewer trials takes its place only where the
    test finds it better, as a lucky trial or two are no mean.
    """
    compare = compare or {}
    wide = by_trial(rows, metric, by)
    rivals, shared, own = competing(wide), wide.dropna(), wide.count()
    if rivals.empty:
        return {}
    share, alpha = float((rows["n_test"] / rows["n_train"]).mean()), compare.get("alpha", 0.05)
    table, means, left_out = loss(metric, shared), shared.mean(), len(wide) - len(shared)
    losses, winner = table.mean(), loss(metric, rivals).mean().idxmin()
    tested = _against(table, winner, compare, share)
    better = [s for s, (p, _) in tested.items() if s not in rivals and p < alpha and losses[s] < losses[winner]]
    if better:
        winner = losses[better].idxmin()
        tested = _against(table, winner, compare, share)
    best = Mark(winner, means[winner], len(own) > 1, False, np.nan, len(table), left_out, own=own[winner])
    marks = {winner: best}
    for s, (p, note) in tested.items():
        worse = bool(p < alpha and losses[s] > losses[winner])
        marks[s] = Mark(s, means[s], False, worse, p, len(table), left_out, note, own[s])
    return {s: marks[s] for s in table}


def _against(table: pd.DataFrame, winner: str, compare: dict, share: float) -> dict[str, tuple[float, str]]:
    """p and what limits the test, of every other series against this one on the trials that all share."""
    others = [s for s in table if s != winner]
    if table.empty:
        return dict.fromkeys(others, (np.nan, "no trial that all methods share: no test"))
    test = significance.TESTS[compare.get("test", "paired-t")]
    outcomes = [test(table[s].to_numpy(), table[winner].to_numpy(), test_share=share) for s in others]
    p = np.array([o.p for o in outcomes])
    holm, alpha = compare.get("correction") == "holm", compare.get("alpha", 0.05)
    tests = int((~np.isnan(p)).sum()) if holm else 1
    notes = [significance.out_of_reach(o, alpha, tests) or o.note for o in outcomes]
    return dict(zip(others, zip((significance.holm(p) if holm else p).tolist(), notes)))


def said_of_trials(title: str, marks: dict[str, Mark]) -> list[str]:
    """Where trials are missing: how many the tests use, and which series have how many."""
    if not any(m.left_out for m in marks.values()):
        return []
    one = next(iter(marks.values()))
    short = ", ".join(f"{m.series} ({m.few})" for m in marks.values() if m.few)
    return [
        f"{title}: tests use the {one.n} of {one.n + one.left_out} trials that all methods share.",
        f"{title}: {short}; with fewer trials than others a method is called best only where the test finds it better.",
    ]


def stats_rows(results: ResultsTable) -> pd.DataFrame:
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


FEW_POINTS = 20  # test points


def few_test_points(rows: pd.DataFrame, metric: str) -> pd.Series:
    """Rows whose NMSE divides by the variance of too few test points to say which method is better."""
    return (rows["n_test"] < FEW_POINTS) & (metric == "nmse") & rows["nmse"].notna()


def ranking(results: ResultsTable, metric: str) -> significance.Ranking | None:
    """Average ranks of the labels over data sets (mean over trials each); at the largest size of a grid."""
    rows = told_apart(results.ok).dropna(subset=[metric])
    rows = rows.drop(index=rows.index[few_test_points(rows, metric)])
    largest = rows.groupby(["dataset", "n_train", "label"])["d_max"].transform("max")
    rows = rows[rows["d_max"].isna() | (rows["d_max"] == largest)]
    if rows.empty:
        return None
    table = rows.pivot_table(index=["dataset", "n_train"], columns="label", values=metric, aggfunc="mean", sort=False)
    table = loss(metric, table.dropna())
    return significance.friedman(table.to_numpy(), list(table.columns))


def ranking_rows(results: ResultsTable) -> pd.DataFrame:
    out = []
    for metric in metrics_of(results):
        if r := ranking(results, metric):
            for method, rank in zip(r.methods, r.ranks):
                out.append((metric, method, rank, r.datasets, r.p, r.critical_difference))
    columns = ["metric", "label", "average_rank", "datasets", "friedman_p", "critical_difference"]
    return pd.DataFrame(out, columns=columns)
