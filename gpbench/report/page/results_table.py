"""All results as one flat table: a line for each method, data set and size, so that any column can sort it."""

from __future__ import annotations

import pandas as pd

from gpbench.analysis.numbers import mean_std, seconds
from gpbench.analysis.ranking import Mark, marked
from gpbench.analysis.table import Table, TableCell
from gpbench.analysis.traces import last_of
from gpbench.metrics import METRICS

from ..tables import TIMES, notes, remarks_of, test_note, timed
from .trial_data import TrialBook


def results_table(book: TrialBook) -> Table:
    results, frame = book.results, book.results.ok
    also = [key for key in results.config.get("also") or [] if (results.curves["key"] == key).any()]
    for key in also:
        book.remember(key, last_of(results.curves, key, frame))
    told = {  # columns that tell lines apart, where they do
        "data set": ("dataset", frame["dataset"].nunique() > 1),
        "n": ("n_train", frame.groupby("dataset")["n_train"].nunique().max() > 1),
        "d_max": ("d_max", frame["d_max"].nunique() > 1),
        "cache": (
            "cache",
            frame.groupby(["dataset", "n_train", "label", "d_max"], dropna=False)["cache"].nunique().max() > 1,
        ),
    }
    told = {title: column for title, (column, differs) in told.items() if differs}
    sized = frame["n_basis"].notna().any()
    times = [*timed(frame), "total_seconds"]
    rows, remarks = [], []
    for group, marks in book.groups:
        remarks += remarks_of(group, marks)
        for series, part in group.rows.groupby("series", sort=False):
            cells = [_key(part[column].iloc[0]) for column in told.values()]
            cells += _scores(book, part, {m: marks[m].get(series) for m in book.metrics})
            cells += [_cell(book, part, key, mean_std(last_of(results.curves, key, part))) for key in also]
            cells += [_cell(book, part, "n_basis", mean_std(part["n_basis"], decimals=1))] if sized else []
            cells += [_cell(book, part, c, seconds(part[c])) for c in times]
            rows.append((part["label"].iloc[0], [*cells, TableCell(f"{len(part)}")]))
    columns = ["method", *told, *(METRICS[m].title for m in book.metrics), *also, *(["# BV"] if sized else [])]
    lines = [*notes(results, frame), test_note(results), *dict.fromkeys(remarks)] if rows else []
    columns += [TIMES.get(c, "total, s") for c in times]
    title = "All results" + ("" if "data set" in told else f" on {', '.join(frame['dataset'].unique())}")
    return Table("results", title, [*columns, "trials"], rows, notes=lines)


def _key(value: str | float) -> TableCell:
    return TableCell(value if isinstance(value, str) else "" if pd.isna(value) else f"{value:.0f}")


def _scores(book: TrialBook, part: pd.DataFrame, marks: dict[str, Mark | None]) -> list[TableCell]:
    return [_cell(book, part, m, mean_std(part[m]), mark) for m, mark in marks.items()]


def _cell(book: TrialBook, part: pd.DataFrame, quantity: str, text: str, mark: Mark | None = None) -> TableCell:
    return marked(text, mark, trials=tuple(part["trial_id"]) if text else (), quantity=quantity)
