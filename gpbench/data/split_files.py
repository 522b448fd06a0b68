"""Write splits as plain files, so that any library can train on the same rows and its predictions can be scored.

    OUT/export.json                   data set, options, split rule, seed-free facts, hash of the arrays of every trial,
                                      sha256 of every other file
    OUT/trial-000/X_train.csv         raw inputs, a header line, one row per case   (also X_test.csv)
    OUT/trial-000/y_train.csv         raw targets (-1/+1 for classes)               (also y_test.csv)
    OUT/trial-000/train_index.csv     row of the data set for each training row     (also test_index.csv)

Predictions made on these splits are read by `gpbench score` (experiment/verify/score_predictions.py).
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpbench.errors import DataError, StorageError
from gpbench.system.atomic_files import naming, raw_hash, read_json, replacing, replacing_files

from . import splits
from .dataset import Dataset, Split, name_of
from .spec import load

SEAL = "export.json"
VERSION = 2  # 1 had no hashes of the files
_OF_A_TRIAL = tuple(f"{kind}.csv" for part in ("train", "test") for kind in (f"X_{part}", f"y_{part}", f"{part}_index"))


@dataclass(frozen=True)
class ExportedTrial:
    """One exported repetition, for scoring."""

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
    """Write the splits of the given repetitions; `rngs(index)` gives the runner's (data, split) generators.

    `seed` and `keys` (of data and split) are stored for `gpbench score --into`, which compares them. An older export
    stays until the new one is complete.
    """
    out = Path(out_dir)
    facts = {"version": VERSION, "dataset": spec, "seed": seed, "trials": []}
    try:
        with replacing_files(out, SEAL) as staged:
            for index in trials:
                data_rng, split_rng = rngs(index)
                dataset = _loaded(spec, data_rng, places)
                rule = split or splits.default(dataset)
                rows = splits.make_split(dataset, rule, split_rng, index)
                _write_trial(staged, out, folder_name(index), _tables(dataset, rows))
                facts |= {"name": name_of(spec), "task": dataset.task, "split": rule, "notes": list(dataset.notes)}
                facts["trials"].append(
                    {"index": index, "n_train": len(rows.train), "n_test": len(rows.test), "sha256": dataset.sha256,
                     "target_variance": float(np.var(dataset.y)), "key": (keys or {}).get(index)}
                )  # fmt: skip
            names = _files(facts["trials"])
            facts["files"] = {name: raw_hash(staged / name) for name in names}
            with naming(out / SEAL), replacing(staged / SEAL) as file:
                file.write((json.dumps(facts, indent=2) + "\n").encode())
    except OSError as e:
        raise StorageError(f"cannot write {out} ({e.strerror})") from e
    return out


def _loaded(spec: dict, rng, places: dict) -> Dataset:
    try:
        return load(spec, rng, **places)
    except SystemExit as e:  # of a plug-in; it would end the command, even with code 0
        raise DataError(f"dataset {name_of(spec)}: its load wanted to end the process (SystemExit: {e})") from e


def read(out_dir) -> tuple[dict, list[ExportedTrial]]:
    """The facts and the repetitions of an exported folder; checks that its files are those of export.json."""
    out = Path(out_dir)
    with _exported(out):
        facts = read_json(out / SEAL)
        hashes = facts["files"] if has_hashes(facts) else {}
        others = [name for name in _files(facts["trials"]) if hashes and not _is(out / name, hashes[name])]
    if others:
        raise DataError(
            f"{out / others[0]} is not the file that {out / SEAL} describes ({len(others)} of {len(hashes)} files "
            "differ or are missing): write the folder again with `gpbench data export`"
        )
    with _exported(out):
        return facts, [_read_trial(out / folder_name(t["index"]), t["index"]) for t in facts["trials"]]


def has_hashes(facts: dict) -> bool:
    """Whether the export has hashes of its files; older versions wrote none."""
    return facts["version"] != 1


@contextlib.contextmanager
def _exported(out: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, DataError) as e:
        raise DataError(f"{out} is not a folder written by `gpbench data export` ({e})") from e


def _is(path: Path, sha256: str) -> bool:
    return path.is_file() and raw_hash(path) == sha256


def _files(trials: list[dict]) -> list[str]:
    """Names of the files of an export, without export.json."""
    return [f"{folder_name(t['index'])}/{name}" for t in trials for name in _OF_A_TRIAL]


def folder_name(index: int) -> str:
    return f"trial-{index:03d}"


def _tables(dataset: Dataset, rows: Split) -> list[tuple[list[str], np.ndarray]]:
    """Header and rows of each file of a repetition, in the order of their names."""
    found = []
    for index in (rows.train, rows.test):
        X = dataset.X[index]
        names = ["input"] if X.ndim == 1 else [f"x{j + 1}" for j in range(X.shape[1])]
        found += [(names, X.reshape(len(index), -1)), (["y"], dataset.y[index, None]), (["row"], index[:, None])]
    return found


def _write_trial(staged: Path, out: Path, folder: str, tables: list[tuple[list[str], np.ndarray]]) -> None:
    """Write the files of a repetition into a folder of `staged`; an error names the path below `out`."""
    with naming(out / folder):
        (staged / folder).mkdir()
    for name, (header, rows) in zip(_OF_A_TRIAL, tables):
        with naming(out / folder / name), replacing(staged / folder / name) as stream:
            stream.write(_csv(header, rows).encode())


def _csv(header: list[str], rows: np.ndarray) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows.tolist())  # Python's repr of a double: shortest text that reads back as the same number
    return out.getvalue()


def _read_trial(folder: Path, index: int) -> ExportedTrial:
    train, test = (np.loadtxt(folder / f"{p}_index.csv", skiprows=1, dtype=int, ndmin=1) for p in ("train", "test"))
    y_train, y_test = (np.loadtxt(folder / f"y_{p}.csv", skiprows=1, ndmin=1) for p in ("train", "test"))
    return ExportedTrial(index, Split(train, test, index), y_train, y_test)
