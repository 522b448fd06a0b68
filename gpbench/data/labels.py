"""Numbers for the labels of classes: -1 and +1 of two, 0 to K-1 of more, in the order of the sorted labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpbench.errors import DataError


def coded(y, labels: Sequence = ()) -> tuple[np.ndarray, tuple]:
    """(numbers of the classes, labels in their order). Without `labels`, -1 and +1 stay, and others are sorted.

    With `labels`, y holds them or, as whole numbers, their places.
    """
    y = np.asarray(y)
    if not len(labels):
        if y.dtype.kind in "iuf" and np.isin(y, (-1, 1)).all():
            return y, ()
        labels = sorted_labels(y).tolist()
        return numbered(y, labels), tuple(labels)
    if y.dtype.kind in "buif" and not all(isinstance(label, (int, float)) for label in labels):
        labels_of = np.array(labels, dtype=object)
        y = labels_of[y.astype(int)]
    return numbered(y, labels), tuple(labels)


def sorted_labels(y) -> np.ndarray:
    """The different labels in order; DataError says what y has, if they cannot be compared or are fewer than two."""
    y = np.asarray(y)
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise DataError(f"contains NaN or infinity in row {int(np.argmin(np.isfinite(y)))}; drop the row")
        if (broken := y != np.round(y)).any():
            raise DataError(f"contains {y[np.argmax(broken)]:g}: classes are texts or whole numbers")
    if gaps := [i for i, value in enumerate(y) if _is_gap(value)] if y.dtype == object else []:
        raise DataError(f"contains a missing class in row {gaps[0]}; drop the row")
    try:
        found = np.unique(y)
    except TypeError as e:
        kinds = " and ".join(sorted({type(value).__name__ for value in y}))
        raise DataError(f"contains classes of several kinds ({kinds}); make all of them text, or all numbers") from e
    if len(found) < 2:
        raise DataError(f"has one class only ({', '.join(map(str, found))}): a classifier needs rows of two classes")
    return found


def numbered(y, labels: Sequence) -> np.ndarray:
    """Doubles in place of labels: their places in `labels`, of two labels -1 and +1   (n,)."""
    y = np.asarray(y)
    if len(labels) == 2:
        return np.where(y == labels[1], 1.0, -1.0)
    found = np.zeros(len(y))
    for k, label in enumerate(labels):
        found[y == label] = k
    return found


def _is_gap(value) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
