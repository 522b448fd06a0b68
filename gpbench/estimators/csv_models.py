"""Estimators on a user's csv: the encoding of its columns travels with the model."""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import dataclass, replace

import numpy as np

from gpbench.data.tables.column_rules import Reading
from gpbench.data.tables.csv_columns import Choices, Encoding, Look
from gpbench.data.tables.csv_file import medians, table
from gpbench.data.tables.csv_words import as_option, in_python, place
from gpbench.data.tables.table_reading import reading_of
from gpbench.data.tables.table_source import frame_table, open_table
from gpbench.errors import BadInput, DataError
from gpbench.metrics import class_numbers
from gpbench.text import csv_cell

from .fit import remarks
from .input_checks import refuse_repeated_names


def fit_table(model, looked: Look):
    """The estimator fitted to a file that was looked at; missing numbers are filled with medians.

    What the look has told with the file's own rows and columns is not told again.
    """
    X, encoding = looked.X, looked.encoding
    if isinstance(encoding, Reading) or np.isnan(X).any():
        fill = medians(X)
        X, encoding = np.where(np.isnan(X), fill, X), _with_fill(encoding, fill)
    y = np.array(looked.labels)[class_numbers(looked.y, len(looked.labels))] if looked.labels else looked.y
    of_rows = {"sample_weight": looked.weight, "noise_variance": looked.noise_variance}
    of_rows = {k: v for k, v in of_rows.items() if v is not None}
    if looked.labels and of_rows:
        raise BadInput("weights and noise variances of rows are for regression; leave them out for classes")
    model._reading = encoding
    model.fit(X, y, **of_rows)
    if len(y) > 1:
        again = remarks(X, looked.y, "classification" if looked.labels else "regression")
        model.notes_ = tuple(line for line in model.notes_ if line not in again)
    model.columns_ = encoding
    return model


def _with_fill(encoding: Encoding | Reading, fill) -> Encoding | Reading:
    if isinstance(encoding, Reading):
        return encoding.filled(fill)
    at = dict(zip(encoding.inputs, fill))
    return Encoding(tuple(c if c.levels else replace(c, fill=float(at[c.name])) for c in encoding.columns))


def _encoded(encoding: Encoding, path, header: list[str], rows: list[list[str]]) -> tuple[np.ndarray, list[str]]:
    """Inputs without missing values, and remarks about the rows."""
    X, told = encoding.encode(path, header, rows)
    if (gaps := np.argwhere(np.isnan(X))).size:
        i, j = gaps[0]
        where = f"{path}: column '{encoding.inputs[j]}', {place(rows, i)}"
        raise DataError(f"{where}: missing value; fill it in, or fit with --missing median")
    return X, told


def frame_inputs(encoding: Encoding | Reading, X) -> np.ndarray:
    """Inputs from a data frame with the columns of the fit, or with the inputs made of these."""
    refuse_repeated_names(X)
    header = [str(name).strip() for name in X.columns]
    if not len(X):
        return X
    if header == encoding.inputs and header != [c.name for c in encoding.columns if c.name in header]:
        return X.to_numpy()
    try:
        found, told = _frame_encoded(encoding, X, header)
    except DataError as e:
        raise BadInput(str(e)) from e
    for line in told:
        warnings.warn(line, stacklevel=4)
    return found


def _frame_encoded(encoding: Encoding | Reading, X, header: list[str]) -> tuple[np.ndarray, list[str]]:
    if isinstance(encoding, Reading):
        found, told, _ = encoding.encode("X", frame_table(X))
        if (gaps := np.argwhere(np.isnan(found))).size:
            i, j = gaps[0]
            raise DataError(f"X: column '{encoding.inputs[j]}', row {i}: missing value; fill it in")
        return found, told
    used = [c.name for c in encoding.columns if c.name in header]
    columns = [list(X[X.columns[header.index(name)]]) for name in used]
    return _encoded(encoding, "X", used, [[_cell(value) for value in row] for row in zip(*columns)])


def _cell(value) -> str:
    """As a csv has it; what pandas means by a missing value is an empty cell."""
    text = str(value).strip()
    return "" if text == "<NA>" or value is None or value != value else text


def fit_frame(X) -> tuple[np.ndarray, Reading, list[str]]:
    """Inputs of a data frame by the rules for tables, the rules, and what is told about columns left out."""
    refuse_repeated_names(X)
    try:
        table = frame_table(X)
        reading, faults = reading_of("X", table, None, Choices(columns="auto"), in_python)
    except DataError as e:
        raise BadInput(str(e)) from e
    if reading is None:
        raise BadInput("; ".join(faults))
    found, _, _ = reading.encode("X", table)
    fill = medians(found)
    out = [
        f"X: column '{c.name}' is left out ({c.kind}): {'; '.join(c.facts)}" for c in reading.columns if not c.inputs
    ]
    return np.where(np.isnan(found), fill, found), reading.filled(fill), out


def needs_rules(X) -> bool:
    """Whether a data frame has more than finite numbers: text, dates, categories or gaps."""
    return (
        hasattr(X, "dtypes")
        and bool(len(X))
        and not (all(getattr(d, "kind", "O") in "iufb" for d in X.dtypes) and not bool(X.isna().to_numpy().any()))
    )


# -- predictions -----------------------------------------------------------------------------------------------------


@dataclass
class _NewRows:
    """Inputs of a file, which of its rows can be predicted, its id columns, and what is told."""

    X: np.ndarray
    usable: np.ndarray  # (n,) rows without a cell or a number of fields that cannot be read
    ids: dict[str, list[str]]
    told: list[str]


def _new_rows(encoding: Encoding | Reading, path, choices: Choices | None) -> _NewRows:
    if not isinstance(encoding, Reading):
        header, rows = table(path)
        X, told = _encoded(encoding, path, header, rows)
        return _NewRows(X, np.ones(len(X), dtype=bool), {}, told)
    saved = {"encoding": encoding.encoding or None, "sep": encoding.sep or None}
    given = Choices(
        **({"columns": "auto"} | saved | ({} if choices is None else choices.model_dump(exclude_unset=True)))
    )
    found = open_table(path, given, as_option, strict=False)
    read, told, _ = encoding.encode(path, found)
    place = np.argsort(np.argsort([*found.lines, *found.skipped]))  # of each row among all rows of the file
    X = np.full((len(place), read.shape[1]), np.nan)
    X[place[: found.n]] = read
    gaps = np.isnan(X).any(1)
    gaps[place[found.n :]] = False
    if gaps.any():
        why = f"not predicted, because the fit was with --missing {encoding.missing}"
        told.append(f"{path}: {_rows(gaps)}: missing value; {why}")
    ids = {}
    for column in (c for c in found.columns if c.name in encoding.ids):
        cells = ids[column.name] = [""] * len(X)
        for i, cell in zip(place, _id_cells(column)):
            cells[i] = cell
    return _NewRows(X, ~np.isnan(X).any(1), ids, [*found.told, *told])


def _id_cells(column) -> list[str]:
    if column.cells:
        return ["" if c is None else csv_cell(str(c).strip()) for c in column.cells]
    return [f"{v:.15g}" for v in column.values]


def _rows(which: np.ndarray, most: int = 5) -> str:
    rows = np.flatnonzero(which) + 1
    shown = ", ".join(map(str, rows[:most])) + (", ..." if len(rows) > most else "")
    return f"row {shown}" if len(rows) == 1 else f"{len(rows)} rows ({shown})"


def predict_table(model, path, interval: float | None = None, quantiles: tuple[float, ...] = (), choices=None):
    """(predictions as the text of a csv, what is to be told about the rows); `interval` adds its two bounds."""
    encoding = getattr(model, "columns_", None)
    if encoding is None:
        raise DataError("the model was fitted to arrays, not by gpbench fit: it does not know the columns of a csv")
    new = _new_rows(encoding, path, choices)
    columns: dict[str, list] = dict(new.ids)
    if new.usable.any():
        made = _predictions(model, new.X[new.usable], interval, quantiles)
        for name, values in made.items():
            cells: list = [""] * len(new.usable)
            for i, value in zip(np.flatnonzero(new.usable), values):
                cells[i] = value
            columns[name] = cells
    else:
        raise DataError.of_lines([f"{path}: no row can be predicted:", *new.told])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return out.getvalue(), new.told


def _predictions(model, X, interval: float | None, quantiles: tuple[float, ...]) -> dict[str, list]:
    if hasattr(model, "classes_"):
        p = model.predict_proba(X)
        likely = p.argmax(1)
        names = [csv_cell(str(c)) for c in model.classes_]
        columns = {"class": [names[k] for k in likely], "prob": p.max(1).tolist()}
        if isinstance(model.columns_, Reading) or len(names) > 2:
            columns |= {f"prob {name}": p[:, k].tolist() for k, name in enumerate(names)}
        return columns
    mean, std = model.predict(X, return_std=True)
    columns = {"mean": mean.tolist(), "std": std.tolist()}
    bounds = {} if interval is None else {"lower": (1 - interval) / 2, "upper": (1 + interval) / 2}
    bounds |= {f"q{q:g}": q for q in quantiles}
    if bounds:
        found = model.predict_quantiles(X, list(bounds.values()))
        columns |= {name: found[:, k].tolist() for k, name in enumerate(bounds)}
    return columns
