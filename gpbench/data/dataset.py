"""A data set: raw inputs and targets, and their provenance."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpbench.text import printable


class Kind(NamedTuple):
    """What is predicted."""

    task: str  # or "classification"
    classes: int = 2  # of classification data


REGRESSION = Kind("regression")


@dataclass(frozen=True)
class Dataset:
    """Rows of a data set, raw as they come: a method sees the scaled rows of a training part.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import Dataset
    >>> Dataset("mine", np.zeros((4, 2)), np.arange(4.0), simulated=True).n
    4
    """

    name: str
    X: np.ndarray  # (n, D) raw inputs, or (n,) objects for kernels on discrete inputs
    y: np.ndarray  # (n,) raw targets; of two classes -1/+1, of K > 2 their numbers 0 to K-1
    task: str = "regression"  # or "classification"
    published_split: tuple[np.ndarray, np.ndarray] | None = None  # rows of the train and the test part, for all trials
    simulated: bool = False  # a generated stand-in; every table says so
    notes: tuple[str, ...] = ()  # remarks on provenance, printed with every number
    sha256: str = ""  # of the processed arrays; enters the trial's id
    weight: np.ndarray | None = None  # (n,) > 0: the noise variance of a row is divided by it
    noise_variance: np.ndarray | None = None  # (n,) >= 0: known, in squared units of the target
    test_masks: np.ndarray | None = None  # (n, splits) of several published splits, one a trial: True = test row
    labels: tuple = ()  # of the classes, in the order of their numbers, where they are known

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def kind(self) -> Kind:
        return Kind(self.task, max(2, len(self.labels)))

    @property
    def published_splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows of the train and the test part of every published split."""
        if self.test_masks is not None:
            return [(np.flatnonzero(~mask), np.flatnonzero(mask)) for mask in self.test_masks.T]
        return [] if self.published_split is None else [self.published_split]


@dataclass(frozen=True)
class Split:
    train: np.ndarray  # rows of the data set
    test: np.ndarray
    index: int  # number of the repetition


OWN = ("csv", "npy", "parquet")  # keys for the user's own data


def name_of(spec: dict) -> str:
    """Name in tables of the data described by {"name": ...} or {"csv": path, ...}."""
    own = next((spec[k] for k in OWN if k in spec), "")
    return spec.get("name") or spec.get("label") or printable(_of_pattern(own) if "parquet" in spec else Path(own).name)


def _of_pattern(pattern: str) -> str:
    """Name of a pattern: taxi for taxi/*.parquet, taxi-*.parquet and taxi/year=*/part-*.parquet."""
    path, wild = Path(pattern).absolute(), re.compile(r"[*?\[]")
    if not wild.search(path.name):
        return path.name
    said = wild.split(path.name)[0].strip("-_. ")
    folders = [p.name for p in path.parents if p.name and not wild.search(p.name)]
    return said if said not in ("", "part") else (folders or [path.name])[0]


def first_equal(X: np.ndarray) -> np.ndarray:
    """For each row the number of the first row with the same inputs, which may be itself   (n,)."""
    rows = X.astype(str) if X.dtype == object else np.ascontiguousarray(X + 0.0)  # -0.0 becomes 0.0
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(row.tobytes(), i) for i, row in enumerate(rows)], dtype=int)


def fingerprint(X: np.ndarray, y: np.ndarray) -> str:
    """sha256 of the processed arrays: shapes, then little-endian doubles row by row (text inputs as UTF-8 lines)."""
    h = hashlib.sha256(f"{X.shape} {y.shape}\n".encode())
    for a in (X, y):
        if a.dtype == object:
            h.update("\n".join(map(str, a)).encode())
        else:
            h.update(np.ascontiguousarray(a, dtype="<f8").tobytes())
    return h.hexdigest()
