"""Rows of the kernel matrix on demand: evaluated in blocks, counted, and kept for reuse while memory allows.

[keerthi] section 3 suggests the extra store: a candidate that was discarded may be drawn again.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from .base import Kernel

MEMORY = 1 << 30  # bytes the whole matrix may take
SHARE = 0.5  # of the rows asked for, from which on the whole matrix is made where that is cheap


class KernelRows:
    """k(x_j, X) for training rows j. `evaluated` counts what was computed; `store` rows are kept, the latest used."""

    def __init__(self, kernel: Kernel, X, store: int = 0):
        self.kernel, self.X, self.store = kernel, X, store
        self.evaluated = 0
        self._kept: OrderedDict[int, np.ndarray] = OrderedDict()
        self._whole: np.ndarray | None = None
        self._against = None  # the kernel with X prepared, once a row was asked for

    def __call__(self, index) -> np.ndarray:
        """(c, n), C order; the caller may write into it."""
        index = np.atleast_1d(index)
        missing = index if not self._kept else np.array([j for j in index if j not in self._kept], dtype=int)
        fresh = self._evaluate(missing)
        if not self.store:
            return fresh
        K = np.empty((len(index), len(self.X)))
        source = dict(zip(missing.tolist(), fresh))
        for a, j in enumerate(index.tolist()):
            K[a] = source[j] if j in source else self._kept[j]
        for j, row in zip(index.tolist(), K):  # only now: keeping one row may cost another its place
            self._keep(j, row)
        return K

    def _evaluate(self, index) -> np.ndarray:
        self.evaluated += len(index)
        n = len(self.X)
        if self._whole is None and self.kernel.looked_up and self.evaluated > SHARE * n and 8 * n * n <= MEMORY:
            self._whole = self.kernel(self.X)
        if self._whole is not None:
            return self._whole[index]
        if not len(index):
            return np.empty((0, n))
        self._against = self._against or self.kernel.against(self.X)
        return self._against(self.X[index])

    def _keep(self, j: int, row) -> None:
        if j not in self._kept:
            self._kept[j] = row.copy()  # a view would hold its whole block in memory
        self._kept.move_to_end(j)
        if len(self._kept) > self.store:
            self._kept.popitem(last=False)
