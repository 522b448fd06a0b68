"""Linear kernel k(x, x') = sum_d variance_d x_d x'_d: a plane through the origin with random slopes.

Its matrix has rank D, so alone it suits the full GP; in a sum it carries the trend (`{sum: [matern32, linear]}`, with
`bias: true` for the offset).
"""

from __future__ import annotations

from copy import copy

import numpy as np

from .base import Kernel


class Linear(Kernel):
    name = "linear"

    def __init__(self, theta, dims: int, ard: bool = True):
        self.theta = np.asarray(theta, dtype=float)
        self.dims, self.ard = dims, ard
        self.names = tuple(f"variance[{d}]" for d in range(dims)) if ard else ("variance",)

    @classmethod
    def create(cls, X, ard: bool = True):
        dims = X.shape[1]
        squares = np.maximum((X**2).mean(0), 1e-24)
        # the prior's variance at a typical point is one
        return cls(-np.log(dims * squares if ard else squares.sum(keepdims=True)), dims, ard)

    def with_theta(self, theta):
        new = copy(self)
        new.theta = np.asarray(theta, dtype=float)
        return new

    def __call__(self, X, X2=None):
        return (X * np.exp(self.theta)) @ (X if X2 is None else X2).T

    def diag(self, X):
        return X**2 @ np.exp(np.broadcast_to(self.theta, self.dims))

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        B = X if X2 is None else X2
        dKB = dK @ B  # (n, D)
        dtheta = self._of_inputs(np.einsum("nd,nd->d", X, dKB))
        if not inputs:
            return dtheta, None
        return dtheta, np.exp(self.theta) * (dKB + dK.T @ X if X2 is None else dKB)

    def vjp_diag(self, dk, X):
        return self._of_inputs(dk @ X**2)

    def _of_inputs(self, per_input):
        return np.exp(self.theta) * (per_input if self.ard else per_input.sum(keepdims=True))

    def embedding(self, X):
        return np.empty((len(X), 0))  # correlated at every distance: it does not order neighbours
