"""Encode columns of a user's table as inputs: numbers, one-hot columns for text, missing values.

`Encoding` is part of a model: it holds the levels and fill values of the training table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from gpbench.errors import DataError
from gpbench.text import nearest

from ..shards import LARGEST
from ..validation import repeated
from .column_kinds import CHOSEN
from .column_rules import Reading
from .csv_words import SHOWN, Say, absent_cell, called, in_config, is_number, number_form, place, unfit

_ID = re.compile(r"(.*[ _-])?(id|index|no|nr|number|row|unnamed: 0)", re.IGNORECASE)
FEW_LEVELS = 20  # a text column with more levels, and one for every second row, is not categorical


class Choices(BaseModel):
    """Keys of a config's `{csv: ..., target: ...}` that select and encode inputs."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    drop: list[str] | None = Field(None, description="columns that are no inputs")
    inputs: list[str] | None = Field(None, description="columns that are; all but the target where not given")
    categorical: Literal["refuse", "one-hot"] = Field("refuse", description="what is done about text columns")
    missing: Literal["refuse", "drop", "median", "auto"] = Field(
        "refuse", description="missing values: refuse, drop the row, or take the median of the training part; `auto` "
        "with `columns`: the median, a level of text, and a 0/1 input where they are frequent"
    )  # fmt: skip
    weight: str | None = Field(None, description="column of weights: a row's noise variance is divided by its weight")
    noise: str | None = Field(None, description="column of known noise variances, in squared units of the target")

    columns: Literal["auto"] | dict[str, str] | None = Field(
        None, description="auto: read dates, units, decimal commas, ids and gaps; or the kind of single columns"
    )
    levels: int | None = Field(None, ge=1, description="with `columns`: levels of a text column, at most (50)")
    encoding: str | None = Field(None, description="with `columns`: of the text, such as cp1252")
    sep: str | None = Field(None, description="with `columns`: between the fields: one character, or tab")
    decimal: Literal[".", ","] | None = Field(None, description="with `columns`: the decimal sign")
    thousands: Literal[",", ".", " ", "'"] | None = Field(None, description="with `columns`: the sign between groups")

    @model_validator(mode="after")
    def _of_columns(self):
        if self.columns is None:
            needing = [k for k in ("levels", "encoding", "sep", "decimal", "thousands") if getattr(self, k) is not None]
            needing += ["missing: auto"] if self.missing == "auto" else []
            if needing:
                raise ValueError(f"'{needing[0]}' needs `columns: auto`")
        for name, kind in self.columns_chosen.items():
            if kind not in CHOSEN:
                raise ValueError(f"columns: {name}: expected one of {', '.join(CHOSEN)}, got '{kind}'")
        return self

    @property
    def columns_chosen(self) -> dict[str, str]:
        """Kinds of single columns that the user gives."""
        return self.columns if isinstance(self.columns, dict) else {}

    @property
    def gaps(self) -> str:
        """`missing`, which is `auto` with `columns` where it is not given."""
        return self.missing if self.columns is None or "missing" in self.model_fields_set else "auto"

    @property
    def of_rows(self) -> list[str]:
        """Columns that are no inputs but describe each row: weight, noise variance."""
        return [name for name in (self.weight, self.noise) if name is not None]


@dataclass(frozen=True)
class Column:
    """One column of the table: a number, or a 0/1 input for each of its levels."""

    name: str
    levels: tuple[str, ...] | None = None
    fill: float | None = None  # replaces a missing number, if a model stores one

    @property
    def inputs(self) -> list[str]:
        return [self.name] if self.levels is None else [f"{self.name}={level}" for level in self.levels]


@dataclass(frozen=True)
class Encoding:
    columns: tuple[Column, ...]

    @property
    def inputs(self) -> list[str]:
        return [name for column in self.columns for name in column.inputs]

    def encode(self, path, header: list[str], rows: list[list[str]]) -> tuple[np.ndarray, list[str]]:
        """Inputs (n, D), with NaN for missing numbers, and messages about levels that the training table lacks."""
        at = positions(header)
        if absent := [c.name for c in self.columns if c.name not in at]:
            raise DataError(f"{path}: has no column {', '.join(map(repr, absent))}, which the model was fitted to")
        blocks, told = [], []
        for column in self.columns:
            j = at[column.name]
            cells = [row[j] for row in rows]
            if column.levels is None:
                blocks.append(_numbers(path, rows, column, cells)[:, None])
                continue
            blocks.append(np.array([[float(cell == level) for level in column.levels] for cell in cells]))
            unknown = {c for c in cells if c not in column.levels and not absent_cell(c)}
            for i in sorted(cells.index(c) for c in unknown)[:5]:
                where = f"{path}: column '{column.name}', {place(rows, i)}"
                told.append(f"{where}: '{cells[i][:SHOWN]}' is no level of the fit; taken as none of them")
        return np.hstack(blocks), told


def positions(header: list[str]) -> dict[str, int]:
    """Column number by name; searching the header for each name would take quadratic time."""
    return {name: j for j, name in enumerate(header)}


def _numbers(path, rows, column: Column, cells: list[str]) -> np.ndarray:
    values = np.array([_value(cell) for cell in cells])
    if column.fill is not None:
        gaps = np.array([absent_cell(cell) for cell in cells])
        values[gaps] = column.fill
    for i in np.flatnonzero(~(np.abs(values) <= LARGEST)):
        if not absent_cell(cells[i]):
            why = unfit(cells[i], number_form([cells[i]]))
            raise DataError(f"{path}: column '{column.name}', {place(rows, i)}: {why}")
    return values


def _value(cell: str) -> float:
    return float(cell) if is_number(cell) and not absent_cell(cell) else np.nan


@dataclass
class Look:
    """A user's file, read once: its faults, remarks about it, and the arrays if it has no faults."""

    faults: list[str]
    remarks: list[str]
    encoding: Encoding | Reading | None = None
    X: np.ndarray | None = None
    y: np.ndarray | None = None
    labels: tuple[str, ...] = ()  # of the classes, in the order of their numbers
    path: str = ""
    rows: np.ndarray | None = None  # numbers of the rows in the arrays; the first row below the header is 1
    weight: np.ndarray | None = None  # (n,) > 0, if a column gives it
    noise_variance: np.ndarray | None = None  # (n,) >= 0, if a column gives it
    task: str = ""  # found where the user leaves it to the reader

    def told(self) -> list[str]:
        """All remarks, including repeated rows, which are searched for only here."""
        again = repeated(self.X) if self.X is not None else []
        if not len(again):
            return self.remarks
        rows = "1 row has" if len(again) == 1 else f"{len(again)} rows have"
        first = f"row {self.rows[again[0]]}" + (" is the first" if len(again) > 1 else "")
        return [*self.remarks, f"{self.path}: {rows} the inputs of another row ({first})"]


# -- checking a table ------------------------------------------------------------------------------------------------


@dataclass
class Survey:
    """Faults and remarks about a table, and its encoding if it has no faults."""

    faults: list[str]
    remarks: list[str]
    encoding: Encoding
    complete: np.ndarray  # (n,) rows without a missing value among inputs and target


def survey(path, header: list[str], rows: list, target: str, choices: Choices, say: Say = in_config) -> Survey:
    """Check every column that is used; `say` words the remedies. The first row below the header is row 1."""
    faults = [f"{path}: {fault}" for fault in name_faults(header, target, choices, say)]
    at = positions(header)
    apart = {target, *(choices.drop or []), *choices.of_rows}
    used = [c for c in choices.inputs or header if c in at and c not in apart]
    if not used and not faults:
        others = " and those dropped" if choices.drop else ""
        faults.append(f"{path}: has no column besides the target '{target}'{others}")
    columns, remarks = [], []
    complete = np.ones(len(rows), dtype=bool)
    for name in used:
        j = at[name]
        cells = [row[j] for row in rows]
        gaps = np.array([absent_cell(c) for c in cells])
        complete &= ~gaps
        levels, found = _kind(name, cells, gaps, choices, lambda i, name=name: f"{called(name)}, {place(rows, i)}", say)
        faults += [f"{path}: {fault}" for fault in found]
        columns.append(Column(name, levels))
        if not found:
            remarks += [f"{path}: {remark}" for remark in _odd(name, cells, levels, len(rows), say)]
    if target in header:
        gaps = np.array([absent_cell(row[at[target]]) for row in rows])
        complete &= ~gaps
        if choices.missing == "median" and gaps.any():
            why = f"missing value of the target, which no median can stand in for; {say('missing', 'drop')}"
            faults.append(f"{path}: {called(target)}, {place(rows, int(np.argmax(gaps)))}: {why}")
    if choices.missing == "drop" and not complete.all():
        remarks.append(f"{path}: {int((~complete).sum())} of {len(rows)} rows have missing values and are dropped")
        if not complete.any():
            faults.append(f"{path}: every row has a missing value: drop the columns they are in")
    return Survey(faults, remarks, Encoding(tuple(columns)), complete)


def name_faults(header: list[str], target: str, choices: Choices, say: Say = in_config) -> list[str]:
    """Faults of column names in the choices: not in the table, or given twice."""
    found = []
    if target not in header:
        found.append(f"has no column '{target}'{nearest(target, header, 'its columns are')}")
    for key in ("drop", "inputs"):
        names = getattr(choices, key) or []
        for name in dict.fromkeys(names):
            parts = [part.strip() for part in name.split(",")]
            if name not in header and len(parts) > 1 and set(parts) <= set(header):
                found.append(f"{say(key)}: has no column '{name}'; each by itself: {say(key, *parts)}")
            elif name not in header:
                found.append(f"{say(key)}: has no column '{name}'{nearest(name, header, 'its columns are')}")
            elif name == target:
                found.append(f"{say(key)}: '{name}' is the target")
            if key == "inputs" and names.count(name) > 1:
                found.append(f"{say(key)}: names {called(name)} twice")
    for key in ("weight", "noise"):
        if (name := getattr(choices, key)) is None:
            continue
        if name not in header:
            found.append(f"{say(key)}: has no column '{name}'{nearest(name, header, 'its columns are')}")
        elif name == target or name in (choices.inputs or []):
            found.append(f"{say(key)}: '{name}' is {'the target' if name == target else 'an input'}")
    if choices.drop and choices.inputs:
        found.append(f"give {say('drop')} or {say('inputs')}, not both")
    return found


def _kind(name: str, cells: list[str], gaps, choices: Choices, at, say: Say) -> tuple[tuple | None, list[str]]:
    """Levels of a text column (None: numbers), and the faults of the column."""
    text = [i for i, c in enumerate(cells) if not gaps[i] and not is_number(c)]
    beyond = [i for i, c in enumerate(cells) if is_number(c) and not gaps[i] and not abs(float(c)) <= LARGEST]
    faults = []
    present = len(cells) - int(gaps.sum())
    if gaps.any() and choices.missing == "refuse":
        more = f" ({int(gaps.sum())} in this column)" if gaps.sum() > 1 else ""
        hint = f"drop the row or fill it in ({say('missing', 'drop', 'median')})"
        faults.append(f"{at(int(np.argmax(gaps)))}: missing value{more}; {hint}")
    if not present:
        faults.append(f"{called(name)} has no values; {say('drop', name)}")
    form = number_form([cells[i] for i in text])
    if len(text) > present / 2:
        levels = tuple(sorted({cells[i] for i in range(len(cells)) if not gaps[i]}))
        many = len(levels) > max(FEW_LEVELS, present / 2)
        if many or choices.categorical == "refuse":
            more = f"; {len(levels)} different texts in {present} rows" if many else ""
            mend = "write plain numbers" if form else say("drop", name)
            hint = mend if many else f"{mend}, or make it inputs ({say('categorical', 'one-hot')})"
            faults.append(f"{at(text[0])}: {unfit(cells[text[0]], form)}{more}; {hint}")
        return levels, faults
    if text:
        more = f" ({len(text)} of {present} cells are)" if len(text) > 1 else ""
        faults.append(f"{at(text[0])}: {unfit(cells[text[0]], form)}{more}")
    if beyond:
        faults.append(f"{at(beyond[0])}: {unfit(cells[beyond[0]])}")
    return None, faults


def _odd(name: str, cells: list[str], levels, n: int, say: Say) -> list[str]:
    """Remarks about a column that is constant, that looks like an id, or whose texts may be numbers."""
    if len(set(cells)) == 1 and n > 1:
        return [f"{called(name)} is constant ({cells[0][:SHOWN]}): it says nothing; {say('drop', name)}"]
    if levels is None and n > 2 and len(set(cells)) == n:
        values = np.array([_value(c) for c in cells])
        counts = np.isfinite(values).all() and np.array_equal(np.diff(values), np.ones(n - 1))
        if counts or (_ID.fullmatch(name) and np.array_equal(values, np.round(values))):
            return [f"{called(name)} looks like an id, another number in every row; {say('drop', name)}"]
    if levels and (form := number_form([c for c in levels if not is_number(c)])):
        return [
            f"{called(name)}: text such as '{levels[0][:SHOWN]}' ({form}) becomes one input per level, not a number"
        ]
    return []
