"""Which charts a page has: score against time with its front, against size, against training rows, along training."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from gpbench.analysis.drawing.axes import axis_title, safe
from gpbench.analysis.pareto_front import pareto_front, whole_trial
from gpbench.analysis.series import enough, told_apart
from gpbench.data.standins import title_of
from gpbench.html.svg_chart import Chart, Line
from gpbench.metrics import METRICS, loss

from ..trial_data import TrialBook

ALONG = 40  # points of one line along training


class Charts:
    """All charts of one folder; a method has the same look in each."""

    def __init__(self, book: TrialBook):
        self.book = book
        rows = book.rows[book.rows["status"] == "ok"]
        self.rows = rows.assign(name=told_apart(rows)["label"])
        self.look = {name: k for k, name in enumerate(dict.fromkeys(self.rows["name"]))}

    def fronts(self) -> Iterator[Chart]:
        """Mean score against total time; the front joins what nothing else beats in both."""
        for dataset, title, part, metric in self._parts():
            part = part[part["total_seconds"] > 0]
            whole, seconds = whole_trial(part)
            points = self._points(part, metric, "d_max", whole)
            if len(points) < 2:
                continue
            full = points[enough(points["count"])]  # the others' means are of other trials
            pairs = list(zip(full["seconds"], loss(metric, full["mean"])))
            best = pareto_front(pairs)
            on = full[[pair in best for pair in pairs]].sort_values("seconds")
            apart = "" if len(full) == len(points) else ", among those with the most trials"
            named = ", ".join(_at(name, sorted(part["x"].dropna())) for name, part in on.groupby("name", sort=False))
            yield Chart(
                f"front-{safe(title)}-{metric}", f"total time, {seconds}", axis_title(metric),
                f"{_told(dataset, title)}: {axis_title(metric)} against the {seconds} of a whole trial (median). "
                f"Dotted: the front, where nothing is both faster and better{apart}: {named}. {_bars(part)}",
                self._lines(points, "seconds"), dataset, title, metric, "time", log_x=True,
                front=best if METRICS[metric].better == "lower" else [],
            )  # fmt: skip

    def sizes(self) -> Iterator[Chart]:
        yield from self._against("d_max", "basis vectors, d_max", "size", least=2)

    def training_rows(self) -> Iterator[Chart]:
        yield from self._against("n_train", "training rows, n", "rows", least=3)

    def _against(self, column: str, axis: str, kind: str, least: int) -> Iterator[Chart]:
        for dataset, title, part, metric in self._parts(by_rows=column != "n_train"):
            part = part.dropna(subset=[column])
            if not len(part) or part.groupby("name")[column].nunique().max() < least:
                continue
            points = self._points(part, metric, column)
            at = sorted(set(points["x"]))
            yield Chart(
                f"{kind}-{safe(title)}-{metric}", axis, axis_title(metric),
                f"{_told(dataset, title)}: {axis_title(metric)} against {axis.replace(', ', ' (')}). {_bars(part)}",
                self._lines(points, "x"), dataset, title, metric, kind, log_x=_doubling(at), ticks_x=tuple(at),
            )  # fmt: skip

    def along(self) -> Iterator[Chart]:
        """Test score along the training of the first trial at the largest size; the other trials are faint."""
        curves = self.book.results.curves.dropna(subset=["step"])
        for dataset, title, part, metric in self._parts():
            mine = curves[curves["key"].isin(["seconds", f"test_{metric}"]) & curves["trial_id"].isin(part["trial_id"])]
            wide = mine.pivot_table(index=["trial_id", "step"], columns="key", values="value", aggfunc="last")
            if len(wide.columns) < 2 or (wide := wide.dropna()).empty:
                continue
            wide = wide.reset_index().merge(part[["trial_id", "name", "trial", "d_max"]], on="trial_id")
            wide = wide[wide["seconds"] > 0].rename(columns={f"test_{metric}": "score"})
            lines = [line for _, paths in wide.groupby("name", sort=False) for line in self._paths(paths, metric)]
            if lines:
                caption = (
                    f"{_told(dataset, title)}: {axis_title(metric)} along training. First trial; the others are faint."
                )
                name = f"training-{safe(title)}-{metric}"
                yield Chart(name, "training time, seconds", axis_title(metric), caption, lines, dataset, title, metric,
                            "training", log_x=True)  # fmt: skip

    def _paths(self, paths: pd.DataFrame, metric: str) -> Iterator[Line]:
        name = paths["name"].iloc[0]
        paths = paths[paths["d_max"].isna() | (paths["d_max"] == paths["d_max"].max())]
        for trial, path in paths.groupby("trial"):
            first = trial == paths["trial"].min()
            kept = np.unique(np.linspace(0, len(path) - 1, min(ALONG, len(path))).round().astype(int))
            path = path.sort_values("seconds").iloc[kept]
            x, y = path["seconds"].tolist(), path["score"].tolist()
            tips = [f"{name}, trial {trial:.0f}, {a:.3g} s: {axis_title(metric)} {b:.4g}" for a, b in zip(x, y)]
            yield Line(name, self.look[name], x, y, tips=tips if first else [], faint=not first)

    def _parts(self, by_rows: bool = True) -> Iterator[tuple[str, str, pd.DataFrame, str]]:
        """(data set, its title, finished rows, metric); the title has n where a data set was run at several."""
        keys = ["dataset", "n_train"] if by_rows else ["dataset"]
        for key, rows in self.rows.groupby(keys, sort=False):
            several = by_rows and self.rows.loc[self.rows["dataset"] == key[0], "n_train"].nunique() > 1
            title = f"{key[0]}, n = {key[1]:.0f}" if several else key[0]
            for metric in self.book.metrics:
                part = rows.dropna(subset=[metric])
                if len(part):
                    yield key[0], title, part, metric

    def _points(self, rows: pd.DataFrame, metric: str, column: str, time: str = "total_seconds") -> pd.DataFrame:
        """One row per method and size, in the order of the methods: mean and spread of the score, median time."""
        out = []
        for (name, x), part in rows.groupby(["name", column], sort=False, dropna=False):
            values = part[metric]
            out.append(
                {"name": name, "x": x, "mean": values.mean(), "std": values.std(ddof=1) if len(values) > 1 else 0.0,
                 "seconds": part[time].median(), "count": len(part), "trials": self.book.ranges(part["trial_id"])}
            )  # fmt: skip
        return pd.DataFrame(out)

    def _lines(self, points: pd.DataFrame, x: str) -> list[Line]:
        lines = []
        for name, part in points.groupby("name", sort=False):
            part = part.sort_values([x])
            columns = (part[c].tolist() for c in (x, "mean", "std", "trials"))
            lines.append(Line(name, self.look[name], *columns))
        return lines


def _doubling(sizes: list[float]) -> bool:
    return len(sizes) > 3 and all(b >= 1.5 * a for a, b in pairwise(sizes))


def _at(name: str, sizes: list[float]) -> str:
    """'RAND (100)', 'RAND (3 sizes, 100 to 300)'."""
    if not sizes:
        return name
    if len(sizes) < 3:
        return f"{name} ({', '.join(f'{d:.0f}' for d in sizes)})"
    return f"{name} ({len(sizes)} sizes, {sizes[0]:.0f} to {sizes[-1]:.0f})"


def _told(dataset: str, title: str) -> str:
    return title.replace(dataset, title_of(dataset), 1)


def _bars(rows: pd.DataFrame) -> str:
    trials = sorted(set(rows.groupby(["name", "d_max", "n_train"], dropna=False)["trial"].nunique()))
    if trials == [1]:
        return "One trial each."
    counts = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    return f"Mean over {counts} trials; bars: one standard deviation."
