"""Rows in clusters of nearly equal size: halved again and again along the line through two distant points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Halving:
    """A tree of halvings. A leaf holds its rows; a node sends x left where x'direction <= threshold."""

    rows: np.ndarray | None = None  # of a leaf
    direction: np.ndarray | None = None  # (D,)
    threshold: float = 0.0
    left: Halving | None = None
    right: Halving | None = None

    @classmethod
    def of(cls, X, size: int, rng, rows=None) -> Halving:
        """As few leaves of at most `size` rows as can be, none larger than another by more than one row; O(n log n)."""
        rows = np.arange(len(X)) if rows is None else rows
        if len(rows) <= size:
            return cls(rows=rows)
        own = X[rows]
        start = own[rng.integers(len(rows))]
        direction = own[np.argmax(((own - start) ** 2).sum(1))] - start
        along = own @ direction
        leaves = -(-len(rows) // size)
        order, half = np.argsort(along, kind="stable"), len(rows) * (leaves // 2) // leaves
        parts = (cls.of(X, size, rng, rows[part]) for part in (order[:half], order[half:]))
        return cls(None, direction, 0.5 * float(along[order[half - 1]] + along[order[half]]), *parts)

    def leaves(self) -> list[np.ndarray]:
        if self.rows is not None:
            return [self.rows]
        assert self.left and self.right
        return [*self.left.leaves(), *self.right.leaves()]

    def assign(self, X) -> np.ndarray:
        """Number of the leaf, in the order of `leaves`, that each x falls into   (t,)."""
        if self.rows is not None:
            return np.zeros(len(X), dtype=np.int64)
        assert self.left and self.right
        left = X @ self.direction <= self.threshold
        out = np.empty(len(X), dtype=np.int64)
        out[left] = self.left.assign(X[left])
        out[~left] = len(self.left.leaves()) + self.right.assign(X[~left])
        return out
