"""The trials that would decide the inconclusive cells: `check --needed` lists them, `run --for-check` runs them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from gpbench.analysis.results_table import ResultsTable, load

from ..check import compared_items, gather
from ..printed_numbers import Printed, of_cell
from .cells import CellVerdict


@dataclass(frozen=True)
class Need:
    """Trials of one method on one data set of a folder: indices `first` to `last`, for so many cells."""

    folder: str
    dataset: str
    label: str
    first: int
    last: int
    cells: int

    def line(self) -> str:
        trials = f"{self.first}-{self.last}" if self.last > self.first else f"{self.first}"
        more = self.last - self.first + 1
        what = f"{self.cells} cell{'s' if self.cells > 1 else ''}"
        return f"{self.folder}: {self.dataset}, {self.label}: trials {trials} ({more} more, for {what})"


def needed(results: Iterable[ResultsTable]) -> list[Need]:
    """Per folder, data set and method: the trials that its most undecided cell needs."""
    found = []
    for folder in results:
        wanted: dict[tuple[str, str], list[tuple[int, int]]] = {}
        rows = gather([folder]).rows
        for cell, verdict in compared_items(folder):
            if verdict.needed is not None:
                for key, trials in _trials(cell, verdict, rows):
                    wanted.setdefault(key, []).append(trials)
        for (dataset, label), trials in wanted.items():
            first, last = min(f for f, _ in trials), max(n for _, n in trials)
            found.append(Need(str(folder.path), dataset, label, first, last, len(trials)))
    return found


def _trials(cell: Printed, verdict: CellVerdict, rows: pd.DataFrame):
    """((data set, label), (first, last index)) that give the cell as many runs as it needs."""
    mine = of_cell(rows[rows["dataset"] == cell.key], cell)
    for label, part in mine.groupby("label", sort=False):
        size = 1 if part["folds"].isna().all() else int(part["folds"].max())  # trials of one run
        unspent = part.loc[~part["spent"].astype(bool), "trial"]
        begin = int(part["first_judged"].max())
        have = set(unspent.astype(int))
        last = begin + verdict.needed * size - 1
        missing = [t for t in range(begin, last + 1) if t not in have]
        if missing:
            yield (cell.key, str(label)), (missing[0], missing[-1])


def for_check(folder: str | Path, trials: list) -> tuple[list, list[str]]:
    """(planned trials that inconclusive cells of a folder need, what the plan does not contain).

    A folder without results wants the whole plan.
    """
    if not (Path(folder) / "results.csv").is_file():
        return trials, []
    wanted = {(n.dataset, n.label): n for n in needed([load(folder)])}
    mine = [t for t in trials if (n := wanted.get((t.dataset_name, t.label))) and n.first <= t.index <= n.last]
    most: dict[tuple[str, str], int] = {}
    for t in trials:
        key = t.dataset_name, t.label
        most[key] = max(most.get(key, -1), t.index)
    short = [
        f"{n.line()}; the plan ends at {most.get(key, -1)}" for key, n in wanted.items() if n.last > most.get(key, -1)
    ]
    return mine, short
