"""What every factorisation offers, whatever its storage.

A dense (`Cholesky`) and a low-rank (`LowRank`) factor serve every objective with its gradient; a sparse one
(`SparseLDL`, `Multifrontal`) has the inverse where the matrix has entries, which is all that the gradient of a
compact kernel asks for.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Solver(Protocol):
    """A positive definite matrix S of n rows."""

    def solve(self, b) -> np.ndarray:
        """S^-1 b   (n,)."""

    def logdet(self) -> float: ...


@runtime_checkable
class Factor(Solver, Protocol):
    """A factor of a covariance matrix whose objectives are maximised."""

    def inv_diag(self) -> np.ndarray:
        """diag S^-1   (n,)."""

    def sensitivity(self, a, b, c, w=None) -> Any:
        """(a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1, the form every dF/dS has (structured.py)."""


@runtime_checkable
class SparseFactor(Solver, Protocol):
    """A factor of a matrix that is known by its entries on a csc pattern."""

    def selected_inverse(self) -> np.ndarray:
        """S^-1 at the entries of the pattern, in their order   (nnz,)."""

    def half_squares(self, B) -> np.ndarray:
        """b' S^-1 b for every column b of a sparse matrix   (t,)."""
