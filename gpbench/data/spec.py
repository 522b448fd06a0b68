"""Load the `dataset` of a config: {name: ...}, {csv: path, target: column}, {npy: folder} or {parquet: pattern}."""

from __future__ import annotations

import numpy as np
from pydantic import ValidationError

from gpbench import catalog
from gpbench.errors import ConfigError, DataError

from . import shards, table_arrays
from .dataset import Dataset, name_of
from .fetch import obtain
from .source import Source
from .tables import csv_file, parquet_files
from .validation import checked


def source_of(spec: dict) -> Source:
    """The data set's source with its options; an unknown name or option is a ConfigError."""
    options = {k: v for k, v in spec.items() if k != "name"}
    cls = catalog.find("dataset", spec["name"])
    try:
        return cls(**options)
    except ValidationError as e:
        first = e.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"dataset {spec['name']}: {where}: {first['msg']}") from e


def load(spec: dict, rng: np.random.Generator | None = None, offline=None, mirror=None, data_dir=None) -> Dataset:
    """The data set, downloaded if necessary; only sets that are generated per trial use `rng`.

    `offline`, `mirror` and `data_dir` default to GPBENCH_OFFLINE, GPBENCH_MIRROR and GPBENCH_DATA (datasets/).
    """
    if "csv" in spec and "columns" in spec:
        return table_arrays.read(spec, obtain.Places.find(None, None, data_dir).data)
    if "csv" in spec:
        return csv_file.read(**spec)
    if is_large(spec):
        return _large(spec, data_dir)
    found = source_of(spec)
    if found.generated or not found.copies:  # a plug-in's class may have no files
        return checked(spec["name"], found.load({}, rng))
    return obtain.obtain(found, obtain.Places.find(offline, mirror, data_dir)).dataset


def is_large(spec: dict) -> bool:
    return "npy" in spec or "parquet" in spec


def content_hash(spec: dict) -> str | None:
    """Hash of the user's own files; None for a named data set."""
    if "csv" in spec:
        return csv_file.file_hash(spec["csv"])
    if "npy" in spec:
        return shards.content_hash(f for pair in shards.Inputs(spec["npy"]).files for f in pair)
    return shards.content_hash(parquet_files.paths(spec["parquet"])) if "parquet" in spec else None


def _large(spec: dict, data_dir=None) -> Dataset:
    """A data set whose inputs stay on disk; targets, one number per row, are in memory."""
    found = content_hash(spec)
    if spec.get("sha256", found) != found:
        raise DataError(f"{name_of(spec)}: has changed since the run was planned; put it back or start a new run")
    folder = spec.get("npy")
    if folder is None:
        where = obtain.Places.find(None, None, data_dir).data
        folder = parquet_files.converted(spec["parquet"], spec["target"], found, where)
    X = shards.Inputs(str(folder))
    return Dataset(name_of(spec), X, X.targets(), notes=("rows beyond memory",), sha256=found)


def at_hand(spec: dict, mirror=None, data_dir=None) -> bool:
    """Whether no download is necessary: generated, the user's file, cached or in the mirror folder."""
    if "csv" in spec:
        return csv_file.exists(spec["csv"])
    if is_large(spec):
        return True
    found = source_of(spec)
    return found.generated or not found.copies or obtain.at_hand(found, obtain.Places.find(True, mirror, data_dir))


def resolve_first_of(specs: list[dict], offline=None, mirror=None, data_dir=None) -> tuple[dict, str]:
    """The first data set that can be obtained, and a notice with the reason if it is not the first listed."""
    if not specs:
        raise ConfigError("dataset: first_of is empty")
    reasons = []
    for spec in specs:
        try:
            if not at_hand(spec, mirror, data_dir):
                load(spec, None, offline, mirror, data_dir)
        except DataError as e:
            reasons.append(str(e))
            continue
        if not reasons:
            return spec, ""
        return spec, f"using {name_of(spec)} instead of {name_of(specs[0])}: {reasons[0]}"
    raise DataError("none of the data sets of first_of can be had: " + "; ".join(reasons))
