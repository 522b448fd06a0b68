"""Symbolic analysis that every sparse factor of a symmetric pattern begins with: order, elimination tree, counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csc_matrix


@dataclass(frozen=True)
class Elimination:
    """Row k of the factor is row perm[k] of the matrix; all of it depends on the pattern only and is done once."""

    perm: np.ndarray  # (n,)
    inverse: np.ndarray  # (n,) of perm
    parent: np.ndarray  # (n,) elimination tree; -1 at a root
    counts: np.ndarray  # (n,) entries of each column of the factor, diagonal included

    @property
    def n(self) -> int:
        return len(self.perm)

    @property
    def nnz(self) -> int:
        """Entries of the factor that need not be zero."""
        return int(self.counts.sum())

    @property
    def fill(self) -> float:
        """nnz as a share of a full triangle ([vanhatalo]'s fill-L)."""
        return self.nnz / max(1.0, self.n * (self.n + 1) / 2)


def eliminate(pattern, perm, postorder: bool = False) -> tuple[Elimination, np.ndarray, np.ndarray]:
    """The analysis, and the csc pattern (indptr, indices) in its order, indices sorted.

    `pattern` is symmetric with a full diagonal. With `postorder` the order becomes one in which every subtree's columns
    stand side by side; no count changes.
    """
    A, perm = csc_matrix(pattern), np.asarray(perm, dtype=np.int64)
    start, rows = _permuted(A.indptr, A.indices, perm)
    parent = _elimination_tree(start, rows)
    post = _postorder(parent) if postorder else np.arange(len(perm))
    if not np.array_equal(post, np.arange(len(perm))):
        perm = perm[post]
        start, rows = _permuted(A.indptr, A.indices, perm)
        parent = _elimination_tree(start, rows)
    return Elimination(perm, np.argsort(perm), parent, _column_counts(start, rows, parent)), start, rows


@njit(cache=True)
def _permuted(indptr, indices, perm):
    """Pattern of A[perm][:, perm], indices sorted; A is symmetric, so each column is met by the others in order."""
    n = len(perm)
    position, start = np.empty(n, np.int64), np.zeros(n + 1, np.int64)
    for k in range(n):
        position[perm[k]] = k
        start[k + 1] = start[k] + indptr[perm[k] + 1] - indptr[perm[k]]
    rows, end = np.empty(start[n], np.int64), start[:-1].copy()
    for k in range(n):
        for p in range(indptr[perm[k]], indptr[perm[k] + 1]):
            j = position[indices[p]]
            rows[end[j]] = k
            end[j] += 1
    return start, rows


@njit(cache=True)
def _elimination_tree(indptr, indices):
    """Liu's algorithm with path compression."""
    n = len(indptr) - 1
    parent, ancestor = np.full(n, -1), np.full(n, -1)
    for k in range(n):
        for p in range(indptr[k], indptr[k + 1]):
            i = indices[p]
            while i != -1 and i < k:
                up = ancestor[i]
                ancestor[i] = k
                if up == -1:
                    parent[i] = k
                i = up
    return parent


@njit(cache=True)
def _postorder(parent):
    n = len(parent)
    head, sibling = np.full(n, -1), np.full(n, -1)
    for j in range(n - 1, -1, -1):
        if parent[j] != -1:
            sibling[j] = head[parent[j]]
            head[parent[j]] = j
    post, stack, k = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), 0
    for root in range(n):
        if parent[root] != -1:
            continue
        top = 0
        stack[0] = root
        while top >= 0:
            j = stack[top]
            if head[j] == -1:
                post[k] = j
                k += 1
                top -= 1
            else:
                child = head[j]
                head[j] = sibling[child]
                top += 1
                stack[top] = child
    return post


@njit(cache=True)
def _column_counts(indptr, indices, parent):
    """Entries of each column of L, diagonal included: row i of L is the subtree walked from the entries of row i."""
    n = len(parent)
    counts, mark = np.ones(n, dtype=np.int64), np.full(n, -1)
    for i in range(n):
        mark[i] = i
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            while j < i and mark[j] != i:
                counts[j] += 1
                mark[j] = i
                j = parent[j]
    return counts
