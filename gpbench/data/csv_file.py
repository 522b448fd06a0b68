"""The user's own file: {csv: path, target: column}, with `task: classification` for two classes.

The first line names the columns; every other line is a case. Fields are separated by commas, semicolons or tabs. All
columns but the target are inputs and must be numbers.
"""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path

import numpy as np

from gpbench.errors import DataError

from .dataset import Dataset, fingerprint

TASKS = ("regression", "classification")
_MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}


def exists(path) -> bool:
    return Path(path).is_file()


def read(csv: str, target: str, task: str = "regression", sha256: str = "") -> Dataset:
    """The data set of a user's file; `sha256`, when given, is what the file hashed to when the run was planned."""
    path = Path(csv)
    if task not in TASKS:
        raise DataError(f"{csv}: task '{task}' is not one of {', '.join(TASKS)}")
    if sha256 and file_hash(path) != sha256:
        raise DataError(f"{csv}: has changed since the run was planned; put the old file back or start a new run")
    header, rows = table(path)
    if target not in header:
        raise DataError(f"{csv}: has no column '{target}'; its columns are {', '.join(header)}")
    t = header.index(target)
    inputs = [j for j in range(len(header)) if j != t]
    if not inputs:
        raise DataError(f"{csv}: has no column besides the target '{target}'")
    X = np.column_stack([numbers(path, header[j], [r[j] for r in rows]) for j in inputs])
    labels = [r[t] for r in rows]
    y = classes(path, target, labels) if task == "classification" else numbers(path, target, labels)
    return Dataset(path.stem, X, y, task, notes=(f"the user's file {path.name}",), sha256=fingerprint(X, y))


def file_hash(path) -> str:
    """sha256 of a user's file; part of what determines a number."""
    return hashlib.sha256(_bytes(path)).hexdigest()


def table(path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a separated text file, all of the header's width; cells are stripped text."""
    try:
        text = _bytes(path).decode("utf-8-sig")
        separator = max(",;\t", key=text.partition("\n")[0].count)
        cells = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        rows = [[cell.strip() for cell in row] for row in cells if row]
    except UnicodeDecodeError as e:
        raise DataError(f"{path}: is not UTF-8 text (byte {e.start})") from e
    except csv.Error as e:
        raise DataError(f"{path}: is not a table of separated text ({e})") from e
    if len(rows) < 2 or not any(rows[0]):
        raise DataError(f"{path}: needs a first line that names the columns and at least one row below it")
    header = rows[0]
    if all(_is_number(cell) for cell in header):
        raise DataError(f"{path}: its first line is numbers; add a line that names the columns")
    if len(set(header)) < len(header):
        double = next(h for h in header if header.count(h) > 1)
        raise DataError(f"{path}: two columns are called '{double}'")
    for i, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise DataError(f"{path}: row {i} has {len(row)} fields, the header {len(header)}")
    return header, rows[1:]


def numbers(path, column: str, cells: list[str]) -> np.ndarray:
    """A column as finite doubles; what is not one is named by column and row (the first row below the header is 1)."""
    values = np.array([float(cell) if _is_number(cell) else np.nan for cell in cells])
    if np.isfinite(values).all():
        return values
    i = int(np.argmin(np.isfinite(values)))
    where, cell = f"{path}: column '{column}', row {i + 1}", cells[i]
    if cell.lower() in _MISSING:
        raise DataError(f"{where}: missing value; drop the row or fill it in")
    if _is_number(cell):
        raise DataError(f"{where}: {cell} is not finite")
    raise DataError(f"{where}: '{cell[:40]}' is text, not a number")


def classes(path, column: str, labels: list[str]) -> np.ndarray:
    """-1/+1 from two labels, the smaller one (as numbers if they are) being -1."""
    for i, label in enumerate(labels, start=1):
        if label.lower() in _MISSING:
            raise DataError(f"{path}: column '{column}', row {i}: missing class")
    kinds = sorted(set(labels), key=lambda s: (0, float(s), s) if _is_number(s) else (1, 0.0, s))
    if len(kinds) != 2:
        shown = ", ".join(kinds[:5]) + (", ..." if len(kinds) > 5 else "")
        raise DataError(f"{path}: column '{column}' has {len(kinds)} classes ({shown}); classification needs two")
    return np.where(np.array(labels) == kinds[1], 1.0, -1.0)


def _bytes(path) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as e:
        raise DataError(f"{path}: no such file") from e
    except OSError as e:
        raise DataError(f"{path}: cannot be read ({e.strerror})") from e


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python's float takes 1_000
