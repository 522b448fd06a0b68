"""Symbolic analysis for the multifrontal Cholesky, from the elimination tree on: supernodes, rows, relative indices.

A *front* is a supernode with its columns J (consecutive after the ordering) and the rows R below them where its columns
have entries. Fronts are numbered in postorder, so children come before their parent and the root is last.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit

from .elimination import Elimination, eliminate

WIDEST = 96  # columns of a front: a narrow one costs its block of sites less, a wide one does more in each product


class Tree(NamedTuple):
    """The tree of fronts as compiled code sees it. Positions are in the permuted order."""

    first: np.ndarray  # (k+1,) front f has columns first[f] .. first[f+1]-1
    row_start: np.ndarray  # (k+1,) its rows R are rows[row_start[f] : row_start[f+1]], increasing
    rows: np.ndarray
    place: np.ndarray  # where each of these rows stands in the parent's front (its J, then its R)
    parent: np.ndarray  # (k,) -1 for roots
    has_child: np.ndarray  # (k,) bool
    heir: (
        np.ndarray
    )  # (k,) bool: R is the parent's whole front, and no child of the parent comes before in the postorder
    panel_start: np.ndarray  # (k+1,) front f's panel ((|J|+|R|) x |J|, column-major) in one long array
    z_start: np.ndarray  # (k,) where a front's inverse is kept while it and its children need it ...
    z_lead: np.ndarray  # (k,) ... with this distance between columns; an heir's holds its parent's in the lower right
    z_vector: np.ndarray  # (k,) where its part of a vector is kept


@dataclass(frozen=True)
class Fronts(Elimination):
    """Result of the symbolic analysis."""

    tree: Tree
    stack_size: int  # doubles the update matrices need at most
    tallest: int  # |R| at most
    z_size: int  # doubles the inverses of fronts need at most

    @property
    def count(self) -> int:
        return len(self.tree.parent)

    @property
    def stored(self) -> int:
        """Entries of L that are kept: the zeros of merged fronts, too."""
        width, height = np.diff(self.tree.first), np.diff(self.tree.row_start)
        return int((width * (width + 1) // 2 + width * height).sum())


def analyse(A: sp.spmatrix, perm) -> Fronts:
    """Fronts of the Cholesky factor of A (symmetric pattern, full diagonal assumed) in the given elimination order."""
    e, start, indices = eliminate(A, perm, postorder=True)
    first = _split(_merge(_fundamental(e.parent, e.counts), e.parent, e.counts), WIDEST)
    row_start, rows, front_parent = _structures(start, indices, first)
    place = _places(first, row_start, rows, front_parent)
    width, height = np.diff(first), np.diff(row_start)
    panel_start = np.r_[0, np.cumsum((width + height) * width)]
    has_child, heir = _heirs(width + height, height, front_parent)
    places, z_size = _inverse_places(width, height, front_parent, heir)
    tree = Tree(first, row_start, rows, place, front_parent, has_child, heir, panel_start, *places)
    tallest, stack_size = int(height.max(initial=0)), _stack_size(height, front_parent, heir)
    return Fronts(**vars(e), tree=tree, stack_size=stack_size, tallest=tallest, z_size=z_size)


@njit(cache=True)
def _fundamental(parent, counts):
    """First columns of maximal runs of columns with nested structure, and n."""
    n = len(parent)
    children = np.zeros(n + 1, dtype=np.int64)
    for j in range(n):
        children[parent[j]] += 1  # the roots' -1 counts in the last, unused place
    starts = [0]
    for j in range(1, n):
        if not (parent[j - 1] == j and counts[j - 1] == counts[j] + 1 and children[j] == 1):
            starts.append(j)
    if n:
        starts.append(n)
    return np.array(starts)


@njit(cache=True)
def _merge(first, parent, counts):
    """Join a front with its parent when they are neighbours and the zeros this stores are few or the fronts tiny."""
    k = len(first) - 1
    starts, heights, zeros = np.empty(k + 1, np.int64), np.empty(k, np.int64), np.zeros(k)
    top = -1
    for f in range(k):
        top += 1
        starts[top], zeros[top] = first[f], 0.0
        end = first[f + 1]
        heights[top] = counts[end - 1] - 1  # |R|
        while top > 0:
            # the front below in the list is a child exactly if its last column's parent lies in this front
            low, mid = starts[top - 1], starts[top]
            up = parent[mid - 1]
            if up < mid or up >= end:
                break
            w1, w2, h1, h2 = mid - low, end - mid, heights[top - 1], heights[top]
            new = zeros[top - 1] + zeros[top] + w1 * (w2 + h2 - h1)
            width = w1 + w2
            total = width * (width + 1) / 2 + width * h2
            share = new / total
            limit = 0.8 if width <= 8 else 0.35 if width <= 24 else 0.12 if width <= 64 else 0.04
            if share > limit and new > 0:
                break
            starts[top - 1], heights[top - 1], zeros[top - 1] = low, h2, new
            top -= 1
    out = np.empty(top + 2, np.int64)
    out[: top + 1] = starts[: top + 1]
    out[top + 1] = first[k]
    return out


def _split(first, widest: int):
    """Cut wide fronts into chains of nearly equal ones."""
    pieces = [np.linspace(a, b, -(-(b - a) // widest) + 1).astype(np.int64)[:-1] for a, b in pairwise(first)]
    return np.concatenate([*pieces, first[-1:]]) if len(first) > 1 else np.zeros(1, np.int64)


@njit(cache=True)
def _structures(indptr, indices, first):
    """Rows below each front and its parent: the union of its columns' entries and of its children's rows."""
    n, k = len(indptr) - 1, len(first) - 1
    owner = np.empty(n, np.int64)
    for f in range(k):
        owner[first[f] : first[f + 1]] = f
    parent = np.full(k, -1)
    head, sibling = np.full(k, -1), np.full(k, -1)
    row_start = np.zeros(k + 1, np.int64)
    rows = np.empty(max(16, 4 * len(indices)), np.int64)
    mark = np.full(n, -1)
    used = 0
    for f in range(k):
        begin, end = used, first[f + 1]
        if used + n > len(rows):
            grown = np.empty(2 * len(rows) + n, np.int64)
            grown[:used] = rows[:used]
            rows = grown
        for j in range(first[f], end):
            for p in range(indptr[j], indptr[j + 1]):
                i = indices[p]
                if i >= end and mark[i] != f:
                    mark[i] = f
                    rows[used] = i
                    used += 1
        child = head[f]
        while child != -1:
            for p in range(row_start[child], row_start[child + 1]):
                i = rows[p]
                if i >= end and mark[i] != f:
                    mark[i] = f
                    rows[used] = i
                    used += 1
            child = sibling[child]
        rows[begin:used].sort()
        row_start[f + 1] = used
        if used > begin:
            parent[f] = owner[rows[begin]]
            sibling[f] = head[parent[f]]
            head[parent[f]] = f
    return row_start, rows[:used].copy(), parent


@njit(cache=True)
def _places(first, row_start, rows, parent):
    place = np.empty(len(rows), np.int64)
    for f in range(len(parent)):
        up = parent[f]
        if up < 0:
            continue
        q, end, width = row_start[up], first[up + 1], first[up + 1] - first[up]
        for p in range(row_start[f], row_start[f + 1]):
            i = rows[p]
            if i < end:
                place[p] = i - first[up]
            else:
                while rows[q] != i:
                    q += 1
                place[p] = width + q - row_start[up]
    return place


@njit(cache=True)
def _heirs(size, height, parent):
    """Which fronts have children; which may lie in one array with their parent's, the parent's in its lower right."""
    k = len(parent)
    has_child, heir = np.zeros(k, np.bool_), np.zeros(k, np.bool_)
    for f in range(k):
        up = parent[f]
        if up >= 0:
            heir[f] = not has_child[up] and height[f] == size[up]
            has_child[up] = True
    return has_child, heir


@njit(cache=True)
def _stack_size(height, parent, heir):
    """Most doubles of update matrices alive at once, played through as `_factorise` does."""
    k = len(parent)
    waiting, extent = np.empty(k, np.int64), np.empty(k, np.int64)
    alive, top, most = 0, 0, 0
    for f in range(k):
        low = alive
        while low and parent[waiting[low - 1]] == f:
            low -= 1
            top -= extent[low]
        own = extent[low] if low < alive and heir[waiting[low]] else height[f] ** 2
        alive = low
        if height[f]:
            waiting[alive], extent[alive] = f, own
            alive += 1
            top += own
            most = max(most, top)
    return most


@njit(cache=True)
def _inverse_places(width, height, parent, heir):
    """Top-down, a front's inverse lives above its ancestors', but for heirs: they lie around their parent's.

    Every chain of heirs is one square, as large as the lowest front's inverse, with a vector behind it.
    """
    k = len(parent)
    lead = width + height
    for f in range(k):  # the lowest front of a chain comes first
        if heir[f]:
            lead[parent[f]] = lead[f]
    start, vector, end, most = np.zeros(k, np.int64), np.zeros(k, np.int64), np.zeros(k, np.int64), 0
    for f in range(k - 1, -1, -1):
        up = parent[f]
        if heir[f]:
            start[f], end[f] = start[up] - width[f] * (lead[f] + 1), end[up]
        else:
            before = lead[f] - width[f] - height[f]  # rows of the fronts further down the chain
            base = end[up] if up >= 0 else 0
            start[f], end[f] = base + before * (lead[f] + 1), base + lead[f] * (lead[f] + 1)
        vector[f] = end[f] - width[f] - height[f]
        most = max(most, end[f])
    return (start, lead, vector), most
