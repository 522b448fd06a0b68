"""Estimators on a user's csv: the encoding of its columns travels with the model."""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import replace

import numpy as np

from gpbench.data.tables.csv_columns import Encoding
from gpbench.data.tables.csv_file import Look, medians, table
from gpbench.data.tables.csv_words import place
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
    if np.isnan(X).any():
        fill = medians(X)
        X, encoding = np.where(np.isnan(X), fill, X), _with_fill(encoding, fill)
    y = np.array(looked.labels)[class_numbers(looked.y, len(looked.labels))] if looked.labels else looked.y
    of_rows = {"sample_weight": looked.weight, "noise_variance": looked.noise_variance}
    of_rows = {k: v for k, v in of_rows.items() if v is not None}
    if looked.labels and of_rows:
        raise BadInput("weights and noise variances of rows are for regression; leave them out for classes")
    model.fit(X, y, **of_rows)
    if len(y) > 1:
        again = remarks(X, looked.y, "classification" if looked.labels else "regression")
        model.notes_ = tuple(line for line in model.notes_ if line not in again)
    model.columns_ = encoding
    return model


def _with_fill(encoding: Encoding, fill) -> Encoding:
    at = dict(zip(encoding.inputs, fill))
    return Encoding(tuple(c if c.levels else replace(c, fill=float(at[c.name])) for c in encoding.columns))


def _encoded(encoding: Encoding, path, header: list[str], rows: list[list[str]]) -> tuple[np.ndarray, list[str]]:
    """Inputs without a gap, and what is to be told about the rows."""
    X, told = encoding.encode(path, header, rows)
    if (gaps := np.argwhere(np.isnan(X))).size:
        i, j = gaps[0]
        where = f"{path}: column '{encoding.inputs[j]}', {place(rows, i)}"
        raise DataError(f"{where}: missing value; fill it in, or fit with --missing median")
    return X, told


def frame_inputs(encoding: Encoding, X) -> np.ndarray:
    """Inputs from a data frame with the columns of the csv, or with the inputs made of these."""
    refuse_repeated_names(X)
    header = [str(name).strip() for name in X.columns]
    if not len(X):
        return X
    if header == encoding.inputs and any(c.levels for c in encoding.columns):
        return X.to_numpy()
    used = [c.name for c in encoding.columns if c.name in header]
    columns = [list(X[X.columns[header.index(name)]]) for name in used]
    cells = [[_cell(value) for value in row] for row in zip(*columns)]
    try:
        found, told = _encoded(encoding, "X", used, cells)
    except DataError as e:
        raise BadInput(str(e)) from e
    for line in told:
        warnings.warn(line, stacklevel=4)
    return found


def _cell(value) -> str:
    """As a csv has it; what pandas means by a missing value is an empty cell."""
    text = str(value).strip()
    return "" if text == "<NA>" or value is None or value != value else text


def predict_table(model, path) -> tuple[str, list[str]]:
    """Predictions as the text of a csv, and what is to be told about the rows."""
    encoding = getattr(model, "columns_", None)
    if encoding is None:
        raise DataError("the model was fitted to arrays, not by gpbench fit: it does not know the columns of a csv")
    header, rows = table(path)
    X, told = _encoded(encoding, path, header, rows)
    if hasattr(model, "classes_"):
        p = model.predict_proba(X)
        names = [csv_cell(str(label)) for label in model.classes_]
        columns = {"class": [names[k] for k in p.argmax(1)], "prob": p.max(1).tolist()}
        if len(names) > 2:
            columns |= {f"prob {name}": column.tolist() for name, column in zip(names, p.T)}
    else:
        mean, std = model.predict(X, return_std=True)
        columns = {"mean": mean.tolist(), "std": std.tolist()}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return out.getvalue(), told
