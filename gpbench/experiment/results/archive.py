"""archive.jsonl: every finished trial of a folder in one small file, without its trace.

Committed results have no trials/ (too many files). A run continues them from the archive: a trial with an undamaged
line counts as done. Each line carries its checksum; a run moves a line that was edited to quarantine/. A line keeps its
bytes until its trial has another result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpbench.experiment.plan.trial import Trial, digest

from .checked_files import Damaged, finite, unused, write_atomic
from .trial_result import TrialResult

NAME = "archive.jsonl"
_LEFT_OUT = ("trial", "trace")  # `trial` is in the plan; curves.csv keeps what reports need of `trace`


def write(folder: Path, results: list[TrialResult]) -> None:
    """Add these results; lines of other trials stay, because a later run may plan them again."""
    kept, _ = _lines(folder)
    lines = {id: line for id, (line, _) in kept.items()}
    for result in results:
        id = result.trial.id
        if id not in kept or _result(kept[id][1], result.trial) != replace(result, trace=[]):
            body = finite({"id": id} | {k: v for k, v in result.plain().items() if k not in _LEFT_OUT})
            lines[id] = json.dumps({"checksum": digest(body), **body}, allow_nan=False, separators=(",", ":"))
    if lines:
        _replace(folder, lines)


def adopt(folder: Path, source: Path, ids: set[str]) -> None:
    """Add the source's lines of these trials unchanged; damaged lines of the folder stay for `repair`."""
    kept, bad = _lines(folder)
    if new := {id: line for id, (line, _) in _lines(source)[0].items() if id in ids}:
        _replace(folder, {id: line for id, (line, _) in kept.items()} | new, bad)


def common(folder: Path, other: Path) -> set[str]:
    """Ids of lines that are equal in both archives, byte for byte: trials that one folder has from the other."""
    lines = {id: line for id, (line, _) in _lines(other)[0].items()}
    return {id for id, (line, _) in _lines(folder)[0].items() if lines.get(id) == line}


def read(folder: Path, trials: list[Trial]) -> dict[str, TrialResult]:
    """Archived results of these trials, by id."""
    kept, _ = _lines(folder)
    found = {t.id: _result(kept[t.id][1], t) for t in trials if t.id in kept}
    return {id: result for id, result in found.items() if result is not None}


def ids(folder: Path) -> set[str]:
    """Ids of all undamaged lines, planned or not."""
    return set(_lines(folder)[0])


def notes(folder: Path) -> dict[str, list[str]]:
    """Notes of the archived trials that have any, by id."""
    return {id: body["notes"] for id, (_, body) in _lines(folder)[0].items() if body.get("notes")}


def damaged(folder: Path) -> int:
    """Number of damaged lines."""
    return len(_lines(folder)[1])


def repair(folder: Path) -> int:
    """Move damaged lines to quarantine/; returns their number."""
    kept, bad = _lines(folder)
    if bad:
        write_atomic(unused(folder / "quarantine" / NAME), ("\n".join(bad) + "\n").encode())
        _replace(folder, {id: line for id, (line, _) in kept.items()})
    return len(bad)


def _replace(folder: Path, lines: dict[str, str], damaged: Iterable[str] = ()) -> None:
    content = "".join(line + "\n" for line in [*(lines[id] for id in sorted(lines)), *damaged]).encode()
    path = folder / NAME
    if not path.exists() or path.read_bytes() != content:
        write_atomic(path, content)


def _result(body: dict[str, Any], trial: Trial) -> TrialResult | None:
    try:
        return TrialResult.read(body, trial)
    except Damaged:
        return None


def _lines(folder: Path) -> tuple[dict[str, tuple[str, dict[str, Any]]], list[str]]:
    """Undamaged lines with their content, by id; and the damaged lines. A file that has not changed is parsed once."""
    try:
        state = (folder / NAME).stat()
        return _parsed(folder / NAME, state.st_ino, state.st_mtime_ns, state.st_size)
    except OSError:
        return {}, []


@lru_cache(maxsize=2)
def _parsed(path: Path, *_state: int) -> tuple[dict[str, tuple[str, dict[str, Any]]], list[str]]:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    found, bad = {}, []
    for line in filter(None, lines):
        try:
            body = json.loads(line)
            if body.pop("checksum") != digest(body):
                raise Damaged
            found[body.pop("id")] = line, body
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, Damaged):
            bad.append(line)
    return found, bad
