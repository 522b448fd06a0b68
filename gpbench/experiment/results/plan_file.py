"""plan.json: the planned trials of a folder, in groups that differ only in the repetition.

A folder has it from the beginning of its first run, and committed folders have it, too: reports read from it the
settings of each row of results.csv. Folders made before 0.3 have manifest.json instead, with one entry for each trial.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gpbench.experiment.plan.trial import Trial, digest

from .checked_files import finite, read_checked

NAME, BEFORE = "plan.json", "manifest.json"


def content(name: str, version: str, trials: Iterable[Trial]) -> bytes:
    """The bytes of plan.json: one line for each group of trials, with the number and the id of each repetition."""
    groups: dict[str, dict[str, Any]] = {}
    for trial in trials:
        settings = finite({k: v for k, v in asdict(trial).items() if k != "index"})
        group = groups.setdefault(digest(settings), {"settings": settings, "repetitions": []})
        group["repetitions"].append([trial.index, trial.id])
    body = {"name": name, "gpbench": version, "groups": list(groups.values())}
    head = json.dumps({"checksum": digest(body), "name": name, "gpbench": version})
    lines = ",\n".join(json.dumps(group, separators=(",", ":"), allow_nan=False) for group in groups.values())
    return f'{head[:-1]}, "groups": [\n{lines}\n]}}\n'.encode()


def read(folder: Path) -> dict[str, Any]:
    """The checked content of plan.json or, in a folder of before 0.3, of manifest.json."""
    with contextlib.suppress(FileNotFoundError):
        return read_checked(folder / NAME)
    return read_checked(folder / BEFORE)


def settings(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Settings of each trial with its repetition (`index`), by id."""
    if "groups" not in body:
        return {trial["id"]: trial for trial in body["trials"]}
    return {id: group["settings"] | {"index": k} for group in body["groups"] for k, id in group["repetitions"]}
