"""paths.csv.gz: greedy paths past their stop, with the scores of the models that other stop rules keep.

Written by `run --whole-paths`: one row for each size of a path, with the measure and, at the sizes that a reading of
the stop rule keeps (methods/families/stopping.py), the scores on the test part.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gpbench import catalog
from gpbench.experiment.plan.trial import Trial

from .checked_files import Damaged, as_summed, read_checked, write_summed

NAME = "paths.csv.gz"
SCORES = ("nmse", "nlpd")
COLUMNS = ("trial_id", "size", "measure", *SCORES)


def lacking(folder: Path, trials: Iterable[Trial]) -> frozenset[str]:
    """Ids of trials whose method can go past its stop and whose whole path is not kept here."""
    able = [t.id for t in trials if _goes_past_its_stop(t)]
    kept = {row["trial_id"] for row in read(folder)} if able else set()
    return frozenset(id for id in able if id not in kept and not _of_trial(folder / "trials" / f"{id}.json"))


def _goes_past_its_stop(trial: Trial) -> bool:
    method = catalog.find("method", trial.method)
    if (asked := getattr(method, "goes_past_its_stop", None)) is None:
        return False
    made = method.model_validate_json(json.dumps(trial.params))
    return bool(asked(made, trial.hyperparameters.get("schedule", "fixed")))


def keep(folder: Path) -> None:
    """Add the whole paths of trials/*.json to the file; without any, nothing is written."""
    files = sorted((folder / "trials").glob("*.json"))
    new = {file.stem: rows for file in files if (rows := _of_trial(file))}
    if not new:
        return
    old = [row for row in read(folder) if row["trial_id"] not in new]
    rows = sorted((*old, *(row for rows in new.values() for row in rows)), key=_place)
    write_summed(folder / NAME, _content(rows))


def read(folder: Path) -> list[dict[str, str]]:
    """The rows of the file; none if it is missing or damaged: the next run makes it again."""
    file = folder / NAME
    try:
        if not file.is_file() or not as_summed(file):
            return []
        with gzip.open(file, "rt", encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
    except (OSError, ValueError, EOFError, csv.Error):
        return []
    return rows if not rows or tuple(rows[0]) == COLUMNS else []


def _of_trial(file: Path) -> list[dict[str, Any]]:
    """The rows of one trial's whole path; none if it stopped."""
    try:
        result = read_checked(file).get("result") or {}
    except (FileNotFoundError, Damaged):
        return []
    path = [row for row in result.get("trace") or [] if "size" in row and "round" not in row]
    if not any(f"test_{SCORES[0]}" in row for row in path):
        return []
    scores = [{name: row.get(f"test_{name}") for name in SCORES} for row in path]
    id = file.stem
    return [{"trial_id": id, "size": row["size"], "measure": row.get("measure"), **s} for row, s in zip(path, scores)]


def _place(row: dict[str, Any]) -> tuple[str, int]:
    return row["trial_id"], int(row["size"])


def _content(rows: Iterable[dict[str, Any]]) -> bytes:
    """Equal rows give equal bytes: the gzip header holds no time."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(rows))
    return gzip.compress(text.getvalue().encode(), mtime=0)


def _cells(rows: Iterable[dict[str, Any]]) -> Iterator[list[str]]:
    for row in rows:
        values = (row[name] for name in COLUMNS)
        yield ["" if v is None else f"{v:.10g}" if isinstance(v, float) else str(v) for v in values]
