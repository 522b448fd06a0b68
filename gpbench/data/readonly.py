"""Read-only views of arrays, for methods and kernels, which may be a user's own code.

A view copies nothing and keeps the address of its numbers, because the rounding of sums depends on the address.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .dataset import Dataset
from .shards import Chosen


def read_only(rows):
    """A view in which an assignment raises ValueError; the array itself stays writable."""
    if isinstance(rows, Chosen):
        names = ("rows", "shift", "stretch")
        return replace(rows, **{name: read_only(getattr(rows, name)) for name in names})
    if not isinstance(rows, np.ndarray):
        return rows
    view = rows.view()
    view.setflags(write=False)
    return view


def copied(dataset: Dataset) -> Dataset:
    """The data set with copied arrays: a plug-in may keep its arrays and change them later."""
    split = dataset.published_split
    return replace(
        dataset,
        X=np.array(dataset.X),
        y=np.array(dataset.y),
        published_split=None if split is None else tuple(np.array(part) for part in split),
    )
