"""Partial Cholesky factor of a covariance matrix that is known by its diagonal and by columns on request.

    K ~ V'V,   V (m, n),   V[:, pivots] = U upper triangular,   residual = diag(K - V'V)

V is [cao]'s L transposed, so that what they call a column lies in consecutive memory. Rows of V follow the order of the
pivots; a pivot is removed by moving it to the last place first, which leaves V'V as it is.
"""

from __future__ import annotations

import numpy as np

from .rotations import swap_down, swap_up, travel_down, travel_up

DEPENDENT = 1e-10  # a pivot whose residual is below this share of its variance adds nothing but rounding errors


def padded(rows: int, columns: int) -> np.ndarray:
    """Zeros (rows, columns) whose rows start an odd number of cache lines apart, or columns would share cache sets."""
    stride = -(-columns // 8)
    return np.zeros((rows, (stride + 1 - stride % 2) * 8))[:, :columns]


class PartialCholesky:
    """Grows by `append`, shrinks by `pop`; moving a pivot costs O(n) per place. `jitter` is added at the pivots only."""

    def __init__(self, diagonal, capacity: int, jitter: float = 0.0):
        self.V = padded(capacity, len(diagonal))
        self.U = padded(capacity, capacity)
        self.pivots = np.zeros(capacity, dtype=int)
        self.residual, self.jitter, self.size = np.array(diagonal, dtype=float), jitter, 0

    @property
    def rows(self) -> np.ndarray:
        return self.V[: self.size]

    def column(self, j: int, k) -> np.ndarray:
        """(K - V'V)[:, j] from k = K[:, j]; one pass over V."""
        return k - self.V[: self.size, j] @ self.V[: self.size]

    def pivot(self, j: int) -> float:
        """What the new diagonal entry of U would be: sqrt of the residual at j."""
        return float(np.sqrt(max(self.residual[j], 0.0) + self.jitter))

    def append(self, j: int, row, pivot: float) -> None:
        """Take j as the last pivot; row = column(j, k) / pivot."""
        m = self.size
        self.U[:m, m], self.U[m, :m], self.U[m, m] = self.V[:m, j], 0.0, pivot
        self.V[m], self.pivots[m] = row, j
        self.residual -= row**2
        self.size = m + 1

    def pop(self) -> tuple[int, np.ndarray, float]:
        """Give up the last pivot: (j, row, pivot), with which `append` brings it back."""
        m = self.size = self.size - 1
        row = self.V[m].copy()
        self.residual += row**2
        return int(self.pivots[m]), row, float(self.U[m, m])

    def to_last(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Move pivot number k to the end; returns the reflections for whoever follows V."""
        m = self.size
        self.pivots[k:m] = np.roll(self.pivots[k:m], -1)
        cos, sin = swap_down(self.U[:m, :m], k)
        travel_down(self.V, k, cos, sin)
        return cos, sin

    def to_first(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Move pivot number k to the front."""
        m = self.size
        self.pivots[: k + 1] = np.roll(self.pivots[: k + 1], 1)
        cos, sin = swap_up(self.U[:m, :m], k)
        travel_up(self.V, k, cos, sin)
        return cos, sin
