"""Words in which the claims are written: select rows, average over trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import stats

from gpbench.data.standins import twin_of

from ..printed_numbers import agree, naming, of_method, printed_runs
from .findings import Missing

ENOUGH = 10  # shared repetitions from which on means are compared; fewer where the paper has fewer


@dataclass
class Used:
    """What a claim looked at: trials per series, kinds of stand-in data."""

    counts: set[int] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Used:
        series = rows.groupby([c for c in ("label", "n_train", "d_max") if c in rows], dropna=False, sort=False)
        kinds = set(rows["stands_for"]) - {""} if "stands_for" in rows else set()
        return cls(set(series["trial_id"].nunique()), kinds)

    def add(self, other: Used) -> None:
        self.counts |= other.counts
        self.kinds |= other.kinds

    def clear(self) -> None:
        self.counts.clear()
        self.kinds.clear()

    @property
    def trials(self) -> tuple[int, int]:
        return (min(self.counts), max(self.counts)) if self.counts else (0, 0)

    @property
    def stands_for(self) -> str:
        return ", ".join(sorted(self.kinds))


def slope(series: pd.Series, points: int = 2) -> float:
    """Exponent fitted on log-log axes through so many points at least; the index is the abscissa."""
    series = series.dropna()
    if len(series) < points or (series <= 0).any():
        raise Missing(f"{points} or more positive points for a slope")
    return float(np.polyfit(np.log(series.index.to_numpy(float)), np.log(series.to_numpy(float)), 1)[0])


def spearman(a, b) -> float:
    return float(stats.spearmanr(a, b).statistic)


def quarter(series: pd.Series, which: str) -> pd.Series:
    """First or last quarter of a curve, at least one point."""
    n = max(1, len(series) // 4)
    return series.iloc[:n] if which == "first" else series.iloc[-n:]


class Evidence:
    """Finished rows and curves of the given folders, under a paper's names."""

    def __init__(
        self,
        rows: pd.DataFrame,
        curves: pd.DataFrame,
        paper: str = "",
        used: Used | None = None,
        open: pd.DataFrame | None = None,  # rows at other protocols than the frozen ones: no cell is judged on them
    ):
        self.rows, self.curves, self.paper, self.open = rows, curves, paper, open
        self.used = Used() if used is None else used
        self._by_dataset = dict(list(rows.groupby("dataset", sort=False)))
        self._selected: dict[tuple, tuple[pd.DataFrame, Used]] = {}
        self._once: dict[int, pd.DataFrame] = {}  # by id of a selection, which `_selected` keeps alive
        self._of: dict[str, Evidence] = {}

    def of(self, paper: str) -> Evidence:
        """The same rows, read through that paper's names."""
        if paper not in self._of:
            self._of[paper] = Evidence(self.rows, self.curves, paper, open=self.open)
        return self._of[paper]

    def of_open(self, labels: Sequence[str]) -> Evidence:
        """Rows of folders that try what a paper leaves open, if they have all these labels; else these rows."""
        rows = self.open if self.open is not None else self.rows.iloc[:0]
        if not set(labels) <= set(rows.get("label", ())):
            return self
        return Evidence(rows, self.curves, self.paper, self.used)

    def on(self, dataset: str) -> pd.DataFrame:
        return self._by_dataset.get(dataset, self.rows.iloc[:0])

    def with_standins(self) -> Evidence:
        """Simulated twins in the place of real data sets that are absent: for information, never counted."""
        twin = self.rows["dataset"].map(twin_of).astype(object)
        real, twins = self.rows[twin == ""], self.rows[twin != ""].assign(dataset=twin[twin != ""])
        twins = twins[~twins["dataset"].isin(real["dataset"])]
        if twins.empty:
            return Evidence(twins, self.curves, self.paper)
        return Evidence(pd.concat([real, twins]), self.curves, self.paper)

    def select(self, dataset: str, method: str, item: str = "", **where) -> pd.DataFrame:
        """Rows of a printed method on one of our data sets, from folders that name the paper if there are such.

        `item` ('Table', 'section 3') insists on a folder that names such an item; without it, tables and figures count.
        A trial that two folders share counts once.
        """
        rows = self._in_folders(dataset, method, item, **where)
        if (kept := self._once.get(id(rows))) is None:
            kept = self._once[id(rows)] = rows.drop_duplicates("trial_id")
        return kept

    def _in_folders(self, dataset: str, method: str, item: str = "", **where) -> pd.DataFrame:
        """`select`, with the rows of every folder."""
        asked = (dataset, method, item, *sorted(where.items()))
        if asked not in self._selected:
            rows = agree(of_method(self.on(dataset), self.paper, method), where)
            own = self._naming(rows, item)
            rows = own if item or len(own) else rows
            self._selected[asked] = rows, Used.of(rows) if len(rows) else Used()
        rows, used = self._selected[asked]
        if rows.empty:
            extra = "".join(f", {k} {v}" for k, v in where.items())
            raise Missing(f"{method} on {dataset}{f' ({item})' if item else ''}{extra}")
        self.used.add(used)
        return rows

    def _naming(self, rows: pd.DataFrame, item: str) -> pd.DataFrame:
        named = (lambda i: i.startswith(item)) if item else (lambda i: not i.startswith("section"))
        return naming(rows, lambda p, i: p == self.paper and named(i))

    def beside(self, dataset: str, method: str) -> Evidence:
        """Only the folders that hold this method: what else they hold was run with the same settings."""
        folders = set(self._in_folders(dataset, method)["folder"])
        return Evidence(self.rows[self.rows["folder"].isin(folders)], self.curves, self.paper, self.used)

    def on_shared(self, dataset: str, methods: Sequence[str], item: str = "", **where) -> Evidence:
        """On that data set only the repetitions that all these methods have, whatever their sizes."""
        shared = set.intersection(*(set(self.select(dataset, m, item, **where)["trial"]) for m in methods))
        self.enough(len(shared), dataset, item, f"{', '.join(methods)} share")
        kept = (self.rows["dataset"] != dataset) | self.rows["trial"].isin(shared)
        return Evidence(self.rows[kept], self.curves, self.paper, self.used)

    def values(self, metric: str, dataset: str, method: str, item: str = "", **where) -> pd.Series:
        """metric by trial_id."""
        rows = self.select(dataset, method, item, **where)
        values = rows.set_index("trial_id")[metric].dropna()
        if values.empty:
            raise Missing(f"{metric} of {method} on {dataset}")
        return values

    def by_index(self, metric: str, dataset: str, method: str, item: str = "", **where) -> pd.Series:
        """metric by the index of the trial, which pairs methods: equal indices see the same rows of the data."""
        values = self.select(dataset, method, item, **where).set_index("trial")[metric].dropna()
        return values[~values.index.duplicated()]

    def by_trial(self, metric: str, dataset: str, method: str, item: str = "", **where) -> pd.DataFrame:
        """metric over d_max (columns) of each trial (rows)."""
        rows = self.select(dataset, method, item, **where)
        return rows.pivot_table(index="trial", columns="d_max", values=metric, aggfunc="mean")

    def shared(self, metric: str, dataset: str, methods: Sequence[str], item: str = "", **where) -> pd.DataFrame:
        """metric by trial (rows) and method (columns), of the repetitions that all these methods have.

        Fewer than ENOUGH are too few to compare means, where the paper has more.
        """
        wide = together({m: self.by_index(metric, dataset, m, item, **where) for m in methods})
        self.enough(len(wide), dataset, item, f"{', '.join(methods)} share")
        return wide

    def shared_means(self, metric: str, dataset: str, methods: Sequence[str], item: str = "", **where):
        """method -> mean over the shared repetitions."""
        return {m: float(x) for m, x in self.shared(metric, dataset, methods, item, **where).mean().items()}

    def shared_curves(
        self, metric: str, dataset: str, methods: Sequence[str], item: str = "", stat="mean", points: int = 3, **where
    ) -> list[pd.Series]:
        """A curve over d_max for each method, at every size over the repetitions that all of them have there.

        Medians stand for the middle of few runs: they need no least number of repetitions.
        """
        of = {m: self.by_trial(metric, dataset, m, item, **where) for m in methods}
        for m, wide in of.items():
            if wide.shape[1] < points:
                raise Missing(f"{m} on {dataset} at {points} or more sizes d_max")
        sizes = sorted(set.intersection(*(set(wide.columns) for wide in of.values())))
        if not sizes:
            raise Missing("one common size at least")
        at = {size: together({m: wide[size] for m, wide in of.items()}) for size in sizes}
        if stat == "mean":
            self.enough(min(map(len, at.values())), dataset, item, f"{', '.join(methods)} share")
        found = pd.DataFrame({size: part.agg(stat) for size, part in at.items() if len(part)})
        if found.empty:
            raise Missing(f"repetitions that {', '.join(methods)} share on {dataset}")
        return [found.loc[m] for m in methods]

    def enough(self, n: int, dataset: str, item: str = "", what: str = "") -> None:
        """Missing if n repetitions are fewer than ENOUGH and than the paper's own number."""
        if n < (least := min(ENOUGH, max(1, printed_runs(self.paper, dataset, item)))):
            raise Missing(f"{least} repetitions that {what} on {dataset} (there are {n})")

    def mean(self, metric: str, dataset: str, method: str, item: str = "", **where) -> float:
        return float(self.values(metric, dataset, method, item, **where).mean())

    def median(self, metric: str, dataset: str, method: str, item: str = "", **where) -> float:
        return float(self.values(metric, dataset, method, item, **where).median())

    def by(self, column: str, metric: str, dataset: str, method: str, stat="mean", item="", **where) -> pd.Series:
        """Curve of a metric over d_max or n_train, averaged (or the median taken) over trials."""
        rows = self.select(dataset, method, item, **where).dropna(subset=[column, metric])
        if rows.empty:
            raise Missing(f"{metric} of {method} on {dataset} over {column}")
        return rows.groupby(column)[metric].agg(stat).sort_index()

    def curve(self, *args, points: int = 3, **where) -> pd.Series:
        """`by` d_max, with at least that many points."""
        series = self.by("d_max", *args, **where)
        if len(series) < points:
            raise Missing(f"{args[2]} on {args[1]} at {points} or more sizes d_max")
        return series

    def path(self, key: str, dataset: str, method: str, item: str = "", **where) -> pd.DataFrame:
        """A key of the traces along the steps: one row per trial, one column per step; the longest runs (d_max)."""
        rows = self.select(dataset, method, item, **where)
        ids = rows.loc[rows["d_max"].isna() | (rows["d_max"] == rows["d_max"].max()), "trial_id"]
        points = self.curves[(self.curves["key"] == key) & self.curves["trial_id"].isin(ids)].dropna(subset=["step"])
        if points.empty:
            raise Missing(f"the trace key '{key}' of {method} on {dataset}")
        return points.pivot_table(index="trial_id", columns="step", values="value", aggfunc="last")

    def final(self, key: str, dataset: str, method: str, item: str = "", **where) -> pd.Series:
        """Last value of a key per trial (numbers of the whole trial have one value)."""
        ids = self.select(dataset, method, item, **where)["trial_id"]
        points = self.curves[(self.curves["key"] == key) & self.curves["trial_id"].isin(ids)]
        if points.empty:
            raise Missing(f"the trace key '{key}' of {method} on {dataset}")
        return points.sort_values("step", kind="stable", na_position="first").groupby("trial_id")["value"].last()

    def final_by(self, column: str, key: str, dataset: str, method: str, item: str = "", **where) -> pd.Series:
        """Median over trials of the last value of a key, by a column of results.csv."""
        last = self.final(key, dataset, method, item, **where)
        rows = self.rows.drop_duplicates("trial_id").set_index("trial_id")  # folders may share a trial
        return last.groupby(rows[column].reindex(last.index)).median().sort_index()

    def fact(self, key: str, item: str = "") -> pd.Series:
        """A measured fact that needs no particular trial (its trial_id may be empty): its mean by step.

        `item` insists on folders that name it, as in `select`.
        """
        points = self.curves[self.curves["key"] == key].dropna(subset=["step"])
        if item:
            points = points[points["trial_id"].isin(self._naming(self.rows, item)["trial_id"])]
        if points.empty:
            raise Missing(f"the key '{key}' in some curves.csv{f' ({item})' if item else ''}")
        self.used.counts.add(points["trial_id"].nunique(dropna=False))
        return points.groupby("step")["value"].mean().sort_index()


def together(series: dict[str, pd.Series]) -> pd.DataFrame:
    """Series by trial as columns, on the trials that all have."""
    return pd.concat(series, axis=1).dropna()


def common(*curves: pd.Series) -> list[pd.Series]:
    """The curves at the abscissae they share."""
    shared = sorted(set.intersection(*(set(c.index) for c in curves)))
    if not shared:
        raise Missing("one common size at least")
    return [c.loc[shared] for c in curves]
