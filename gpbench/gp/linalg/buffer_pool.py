"""Reuse of arrays: an optimisation asks for arrays of one shape, and fresh memory pages cost more than sums."""

from __future__ import annotations

import weakref

import numpy as np

LIMIT = 1 << 28  # bytes that are kept at most
LINE = 8  # numbers in a cache line: where an array begins in one decides how its sums are rounded

_kept: list[np.ndarray] = []  # flat arrays that are not in use


def borrow(owner, shape: tuple[int, int]) -> np.ndarray:
    """An array (Fortran order, any numbers in it) that is the owner's until it dies; no view of it may live longer."""
    size = shape[0] * shape[1]
    flat = _fitting(size + LINE)
    weakref.finalize(owner, _keep, flat).atexit = False
    begin = -flat.ctypes.data // flat.itemsize % LINE
    return flat[begin : begin + size].reshape(shape, order="F")


def fresh(owner, shape: tuple[int, int]) -> np.ndarray:
    return np.empty(shape, order="F")


def _fitting(size: int) -> np.ndarray:
    while _kept:
        flat = _kept.pop()  # the list's own methods are safe between threads
        if size <= len(flat) <= 2 * size:
            return flat
    return np.empty(size)  # what did not fit has been let go


def _keep(flat: np.ndarray) -> None:
    if sum(other.nbytes for other in _kept) + flat.nbytes <= LIMIT:
        _kept.append(flat)
