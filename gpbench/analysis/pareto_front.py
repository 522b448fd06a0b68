"""The front of quality against time: which series are on it, and what each of them adds to it.

Time is CPU seconds of a whole trial, shared learning included; a folder whose trials do not know them has no front. The
hypervolume is the share of the box between the fastest and the slowest, the best and the worst of the series that
the front dominates, with time on a log scale; what a series adds is how much less it would be without it. A series that
lacks trials of others moves neither: it is compared with each of them on the trials that the two share.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from gpbench.metrics import loss

from .numbers import mean_std, seconds
from .ranking import metrics_of
from .results_table import ResultsTable
from .series import by_trial, competing, named
from .significance import ROUNDING
from .table import Table, TableCell

LEAST = 4  # series, fewer of which a reader ranks by eye


def whole_trial(rows: pd.DataFrame) -> tuple[str, str]:
    """(column, words) of the time of a whole trial: CPU seconds if every row has them, since they count no waiting."""
    cpu = len(rows) > 0 and (rows["cpu_seconds"] > 0).all()
    return ("cpu_seconds", "CPU seconds") if cpu else ("total_seconds", "seconds")


def pareto_front(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points that no other beats in both coordinates, from left to right; better by rounding only is not better."""
    found: list[tuple[float, float]] = []
    for x, y in sorted(points):
        if not found or found[-1][1] - y > ROUNDING * max(abs(y), abs(found[-1][1])):
            found.append((x, y))
    return found


def hypervolume(points: list[tuple[float, float]], corner: tuple[float, float]) -> float:
    """Area between the front of the points and the corner that is the worst in both."""
    area, bound = 0.0, corner[1]
    for x, y in pareto_front(points):
        area += max(corner[0] - x, 0.0) * max(bound - y, 0.0)
        bound = min(bound, y)
    return area


def front_rows(results: ResultsTable) -> pd.DataFrame:
    """stats/front.csv: every series of a data set, training size and metric with its time, score, place and share."""
    out = []
    for dataset, n_train, metric, part in _parts(results):
        out += [{"dataset": dataset, "n_train": n_train, "metric": metric} | row for row in _series_rows(part, metric)]
    return pd.DataFrame(out)


def _parts(results: ResultsTable) -> Iterator[tuple[str, float, str, pd.DataFrame]]:
    """(data set, training size, metric, rows): what is placed on one front; other sizes are other problems."""
    for (dataset, n_train), rows in results.ok.groupby(["dataset", "n_train"], sort=False, dropna=False):
        for metric in metrics_of(results):
            part = named(rows[rows["cpu_seconds"] > 0]).dropna(subset=[metric])
            if part["series"].nunique() >= LEAST:
                yield dataset, n_train, metric, part


def _series_rows(part: pd.DataFrame, metric: str) -> list[dict]:
    """Rows of the series that compete on the trials they share; every other series with each of them."""
    time, score = by_trial(part, "cpu_seconds"), by_trial(part, metric)
    rivals = competing(score)
    shared = rivals.index if len(rivals) else score.index  # no trial in common: each has its own mean
    among = part[part["series"].isin(rivals.columns) & part["trial"].isin(shared)]
    placed = {row["series"]: row for row in _placed(_means(among, metric), metric)}
    whole, trials, rows = next(iter(placed.values()))["hypervolume"], part.groupby("series")["trial"].nunique(), []
    for series, own in _means(part, metric).sort_values("cpu_seconds").iterrows():
        place = placed.get(series) or {
            "on_front": all(_unbeaten(series, rival, time, score, metric) for rival in rivals),
            "adds": 0.0,
            "hypervolume": whole,
        }
        row = {"series": series, "cpu_seconds": own["cpu_seconds"], "mean": own[metric]}
        row |= {k: place[k] for k in ("on_front", "adds", "hypervolume")}
        rows.append(row | {"trials": trials[series]})
    return rows


def _means(part: pd.DataFrame, metric: str) -> pd.DataFrame:
    return part.groupby("series", sort=False)[["cpu_seconds", metric]].mean()


def _unbeaten(series: str, rival: str, time: pd.DataFrame, score: pd.DataFrame, metric: str) -> bool:
    """Whether the rival is not both faster and better on the trials that the two share; False where there are none."""
    both = score[[series, rival]].dropna().index
    points = {s: (time.loc[both, s].mean(), loss(metric, score.loc[both, s].mean())) for s in (series, rival)}
    return len(both) > 0 and points[series] in pareto_front(list(points.values()))


def _placed(means: pd.DataFrame, metric: str) -> list[dict]:
    """Rows by time; places and shares from the losses, so that every metric falls where it is better."""
    points = dict(zip(means.index, zip(np.log(means["cpu_seconds"]), loss(metric, means[metric]))))
    (left, right), (low, high) = ((min(v), max(v)) for v in zip(*points.values()))
    box, corner, best = (right - left) * (high - low) or 1.0, (right, high), pareto_front(list(points.values()))
    whole, rows = hypervolume(list(points.values()), corner), []
    for series, row in means.sort_values("cpu_seconds").iterrows():
        without = hypervolume([p for s, p in points.items() if s != series], corner)
        rows.append({
            "series": series, "cpu_seconds": row["cpu_seconds"], "mean": row[metric],
            "on_front": points[series] in best, "adds": (whole - without) / box, "hypervolume": whole / box,
        })  # fmt: skip
    return rows


def front_table(results: ResultsTable) -> Table:
    """The front in words: a block for each data set, training size and metric, the fastest first, the front in bold."""
    rows, remarks = [], []
    sizes = results.ok.groupby("dataset")["n_train"].nunique()
    for dataset, n_train, metric, part in _parts(results):
        size = f", n = {n_train:.0f}" if sizes[dataset] > 1 and pd.notna(n_train) else ""
        title = f"{dataset}{size}, {metric.upper()}"
        found = _series_rows(part, metric)
        rows += [(title, None), *((row["series"], _cells(row, part, metric)) for row in found)]
        remarks.append(f"{title}: the front dominates {found[0]['hypervolume']:.3f} of the box.")
    notes = ["On the front: nothing is both faster and better. CPU seconds of learning, fit and prediction.", *remarks]
    columns = ["method", "CPU, s", "score", "adds to the front", "place"]
    return Table("front", f"{results.name}: quality against time", columns, rows, notes=notes if rows else [])


def _cells(row: dict, part: pd.DataFrame, metric: str) -> list[TableCell]:
    mine, on, total = part[part["series"] == row["series"]], row["on_front"], part["trial"].nunique()
    place = ["on the front" if on else "", f"{row['trials']} of {total} trials" if row["trials"] < total else ""]
    cells = [TableCell(seconds(mine["cpu_seconds"])), TableCell(mean_std(mine[metric]), on)]
    return [*cells, TableCell(f"{row['adds']:.3f}" if on else ""), TableCell(", ".join(filter(None, place)))]
