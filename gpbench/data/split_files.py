"""Splits as plain files, so that any library can train on exactly our rows and its predictions can be scored.

    OUT/export.json                   data set, options, split rule, seed-free facts, hash of the arrays of every trial
    OUT/trial-000/X_train.csv         raw inputs, a header line, one row per case   (also X_test.csv)
    OUT/trial-000/y_train.csv         raw targets (-1/+1 for classes)               (also y_test.csv)
    OUT/trial-000/train_index.csv     row of the data set for each training row     (also test_index.csv)

Predictions made on these splits are read by `gpbench score` (experiment/verify/score_predictions.py).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpbench.errors import DataError, StorageError
from gpbench.system.atomic_files import read_json, replacing

from . import splits
from .dataset import Dataset, Split, name_of
from .spec import load

VERSION = 1


@dataclass(frozen=True)
class ExportedTrial:
    """What scoring needs of one exported trial."""

    index: int
    split: Split
    y_train: np.ndarray
    y_test: np.ndarray


def export(
    spec: dict,
    split: dict | None,
    out_dir,
    trials: Iterable[int],
    rngs: Callable[[int], tuple],
    seed: int | None = None,
    keys: dict[int, str] | None = None,
    **places,
) -> Path:
    """Write the splits of the given trials; `rngs(index)` gives the runner's (data, split) generators of a trial.

    `seed` and `keys` (of each trial's data and split) are kept for `gpbench score --into`, which compares them.
    """
    out = Path(out_dir)
    facts = {"version": VERSION, "dataset": spec, "seed": seed, "trials": []}
    try:
        for index in trials:
            data_rng, split_rng = rngs(index)
            dataset = _loaded(spec, data_rng, places)
            rule = split or splits.default(dataset)
            rows = splits.draw(dataset, rule, split_rng, index)
            _write_trial(out / folder_name(index), dataset, rows)
            facts |= {"name": name_of(spec), "task": dataset.task, "split": rule, "notes": list(dataset.notes)}
            facts["trials"].append(
                {"index": index, "n_train": len(rows.train), "n_test": len(rows.test), "sha256": dataset.sha256,
                 "target_variance": float(np.var(dataset.y)), "key": (keys or {}).get(index)}
            )  # fmt: skip
        out.mkdir(parents=True, exist_ok=True)
        with replacing(out / "export.json") as file:
            file.write((json.dumps(facts, indent=2) + "\n").encode())
    except OSError as e:
        raise StorageError(f"cannot write {e.filename or out} ({e.strerror})") from e
    return out


def _loaded(spec: dict, rng, places: dict) -> Dataset:
    try:
        return load(spec, rng, **places)
    except SystemExit as e:  # of a plug-in; it would end the command with its code, 0 say
        raise DataError(f"dataset {name_of(spec)}: its load wanted to end the process (SystemExit: {e})") from e


def read(out_dir) -> tuple[dict, list[ExportedTrial]]:
    """The facts and the trials of an exported folder."""
    out = Path(out_dir)
    try:
        facts = read_json(out / "export.json")
        return facts, [_read_trial(out / folder_name(t["index"]), t["index"]) for t in facts["trials"]]
    except (OSError, ValueError, KeyError, TypeError, DataError) as e:
        raise DataError(f"{out} is not a folder written by `gpbench data export` ({e})") from e


def folder_name(index: int) -> str:
    return f"trial-{index:03d}"


def _write_trial(folder: Path, dataset: Dataset, rows: Split) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part, index in (("train", rows.train), ("test", rows.test)):
        X = dataset.X[index]
        names = ["input"] if X.ndim == 1 else [f"x{j + 1}" for j in range(X.shape[1])]
        _write(folder / f"X_{part}.csv", names, X.reshape(len(index), -1))
        _write(folder / f"y_{part}.csv", ["y"], dataset.y[index, None])
        _write(folder / f"{part}_index.csv", ["row"], index[:, None])


def _write(path: Path, names: list[str], rows: np.ndarray) -> None:
    with open(path, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(names)
        out.writerows(rows.tolist())  # Python's repr of a double: shortest text that reads back as the same number


def _read_trial(folder: Path, index: int) -> ExportedTrial:
    train, test = (np.loadtxt(folder / f"{p}_index.csv", skiprows=1, dtype=int, ndmin=1) for p in ("train", "test"))
    y_train, y_test = (np.loadtxt(folder / f"y_{p}.csv", skiprows=1, ndmin=1) for p in ("train", "test"))
    return ExportedTrial(index, Split(train, test, index), y_train, y_test)
