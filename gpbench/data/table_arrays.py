"""Arrays of a large csv that is read with `columns`: kept beside the cached data sets, so that a trial reads them once.

The file's name holds a hash of the csv, of how it is read and of the reader's version; a damaged file is written again.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np

from gpbench.errors import StorageError
from gpbench.system.atomic_files import writing

from .dataset import Dataset, fingerprint
from .tables import csv_file

SMALLEST = 500_000  # bytes of a csv whose arrays are kept
READING = 1  # version of data/tables: raised when the same csv gives other arrays


def read(spec: dict, folder: Path) -> Dataset:
    """The data set of a csv, from the kept arrays where they fit."""
    path = Path(spec["csv"])
    if not csv_file.exists(path) or path.stat().st_size < SMALLEST:
        return csv_file.read(**spec)
    own = {k: v for k, v in spec.items() if k not in ("csv", "label", "sha256")}
    key = json.dumps([READING, csv_file.file_hash(path), own], sort_keys=True)
    kept = folder / "tables" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.npz"
    found = _kept(kept, path, spec)
    if found is None or (spec.get("sha256") and spec["sha256"] != csv_file.file_hash(path)):
        found = csv_file.read(**spec)
        _keep(kept, found)
    return found


def _keep(kept: Path, found: Dataset) -> None:
    arrays = {"X": found.X, "y": found.y, "weight": found.weight, "noise_variance": found.noise_variance}
    more = {"notes": list(found.notes), "labels": list(found.labels), "task": found.task, "sha256": found.sha256}
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with writing(kept) as stream:
            np.savez(stream, more=np.array(json.dumps(more)), **{k: v for k, v in arrays.items() if v is not None})
    except (OSError, StorageError):
        pass  # the arrays are read again from the csv


def _kept(kept: Path, path: Path, spec: dict) -> Dataset | None:
    try:
        with np.load(kept, allow_pickle=False) as arrays:
            more = json.loads(str(arrays["more"]))
            found = {k: arrays[k] for k in arrays.files if k != "more"}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None
    if fingerprint(found["X"], found["y"]) != more["sha256"]:
        return None
    notes, labels = tuple(more["notes"]), tuple(more["labels"])
    of_rows = {k: found.get(k) for k in ("weight", "noise_variance")}
    return Dataset(spec.get("label") or path.stem, found["X"], found["y"], more["task"], notes=notes,
                   sha256=more["sha256"], labels=labels, **of_rows)  # fmt: skip
