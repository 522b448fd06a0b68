"""Partial Cholesky factor of a covariance matrix that is known by its diagonal and by columns on request.

    K ~ V'V,   V (m, n),   V[:, pivots] = U upper triangular,   residual = diag(K - V'V)

V is [cao]'s L transposed, so that what they call a column lies in consecutive memory. Rows of V follow the order of the
pivots; a pivot is removed by moving it to the last place first, which leaves V'V as it is.
"""

from __future__ import annotations

import numpy as np

from .rotations import swap_down, swap_up, travel_down, travel_up

DEPENDENT = 1e-10  # a pivot whose residual is below this share of its variance adds nothing but rounding errors
FOR_GOOD = 10 * DEPENDENT  # the same for pivots that never leave again, whose errors are there to stay


def padded(rows: int, columns: int) -> np.ndarray:
    """Zeros with at least that many columns: rows lie an odd number of cache lines apart, or they would share sets."""
    lines = -(-columns // 8)
    return np.zeros((rows, (lines + 1 - lines % 2) * 8))


class PartialCholesky:
    """Grows by `append`, shrinks by `pop`; moving a pivot costs O(n) per place."""

    def __init__(self, n: int, capacity: int):
        self._V, self._U = padded(capacity, n), padded(capacity, capacity)
        self.V, self.U = self._V[:, :n], self._U[:, :capacity]
        self.pivots, self.size = np.full(capacity, -1), 0

    @property
    def rows(self) -> np.ndarray:
        return self.V[: self.size]

    def column(self, j: int, k) -> np.ndarray:
        """(K - V'V)[:, j] from k = K[:, j]; one pass over V."""
        return k - self.V[: self.size, j] @ self.V[: self.size]

    def append(self, j: int, row, pivot: float) -> None:
        """Take j as the last pivot; pivot = sqrt((K - V'V)_jj), row = column(j, k) / pivot."""
        m = self.size
        self.U[:m, m], self.U[m, :m], self.U[m, m] = self.V[:m, j], 0.0, pivot
        self.V[m], self.pivots[m] = row, j
        self.size = m + 1

    def pop(self) -> tuple[int, np.ndarray, float]:
        """Give up the last pivot: (j, row, pivot), with which `append` brings it back."""
        m = self.size = self.size - 1
        return int(self.pivots[m]), self.V[m].copy(), float(self.U[m, m])

    def to_last(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Move pivot number k to the end; returns the reflections, which apply to other arrays that follow V."""
        m = self.size
        self.pivots[k:m] = np.roll(self.pivots[k:m], -1)
        cos, sin = swap_down(self._U, m, k)
        travel_down(self._V, k, cos, sin)
        return cos, sin

    def to_first(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Move pivot number k to the front."""
        self.pivots[: k + 1] = np.roll(self.pivots[: k + 1], 1)
        cos, sin = swap_up(self._U, self.size, k)
        travel_up(self._V, k, cos, sin)
        return cos, sin


def independent_root(E, floor) -> tuple[list[int], np.ndarray]:
    """Rows of E (z, z), in order, whose residual exceeds `floor`, and the lower Cholesky factor of E on them."""
    kept: list[int] = []
    root, left = np.zeros_like(E), E.diagonal().copy()
    for c in range(len(E)):
        if left[c] > floor[c]:
            k = len(kept)
            root[:, k] = (E[:, c] - root[:, :k] @ root[c, :k]) / np.sqrt(left[c])
            left -= root[:, k] ** 2
            kept.append(c)
    return kept, root[kept][:, : len(kept)]
