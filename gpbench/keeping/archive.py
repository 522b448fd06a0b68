"""archive.jsonl: every finished trial of a folder in one small file, without its trace.

Committed results have no trials/ (too many files). With the archive the same command continues them all the same: a
trial whose line is whole counts as done. Each line carries its checksum, so a line that was edited is passed over.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path

from gpbench.planning.trial import Trial, digest

from .files import finite, write_atomic
from .record import Result

NAME = "archive.jsonl"
_LEFT_OUT = ("trial", "trace")  # the plan has the one; curves.csv keeps what reports need of the other


def write(folder: Path, results: list[Result]) -> None:
    """Add these; lines of other trials stay, since a later run may plan them again."""
    records = {id: line for id, (line, _) in _lines(folder).items()}
    for result in results:
        body = finite({"id": result.trial.id} | {k: v for k, v in asdict(result).items() if k not in _LEFT_OUT})
        line = json.dumps({"checksum": digest(body), **body}, allow_nan=False, separators=(",", ":"))
        records[result.trial.id] = line
    content = "".join(records[id] + "\n" for id in sorted(records)).encode()
    path = folder / NAME
    if records and (not path.exists() or path.read_bytes() != content):
        write_atomic(path, content)


def read(folder: Path, trials: list[Trial]) -> dict[str, Result]:
    """Archived results of these trials, by id."""
    kept, found = _lines(folder), {}
    for trial in trials:
        if trial.id in kept:
            with contextlib.suppress(TypeError):  # a line of another version
                found[trial.id] = Result(trial=trial, **kept[trial.id][1])
    return found


def ids(folder: Path) -> set[str]:
    """Of every whole line, planned or not."""
    return set(_lines(folder))


def _lines(folder: Path) -> dict[str, tuple[str, dict]]:
    """Whole lines and what they say, by id."""
    try:
        lines = (folder / NAME).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        try:
            body = json.loads(line)
            if body.pop("checksum") == digest(body):
                found[body.pop("id")] = line, body
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return found
