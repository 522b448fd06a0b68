"""Check the result of a data set's `load`, because a plug-in may return anything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpbench.errors import DataError

from .dataset import Dataset, first_equal
from .labels import coded


def checked(name: str, dataset) -> Dataset:
    """The data set itself; DataError if it is not valid."""
    if not isinstance(dataset, Dataset):
        raise DataError(f"dataset {name}: load returned {type(dataset).__name__}, not a Dataset")
    if dataset.task == "classification" and np.ndim(dataset.y) == 1 and len(dataset.y):
        dataset = _with_numbers(name, dataset)
    X, y = np.asarray(dataset.X), np.asarray(dataset.y)
    if y.ndim != 1 or X.ndim not in (1, 2) or (X.ndim == 1 and X.dtype != object):
        raise DataError(f"dataset {name}: expected inputs (n, D) and targets (n,), got {X.shape} and {y.shape}")
    if len(X) != len(y):
        raise DataError(f"dataset {name}: {len(y)} targets for {len(X)} rows")
    if not len(y):
        raise DataError(f"dataset {name}: has no rows")
    for what, values in (("inputs", X), ("targets", y)):
        if values.ndim == 1 and values is X:
            continue  # objects of a kernel on discrete inputs
        if values.dtype.kind not in "buif":
            raise DataError(f"dataset {name}: {what} have type {values.dtype}, expected real numbers")
        if bad := np.argwhere(~np.isfinite(values)).tolist():
            raise DataError(f"dataset {name}: {what} are missing or infinite, first in row {bad[0][0]}")
    if (masks := dataset.test_masks) is not None and (masks.dtype != bool or masks.shape != (len(y), masks.shape[-1])):
        raise DataError(f"dataset {name}: expected masks of test rows, booleans ({len(y)}, splits), got {masks.shape}")
    for part in (rows for split in dataset.published_splits for rows in split):
        if len(part) and (np.min(part) < 0 or np.max(part) >= len(y)):
            raise DataError(f"dataset {name}: its published split names rows beyond the {len(y)} there are")
    return dataset


def _with_numbers(name: str, dataset: Dataset) -> Dataset:
    """Its labels, of any kind, as numbers of classes."""
    if dataset.labels and len(dataset.labels) > 2 and not set(np.unique(dataset.y)) <= set(range(len(dataset.labels))):
        raise DataError(f"dataset {name}: with {len(dataset.labels)} labels, y are their numbers from 0")
    if dataset.labels:
        return dataset
    try:
        y, labels = coded(dataset.y)
    except DataError as e:
        raise DataError(f"dataset {name}: its target {e}") from e
    return replace(dataset, y=y, labels=labels)


def repeated(X: np.ndarray) -> np.ndarray:
    """Rows with the same inputs as an earlier row, in order."""
    return np.flatnonzero(first_equal(X) != np.arange(len(X)))
