"""Pivoted Cholesky of a kernel matrix that is known by its rows; the caller chooses the next pivot."""

from __future__ import annotations

import numpy as np

from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.linalg.pivoted import DEPENDENT, PartialCholesky, independent_root
from gpbench.gp.linalg.triangular import solve_rows


class Pivoting:
    """K ~ V'V on the pivots so far, and what is left of K's diagonal; memory O(n m)."""

    def __init__(self, kernel, X, m: int):
        self.rows = KernelRows(kernel, X)
        self.residual = kernel.diag(X).copy()  # diag(K - V'V); zero where the basis determines a row
        self.floor = DEPENDENT * self.residual
        self.factor = PartialCholesky(len(X), min(m, len(X)))

    @property
    def pivots(self) -> np.ndarray:
        return self.factor.pivots[: self.factor.size]

    @property
    def free(self) -> int:
        return len(self.factor.pivots) - self.factor.size

    @property
    def open(self) -> bool:
        """Whether the basis may grow, and a row exists that it does not determine."""
        return self.free > 0 and bool(self.residual.any())

    def take(self, j: int) -> None:
        """One pivot; O(n m)."""
        row = self.factor.column(j, self.rows(j)[0])
        self._append([j], (row / np.sqrt(row[j]))[None], np.sqrt(row[j : j + 1]))

    def take_block(self, index) -> None:
        """Several pivots by matrix-matrix products; one that depends on those before it is passed over."""
        V, left = self.factor.rows, self.rows(index)
        if len(V):
            left -= V[:, index].T @ V  # (K - V'V)[index, :]   (c, n)
        kept, root = independent_root(left[:, index], self.floor[index])
        self._append(index[kept], solve_rows(root, left[kept]), root.diagonal())

    def _append(self, index, V, roots) -> None:
        for j, row, root in zip(index, V, roots):
            self.factor.append(int(j), row, float(root))
            self.residual -= row**2
            self.residual[j] = 0.0
        self.residual[self.residual <= self.floor] = 0.0
