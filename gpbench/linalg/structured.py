"""How dF/dS is carried from an objective to the approximation that built S.

Every objective here depends on S through a = S^-1 y, s = diag S^-1 and log det S, so its derivative has one form,

    W = dF/dS = (a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1,

with vectors a, b, w and a number c: `factor.sensitivity(a, b, c, w)` returns it in the factor's own structure. A
carrier offers diag(), trace(), add_diag(d) and the left product P @ W; the low-rank one (lowrank.py) never holds an
n x n array.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs

_ger = get_blas_funcs("ger", dtype=np.float64)


class Dense:
    """W as a symmetric array."""

    __array_ufunc__ = None  # numpy leaves `P @ W` to __rmatmul__

    def __init__(self, array):
        self.array = array

    @classmethod
    def of(cls, inverse, a, b, c, w=None) -> Dense:
        """The form above from S^-1 (Fortran order), which is overwritten unless w is given."""
        if w is None:
            W = inverse
            W *= -c
        else:
            W = np.asfortranarray(-(inverse * w) @ inverse - c * inverse)
        W = _ger(0.5, a, b, a=W, overwrite_a=1)
        return cls(_ger(0.5, b, a, a=W, overwrite_a=1))

    def dense(self) -> np.ndarray:
        """The array itself, to hand to a kernel's pullback (which overwrites it)."""
        return self.array

    def diag(self) -> np.ndarray:
        return self.array.diagonal().copy()

    def trace(self) -> float:
        return float(np.trace(self.array))

    def add_diag(self, d) -> Dense:
        W = self.array.copy()
        W[np.diag_indices_from(W)] += d
        return Dense(W)

    def __rmatmul__(self, P):
        return P @ self.array
