"""Orderings of points and their nearest neighbours among those that come earlier."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.spatial import cKDTree

GROWTH = 1.25  # a tree serves the rows from its size over this to its size: most of what it finds comes earlier


def earlier_neighbours(E, k: int) -> np.ndarray:
    """The k nearest of rows 0..i-1 for every row i > k of E   (n - k - 1, k); O(n log n) in few dimensions."""
    n = len(E)
    found = np.empty((max(n - k - 1, 0), k), dtype=np.int64)
    begin = k + 1
    while begin < n:
        end = min(n, int(np.ceil(GROWTH * begin)))
        tree, rows = cKDTree(E[:end]), np.arange(begin, end)
        wanted = min(end, int(k * GROWTH) + 8)
        while len(rows):
            near = tree.query(E[rows], wanted)[1].reshape(len(rows), wanted)
            taken, enough = _first_earlier(near, rows, k)
            found[rows[enough] - k - 1] = taken[enough]
            rows, wanted = rows[~enough], min(end, 2 * wanted)
        begin = end
    return found


@njit(cache=True)
def _first_earlier(near, rows, k):
    """The first k entries of each line of `near` below the line's own row, and whether there are so many."""
    taken = np.zeros((len(rows), k), np.int64)
    enough = np.zeros(len(rows), np.bool_)
    for i in range(len(rows)):
        count = 0
        for j in near[i]:
            if j < rows[i]:
                taken[i, count] = j
                count += 1
                if count == k:
                    enough[i] = True
                    break
    return taken, enough


@njit(cache=True)
def maximin_order(E):
    """Each point as far as can be from all before it, the one nearest the mean first; O(n^2), memory O(n)."""
    n, dims = E.shape
    order, square = np.empty(n, np.int64), np.empty(n)
    centre = np.zeros(dims)
    for i in range(n):
        centre += E[i] / n
    for i in range(n):
        square[i] = -np.sum((E[i] - centre) ** 2)
    latest = np.argmax(square)
    square[:] = np.inf
    for step in range(n):
        order[step] = latest
        square[latest] = -1.0
        furthest = -1.0
        chosen = latest
        for i in range(n):
            if square[i] < 0:
                continue
            total = 0.0
            for d in range(dims):
                total += (E[i, d] - E[chosen, d]) ** 2
            if total < square[i]:
                square[i] = total
            if square[i] > furthest:
                furthest, latest = square[i], i  # type: ignore[assignment]
    return order
