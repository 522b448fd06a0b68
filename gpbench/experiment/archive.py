"""archive.jsonl: every finished trial of a folder in one small file, without its trace.

Committed results have no trials/ (too many files). With the archive the same command continues them all the same: a
trial whose line is whole counts as done. Each line carries its checksum, so a line that was edited is passed over.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from .records import Result, Trial, digest
from .storage import finite, write_atomic

NAME = "archive.jsonl"
_LEFT_OUT = ("trial", "trace")  # the plan has the one; curves.csv keeps what reports need of the other


def write(folder: Path, results: list[Result]) -> None:
    lines = []
    for result in sorted(results, key=lambda r: r.trial.id):
        body = finite({"id": result.trial.id} | {k: v for k, v in asdict(result).items() if k not in _LEFT_OUT})
        lines.append(json.dumps({"checksum": digest(body), **body}, allow_nan=False, separators=(",", ":")))
    content = "".join(line + "\n" for line in lines).encode()
    path = folder / NAME
    if lines and (not path.exists() or path.read_bytes() != content):
        write_atomic(path, content)


def read(folder: Path, trials: list[Trial]) -> dict[str, Result]:
    """Archived results of these trials, by id."""
    wanted = {t.id: t for t in trials}
    found = {}
    try:
        lines = (folder / NAME).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return found
    for line in lines:
        try:
            body = json.loads(line)
            whole = body.pop("checksum") == digest(body)
            if whole and (trial := wanted.get(body.pop("id"))):
                found[trial.id] = Result(trial=trial, **body)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return found
