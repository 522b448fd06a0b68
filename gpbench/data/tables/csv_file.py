"""Read the user's own file: {csv: path, target: column}, with `task: classification` for classes.

The first line names the columns; every other line is a case. Fields are separated by commas, semicolons or tabs. All
columns but the target are inputs, unless the config says otherwise (csv_columns.py).
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from gpbench.errors import DataError

from ..dataset import Dataset, fingerprint
from ..labels import numbered
from ..shards import LARGEST
from .csv_columns import Choices, Look, name_faults, survey
from .csv_words import Row, Say, absent_cell, called, in_config, is_number, number_form, place, unfit
from .table_reading import look_table
from .table_source import open_table, text_table
from .table_text import file_bytes

TASKS = ("regression", "classification")
FEW_CLASSES = 20  # texts, up to which a target of texts is taken for classes in a hint
_copies: dict[str, str] = {}  # of this process: path on the machine that planned the run -> copy on this machine


PROBE = 500_000  # bytes that the pace of reading is measured on
_looked: dict[tuple, Look] = {}  # the table that was read last


def keep_copy(path: str, copy: str) -> None:
    """Read `copy` instead of `path` from now on; `path` belongs to the machine that planned the run."""
    _copies[path] = copy


def exists(path) -> bool:
    return Path(path).is_file()


def read(csv: str, target: str, task: str = "regression", sha256: str = "", label: str = "", **choices) -> Dataset:
    """The data set of a user's file; `sha256`, if given, is the file's hash when the run was planned.

    With `missing: median` missing values are NaN here; medians of the training part replace them after the split.
    """
    path = Path(csv)
    if task not in TASKS:
        raise DataError(f"{csv}: task '{task}' is not one of {', '.join(TASKS)}")
    if sha256 and file_hash(path) != sha256:
        raise DataError(f"{csv}: has changed since the run was planned; put the old file back or start a new run")
    found = look(csv, target, task, Choices(**choices))
    if found.faults:
        raise DataError.of_lines(found.faults)
    notes = (f"the user's file {path.name}", *(r.partition(": ")[2] for r in found.remarks if r.endswith("dropped")))
    X, y = found.X, found.y
    more = {"weight": found.weight, "noise_variance": found.noise_variance}
    return Dataset(label or path.stem, X, y, task, notes=notes, sha256=fingerprint(X, y), labels=found.labels, **more)


def look(
    csv: str, target: str, task: str, choices: Choices, say: Say = in_config, seconds: float | None = None
) -> Look:
    """Read and check a file; `say` words the choices as a config or a command line gives them (csv_words.py).

    With `columns` and `seconds`, fewer rows are read where all would take longer.
    """
    path = Path(csv)
    if choices.columns is not None:
        every = 1 if seconds is None else _stride(path, target, task, choices, seconds)
        return _look_auto(path, target, task, choices, say, every)
    try:
        header, rows = table(path)
    except DataError as e:
        return Look([str(e)], [])
    found = survey(path, header, rows, target, choices, say)
    faults, y, labels = list(found.faults), None, ()
    keep = found.complete if choices.missing == "drop" else np.ones(len(rows), dtype=bool)
    kept, of_rows = np.flatnonzero(keep), {}
    if not faults and keep.any():
        try:
            kept, of_rows = _of_rows(path, header, rows, kept, choices, found.remarks)
        except DataError as e:
            faults.append(str(e))
    if target in header and keep.any():
        j = header.index(target)
        cells = [rows[i][j] for i in kept]

        def at(i):
            return place(rows, kept[i])

        try:
            if task == "classification":
                y, labels = classes(path, target, cells, at, say)
            else:
                y = numbers(path, target, cells, at, say)
        except DataError as e:
            if not any(called(target) in p for p in faults):
                faults.append(str(e))
    if faults:
        return Look(faults, found.remarks)
    X, _ = found.encoding.encode(path, header, [rows[i] for i in kept])
    if len(y) > 1 and not np.ptp(y):
        found.remarks.append(f"{path}: column '{target}', the target, is constant ({y[0]:g}): nothing is to be learned")
    return Look([], found.remarks, found.encoding, X, y, labels, str(path), kept + 1, **of_rows)


def _look_auto(path: Path, target: str, task: str, choices: Choices, say: Say, every: int) -> Look:
    """Reads columns by `columns: auto`; the last table read is kept, because a config is loaded several times."""
    source = Path(_copies.get(str(path), path))
    try:
        state = source.stat()
        key = (
            str(source),
            state.st_mtime_ns,
            state.st_size,
            target,
            task,
            choices.model_dump_json(),
            say.__name__,
            every,
        )
        if key not in _looked:
            found = look_table(path, open_table(source, choices, say, every=every), target, task, choices, say)
            _looked.clear()
            _looked[key] = found
        return _looked[key]
    except OSError as e:
        return Look([f"{path}: cannot be read ({e.strerror or e})"], [])
    except DataError as e:
        return Look([str(e)], [])


def _stride(path: Path, target: str, task: str, choices: Choices, seconds: float) -> int:
    """One row in so many is read within the seconds, as the first rows of the file show."""
    if not path.is_file() or path.stat().st_size < 4 * PROBE:
        return 1
    with open(path, "rb") as stream:
        content = stream.read(PROBE)
    took = []
    for part in (content[: PROBE // 2], content):  # what a column costs, however few its rows, is not multiplied
        begin = time.monotonic()
        try:
            table = text_table(path, part[: part.rindex(b"\n") + 1], choices, in_config, strict=False)
            look_table(path, table, target, task, choices, in_config)
        except (DataError, ValueError):
            return 1  # the whole file is read, and its fault told
        took.append(time.monotonic() - begin)
    half = max(took[1] - took[0], 0.2 * took[1])
    whole = took[1] + half * (path.stat().st_size / PROBE - 1) * 2
    return max(1, math.ceil(whole / seconds))


def _of_rows(path, header: list[str], rows: list[Row], kept, choices: Choices, remarks: list[str]):
    """(rows without those of weight 0, {"weight": ..., "noise_variance": ...}) from the columns that hold them."""
    found = {}
    for key, name in (("weight", choices.weight), ("noise_variance", choices.noise)):
        if name is None:
            continue
        cells = [rows[i][header.index(name)] for i in kept]
        values = np.array([float(c) if is_number(c) and not absent_cell(c) else np.nan for c in cells])
        if (bad := ~((values >= 0) & (values <= LARGEST))).any():
            i = int(np.argmax(bad))
            raise DataError(f"{path}: {called(name)}, {place(rows, kept[i])}: '{cells[i][:40]}' is no number >= 0")
        found[key] = values
    if "weight" in found and (out := found["weight"] == 0).any():
        if out.all():
            raise DataError(f"{path}: {called(choices.weight)}: every weight is 0")
        remarks.append(f"{path}: {int(out.sum())} rows have the weight 0 and are dropped")
        kept, found = kept[~out], {key: values[~out] for key, values in found.items()}
    return kept, found


def names_wrong(csv: str, target: str, choices: Choices) -> list[str]:
    """Faults of the column names only, if the other choices are not valid."""
    try:
        return [f"{csv}: {fault}" for fault in name_faults(table(csv)[0], target, choices)]
    except DataError as e:
        return [str(e)]


def filled(dataset: Dataset, train: np.ndarray) -> Dataset:
    """The data set with missing numbers replaced by medians of the training part."""
    if not isinstance(dataset.X, np.ndarray) or dataset.X.dtype == object or not np.isnan(dataset.X).any():
        return dataset
    return replace(dataset, X=np.where(np.isnan(dataset.X), medians(dataset.X[train]), dataset.X))


def medians(X: np.ndarray) -> np.ndarray:
    """Medians of the columns without missing values; DataError for a column that has only missing values."""
    gaps = np.isnan(X)
    if (empty := gaps.all(0)).any():
        raise DataError(f"input {int(np.argmax(empty))} is missing in every training row: no median; drop the column")
    found = np.median(X, axis=0)
    some = np.flatnonzero(gaps.any(0))
    found[some] = np.nanmedian(X[:, some], axis=0)
    return found


def file_hash(path) -> str:
    """sha256 of a user's file; enters the trial's id."""
    return hashlib.sha256(file_bytes(path, _copies.get(str(path)))).hexdigest()


def table(path) -> tuple[list[str], list[Row]]:
    """Header and rows of a separated text file, all of the header's width; fields are stripped text."""
    try:
        text = file_bytes(path, _copies.get(str(path))).decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise DataError(f"{path}: is not UTF-8 text (byte {e.start})") from e
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{path}: line {line} has a NUL byte, which no table has: is it another kind of file?")
    rows = _rows(path, text)
    if len(rows) < 2 or not any(rows[0]):
        raise DataError(f"{path}: needs a first line that names the columns and at least one row below it")
    header = rows[0]
    if all(is_number(cell) for cell in header):
        raise DataError(f"{path}: its first line is numbers; add a line that names the columns")
    if double := next((name for name, count in Counter(header).items() if count > 1), None):
        raise DataError(f"{path}: two columns are called '{double}'")
    for i, row in enumerate(rows[1:]):
        if len(row) != len(header):
            where = place(rows[1:], i)
            raise DataError(f"{path}: {where} has {len(row)} fields, the header {len(header)}")
    return list(header), rows[1:]


def _rows(path, text: str) -> list[Row]:
    """Every line that is not blank, with its number."""
    lines = list(io.StringIO(text, newline=""))
    separator = max(",;\t", key=text.partition("\n")[0].count)
    reader, begin, found = csv.reader(lines, delimiter=separator), 1, []
    try:
        for cells in reader:
            if cells:
                found.append(Row(cell.strip() for cell in cells))
                found[-1].line = begin
            last, begin = begin, reader.line_num + 1
    except csv.Error as e:
        quote = ": is a quote not closed?" if "limit" in str(e) else ""
        raise DataError(f"{path}: line {begin}: is no row of separated text ({e}){quote}") from e
    if found and _open_quote(lines[last - 1 :], separator):
        raise DataError(f'{path}: line {last}: a quote (") is opened and never closed')
    return found


def _open_quote(lines: list[str], separator: str) -> bool:
    """Whether the last row has an open quote."""
    try:
        list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error as e:
        return "unexpected end" in str(e)
    return False


def numbers(path, name: str, cells: list[str], at=None, say: Say | None = None) -> np.ndarray:
    """A column as finite doubles; an error names column and row (by `at`, else by number from 1).

    `say` words the remedies for a user's file.
    """
    values = np.array([float(cell) if is_number(cell) else np.nan for cell in cells])
    if (fit := np.abs(values) <= LARGEST).all():
        return values
    i = int(np.argmin(fit))
    where, cell = f"{path}: {called(name)}, {at(i) if at else f'row {i + 1}'}", cells[i]
    if absent_cell(cell):
        hint = f" ({say('missing', 'drop')})" if say else ""
        raise DataError(f"{where}: missing value; drop the row or fill it in{hint}")
    texts = [c for c in cells if not is_number(c)]
    few = say and len(texts) == len(cells) and len(set(cells)) <= max(2, min(FEW_CLASSES, len(cells) / 2))
    hint = f"; for classes {say('task', 'classification')}" if few else ""
    raise DataError(f"{where}: {unfit(cell, number_form(texts))}{hint}")


def classes(path, name: str, labels: list[str], at, say: Say) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers of the classes (data/labels.py), and their labels sorted, as numbers if possible."""
    for i, label in enumerate(labels):
        if absent_cell(label):
            hint = f"drop the row or fill it in ({say('missing', 'drop')})"
            raise DataError(f"{path}: {called(name)}, {at(i)}: missing class; {hint}")
    kinds = sorted(set(labels), key=lambda s: (0, float(s), s) if is_number(s) else (1, 0.0, s))
    if len(kinds) < 2:
        raise DataError(f"{path}: {called(name)} has one class ({kinds[0]}); classification needs two or more")
    if len(kinds) > max(2, len(labels) / 2):
        shown = ", ".join(kinds[:3])
        raise DataError(
            f"{path}: {called(name)} has {len(kinds)} classes ({shown}, ...) in {len(labels)} rows; a class needs "
            "several rows: is the target a number?"
        )
    return numbered(labels, kinds), tuple(kinds)
