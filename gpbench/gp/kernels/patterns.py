"""A kernel on a sparse pattern, a boolean csc matrix (n, n2): numbers come in the order of its entries.

What stands here works for every kernel, column by column; a kernel that knows better says so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpbench.errors import NotApplicable

NO_SUPPORT = "no compact support: use pp0..pp3, or a product with one of them"


class OnPatterns:
    def support(self, X, X2=None):
        """Where a compact kernel may differ from zero; time and memory follow the number of those entries."""
        raise NotApplicable(f"kernel {self.name} has {NO_SUPPORT}")

    def on(self, pattern, X, X2=None) -> np.ndarray:
        """Covariances at the entries of the pattern."""
        out = np.empty(pattern.nnz)
        for rows, x, at in _columns(pattern, X, X2):
            out[at] = self(rows, x)[:, 0]
        return out

    def linearised_on(self, pattern, X, X2=None) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """`on`, and dF/dK at the entries of the pattern -> dF/dtheta; F depends on no other entry."""

        def pull(dk):
            slopes = (self.pullback(dk[at, None].copy(), rows, x)[0] for rows, x, at in _columns(pattern, X, X2))
            return sum(slopes, 0 * self.theta)

        return self.on(pattern, X, X2), pull

    def sparse(self, X, X2=None):
        """K as a scipy csc matrix on its support."""
        pattern = self.support(X, X2)
        return on_pattern(pattern, self.on(pattern, X, X2))


def on_pattern(pattern, values):
    """The csc matrix with these entries."""
    return type(pattern)((values, pattern.indices, pattern.indptr), shape=pattern.shape)


def _columns(pattern, X, X2):
    """(inputs of the column's rows, input of the column, where its numbers are) for every column that has entries."""
    X2 = X if X2 is None else X2
    for j, (begin, end) in enumerate(zip(pattern.indptr[:-1], pattern.indptr[1:])):
        if end > begin:
            yield X[pattern.indices[begin:end]], X2[j : j + 1], slice(begin, end)
