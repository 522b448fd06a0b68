"""Data sets as a config lists them: a name with options, a user's file, or the first at hand of several."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpbench import catalog
from gpbench.data.dataset import Dataset, name_of
from gpbench.data.spec import content_hash
from gpbench.data.splits import make_split, too_few
from gpbench.data.tables import csv_file
from gpbench.data.tables.csv_columns import Choices
from gpbench.errors import ConfigError, DataError

from .document_checker import Reader, check_name, label_of, shown
from .yaml_document import Keys

LARGE_KEYS = {"npy": ("npy",), "parquet": ("parquet", "target")}
CSV_KEYS = ("csv", "target", "task", "label", *Choices.model_fields)


@dataclass(frozen=True)
class DatasetEntry:
    alternatives: tuple[dict, ...]  # {"name": ..., options} or {"csv": path, "target": ...}; the first at hand is used
    task: str
    settings: dict  # split, scale, ... of this data set alone
    params: dict  # method parameters of this data set alone
    keys: Keys  # where it stands in the document
    label: str = ""  # how tables and figures call it; empty: its name
    classes: int = 2  # of classification data, as far as they are known

    @property
    def names(self) -> list[str]:
        return [name_of(a) for a in self.alternatives]

    @property
    def n_train(self) -> int | None:
        """Training rows where the entry itself says how many."""
        return (self.settings.get("split") or {}).get("n_train") or self.alternatives[0].get("n_train")


def classes_of(reader: Reader, alternatives: list[dict]) -> int:
    """Classes of the data set, of several the most."""
    named = [len(catalog.find("dataset", a["name"]).labels) for a in alternatives if "name" in a]
    return max([2, *named, *(len(looked.labels) for _, looked in files_of(reader, alternatives))])


def files_of(reader: Reader, alternatives: Iterable[dict]) -> list[tuple[dict, Any]]:
    """The user's files among the alternatives, with what was read from them."""
    return [reader.files[id(a)] for a in alternatives if id(a) in reader.files]


def tasks_of(data: dict) -> set[str]:
    """Tasks of the data sets that a config names, as far as they are known; faults are reported elsewhere."""
    found, pending = set(), [data.get("dataset"), data.get("datasets")]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict) and ("first_of" in item or "name" in item):
            pending.append(item.get("first_of") or item["name"])
        elif isinstance(item, dict) and "csv" in item:
            found.add(str(item.get("task", "regression")))
        elif isinstance(item, str):
            with contextlib.suppress(ConfigError):
                found.add(catalog.find("dataset", item).task)
    return found


def alternative(reader: Reader, data: Any, keys: Keys, folder: Path) -> tuple[dict, str, set[str]] | None:
    """One data set: its plain form, its task, and the keys that are its own options."""
    if isinstance(data, str):
        data = {"name": data}
        name_keys = keys
    else:
        data = reader.mapping(data, keys, "dataset")
        name_keys = (*keys, "name")
    if data is None:
        return None
    if "csv" in data:
        return _csv(reader, data, keys, folder)
    for kind in ("npy", "parquet"):
        if kind in data:
            return _large(reader, kind, data, keys, folder)
    if "name" not in data:
        reader.fault(keys, "dataset: one of 'name', 'csv', 'npy', 'parquet' or 'first_of' is missing")
        return None
    if not check_name(reader, data["name"], name_keys, "dataset"):
        return None
    cls = reader.attempt(name_keys, catalog.find, "dataset", data["name"])
    if cls is None:
        return None
    own = {k: v for k, v in data.items() if k in cls.model_fields}
    source = reader.validate(cls, own, keys)
    plain = {"name": cls.name, **(source.model_dump(mode="json") if source else {})}
    return plain, cls.task, {"name", *cls.model_fields}


def _csv(reader: Reader, data: dict, keys: Keys, folder: Path) -> tuple[dict, str, set[str]] | None:
    if not _texts(reader, data, keys, ("csv", "target")):
        return None
    task = data.get("task", "regression")
    if task not in ("regression", "classification"):
        reader.fault((*keys, "task"), f"'task': expected regression or classification, got {shown(task)}")
        return None
    path = next((p for p in (folder / data["csv"], Path(data["csv"])) if p.is_file()), None)
    if path is None:
        reader.fault((*keys, "csv"), f"no file {data['csv']}, neither beside the config nor here")
        return None
    choices = reader.validate(Choices, {k: data[k] for k in Choices.model_fields if k in data}, keys)
    if choices is None:  # check the names nevertheless, to report every fault at once
        named = {
            k: v
            for k in ("drop", "inputs")
            if isinstance(v := data.get(k), list) and all(isinstance(c, str) for c in v)
        }
        for fault in csv_file.names_wrong(str(path), data["target"], Choices(**named)):
            reader.fault((*keys, "csv"), fault, of_data=True)
        return None
    looked = csv_file.look(str(path), data["target"], task, choices)
    for fault in looked.faults:
        reader.fault((*keys, "csv"), fault, of_data=True)
    plain = {"csv": str(path), "target": data["target"], "task": task, **choices.model_dump(exclude_unset=True)}
    if "label" in data:
        plain["label"] = label_of(reader, data, keys, path.stem)
    reader.files[id(plain)] = plain, looked
    return plain, task, set(CSV_KEYS)


def _texts(reader: Reader, data: dict, keys: Keys, wanted: tuple[str, ...]) -> bool:
    """Whether each of these keys has a text; the first that has none is a fault."""
    for key in wanted:
        if not isinstance(data.get(key), str) or not data[key]:
            wrong = f"'{key}': expected text, got {shown(data[key])}" if key in data else f"'{key}' is missing"
            reader.fault((*keys, key), wrong)
            return False
    return True


def _large(reader: Reader, kind: str, data: dict, keys: Keys, folder: Path) -> tuple[dict, str, set[str]] | None:
    """Rows beyond memory: a folder of shards, or parquet files by a pattern and their target."""
    wanted = LARGE_KEYS[kind]
    if not _texts(reader, data, keys, wanted):
        return None
    for path in (
        str(folder / data[kind]),
        data[kind],
    ):  # beside the config, else in the working directory
        try:
            content_hash({**data, kind: path})
        except DataError as e:
            complaint = e
            continue
        plain = {kind: path, **{k: data[k] for k in wanted if k != kind}}
        if "label" in data:
            plain["label"] = label_of(reader, data, keys, Path(path).stem)
        return plain, "regression", {*wanted, "label"}
    reader.fault((*keys, kind), str(complaint), of_data=True)
    return None


def remarks(entry: DatasetEntry) -> list[str]:
    """Remarks about unusual contents of the user's files among the alternatives."""
    files = [a for a in entry.alternatives if "csv" in a]
    own = [Choices(**{k: a[k] for k in Choices.model_fields if k in a}) for a in files]
    return [r for a, c in zip(files, own) for r in csv_file.look(a["csv"], a["target"], a["task"], c).told()]


def check_split(reader: Reader, entry: DatasetEntry, split: dict) -> None:
    """Report a user's file whose rows cannot be split as the config says."""
    for source, looked in files_of(reader, entry.alternatives):
        if looked.y is None:
            continue  # its faults are reported already
        try:
            make_split(Dataset(name_of(source), looked.X, looked.y, entry.task), split, np.random.default_rng(0), 0)
        except DataError as e:
            reader.fault(entry.keys, str(e), of_data=True)


def check_trials(reader: Reader, entry: DatasetEntry, split: dict, trials: int, place: Keys) -> None:
    """Report more repetitions than a data set has published splits; each repetition uses one split."""
    if split.get("kind", "published") != "published":
        return
    for name in (a["name"] for a in entry.alternatives if "name" in a):
        published = catalog.find("dataset", name).splits
        if published is not None and trials > published:
            reader.fault(place, too_few(name, published, trials))


def first_of(reader: Reader, data: dict, keys: Keys, folder: Path) -> tuple[list[dict], str, set[str]] | None:
    items = data["first_of"]
    if not isinstance(items, list) or not items:
        reader.fault((*keys, "first_of"), f"'first_of': expected a list of data sets, got {shown(items)}")
        return None
    found = []
    for i, item in enumerate(items):
        place = (*keys, "first_of", i)
        one = alternative(reader, item, place, folder)
        if one and isinstance(item, dict):
            for key in item.keys() - one[2]:
                reader.unknown_key((*place, key), one[2])
        found.append(one)
    if None in found:
        return None
    tasks = {task for _, task, _ in found}
    if len(tasks) > 1:
        reader.fault((*keys, "first_of"), "'first_of': all data sets must be of one task")
    return [plain for plain, _, _ in found], found[0][1], {"first_of"}
