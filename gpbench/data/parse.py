"""Read raw files into arrays: text tables with and without header, arff, gzip."""

from __future__ import annotations

import base64
import gzip
import io
import zlib
from pathlib import Path

import numpy as np

from gpbench.errors import DataError

from .tables import csv_file

LIMIT = 200_000_000  # bytes of text after decompression


def text(path) -> str:
    """The file's text; gzip is recognised by its first bytes and unpacked up to LIMIT."""
    path = Path(path)
    with open(path, "rb") as f:
        zipped = f.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if zipped else open(path, "rb") as f:
            content = f.read(LIMIT + 1)
    except (EOFError, zlib.error, OSError) as e:
        raise DataError(f"{path.name} cannot be read ({e})") from e
    if len(content) > LIMIT:
        raise DataError(f"{path.name} unpacks to more than {LIMIT} bytes")
    return content.decode("latin-1")  # comments in old files have unknown encodings; the data are ASCII


def cells(path, header: int = 0) -> list[list[str]]:
    """Rows of a text table: below @data in an arff file, else below `header` lines.

    Commas or blanks separate; comments, blank lines, quotes, CR and a stray comma at the end of a line are dropped.
    """
    lines = text(path).splitlines()
    start = next((i for i, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    lines = lines[header if start is None else start + 1 :]
    rows = []
    for line in lines:
        line = line.strip().removesuffix(",")
        if line and not line.startswith("%"):
            rows.append([c.strip().strip("\"'") for c in line.split(",")] if "," in line else line.split())
    return rows


def numbers(path, rows: list[list[str]]) -> np.ndarray:
    """(n, columns) doubles; ragged rows, text and missing values are errors that name the row."""
    name, width = Path(path).name, len(rows[0]) if rows else 0
    for i, row in enumerate(rows, start=1):
        if len(row) != width:
            raise DataError(f"{name}: row {i} has {len(row)} fields, expected {width}")
    try:
        return np.array(rows, dtype=float).reshape(-1, width)
    except ValueError:  # some field is not a number: find it
        columns = [csv_file.numbers(name, str(j), list(c)) for j, c in enumerate(zip(*rows), start=1)]
        return np.column_stack(columns)


def plain_numbers(path) -> np.ndarray:
    """As `numbers`, for a table with plain commas, in a third of the time."""
    content = text(path)
    try:
        if content.strip():
            return np.loadtxt(io.StringIO(content), delimiter=",", comments=None, ndmin=2)
    except ValueError as e:
        raise DataError(f"{Path(path).name}: {e}") from e
    raise DataError(f"{Path(path).name} is empty")


def last_column(path, header: int = 0):
    """(X, y) of a numeric table whose target is the last column."""
    M = numbers(path, cells(path, header))
    return M[:, :-1], M[:, -1]


def two_classes(path, positive: str, header: int = 0, drop: tuple[int, ...] = ()):
    """(X, y) of a table whose last column is the class; rows missing a value ('?') and columns `drop` are left out."""
    rows = [r for r in cells(path, header) if "?" not in r]
    X = numbers(path, [r[:-1] for r in rows])
    labels = np.array([r[-1] for r in rows])
    if len(set(labels)) != 2 or positive not in labels:
        raise DataError(f"{Path(path).name}: expected two classes, one of them {positive}, got {sorted(set(labels))}")
    return np.delete(X, drop, axis=1), np.where(labels == positive, 1.0, -1.0)


def one_of(labels, kinds: str) -> np.ndarray:
    """1-of-k coding: one 0/1 column for each kind   (n, k)."""
    return (np.array(labels)[:, None] == np.array(list(kinds))).astype(float)


def parts(train_inputs, train_targets, test_inputs, test_targets):
    """(X, y, n_train) from four files of plain numbers, the training part first."""
    X = [numbers(p, cells(p)) for p in (train_inputs, test_inputs)]
    y = [numbers(p, cells(p))[:, 0] for p in (train_targets, test_targets)]
    return np.concatenate(X), np.concatenate(y), len(y[0])


def user_parts(train, test):
    """(X, y, n_train) from the user's train.csv and test.csv with the target in column `y`."""
    sets = [csv_file.read(str(p), "y") for p in (train, test)]
    if sets[0].X.shape[1] != sets[1].X.shape[1]:
        raise DataError(f"{train} has {sets[0].X.shape[1]} inputs, {test} {sets[1].X.shape[1]}")
    return np.concatenate([s.X for s in sets]), np.concatenate([s.y for s in sets]), sets[0].n


def molecules(path, target: str = "y", shift: float = 0.0):
    """(SMILES as objects, y) of a csv; y has 10 decimals, because copies differ in the last bit."""
    header, rows = csv_file.table(path)
    for column in ("smiles", target):
        if column not in header:
            raise DataError(f"{Path(path).name}: has no column '{column}'; its columns are {', '.join(header)}")
    y = csv_file.numbers(path, target, [r[header.index(target)] for r in rows])
    return np.array([r[header.index("smiles")] for r in rows], dtype=object), np.round(y + shift, 10)


def reordered(order: str, X, y):
    """Rows of a shuffled copy in the data set's own order; `order` is base64 of 16-bit positions."""
    positions = np.frombuffer(base64.b64decode(order), dtype="<u2")
    if len(positions) != len(y):
        raise DataError(f"expected {len(positions)} rows, got {len(y)}")
    return X[positions], y[positions]
