"""Squared exponential kernel with one length-scale per input.

    k(x, x') = variance * exp(-h * sum_d ((x_d - x'_d) / lengthscale_d)^2),   h = 1/2, or 1 in the `plain` form

`form: half` is the kernel of [sundararajan], [cao] and [snelson] (their b_d is 1/lengthscale_d^2 or its inverse),
`form: plain` is exp(-r^2) as [vanhatalo] prints it. Dense matrices take the product rule: k is flat at r = 0, so the
digits that it loses there do not show, and a matrix product does most of the work.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from gpbench.gp.linalg.triangular import product

from .stationary import Stationary, neutral


class ArdSE(Stationary):
    name = "ard-se"

    def __init__(self, theta, dims: int, ard: bool = True, form: str = "half"):
        super().__init__(theta, dims, ard)
        self.form = form
        self._h = 0.5 if form == "half" else 1.0

    @classmethod
    def create(cls, X, ard: bool = True, form: Literal["half", "plain"] = "half"):
        return cls(neutral(X, ard), X.shape[1], ard, form)

    def _scaled(self, X):
        return X * (np.sqrt(2 * self._h) * np.exp(-self.theta[1:]))

    def __call__(self, X, X2=None):
        centre = X.mean(0)  # |a-b|^2 by the product rule loses digits far from the origin
        A = self._scaled(X - centre)
        B = A if X2 is None else self._scaled(X2 - centre)
        K = self._of(A, _right(B))
        if X2 is None:
            np.fill_diagonal(K, np.exp(self.theta[0]))
        return K

    def against(self, X2):
        centre = X2.mean(0)
        right = _right(self._scaled(X2 - centre))
        return lambda X: self._of(self._scaled(X - centre), right)

    def _of(self, A, right):
        """log k = log variance - |a|^2/2 - |b|^2/2 + a'b in one matrix product of D + 2 columns."""
        left = np.column_stack([A, self.theta[0] - 0.5 * (A**2).sum(1), np.ones(len(A))])
        K = product(right, left.T).T  # (n, n2), rows contiguous
        np.minimum(K, self.theta[0], out=K)  # rounding must not push a correlation above one
        return np.exp(K, out=K)

    def _profile(self, r, slope=True):
        k = np.exp(self.theta[0] - 0.5 * r**2)
        return k, -k if slope else None

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        square = X2 is None
        A = dK
        A *= self(X, X2) if K is None else K  # dF/dlogk   (n, n2)
        centre = X.mean(0)
        X = self._scaled(X - centre)
        X2 = X if square else self._scaled(X2 - centre)
        rows, cols, AX2 = A.sum(1), A.sum(0), product(A, X2)  # AX2: (n, D)
        # sum_ij A_ij (x_id - x'_jd)^2, by expanding the square
        squares = rows @ X**2 + cols @ X2**2 - 2 * np.einsum("nd,nd->d", X, AX2)  # (D,)
        lengths = squares if self.ard else squares.sum(keepdims=True)
        dtheta = np.r_[rows.sum(), lengths]
        if not inputs:
            return dtheta, None
        dX = AX2 - rows[:, None] * X
        if square:
            dX += A.T @ X - cols[:, None] * X
        return dtheta, dX * (np.sqrt(2 * self._h) * np.exp(-self.theta[1:]))


def _right(B):
    return np.column_stack([B, np.ones(len(B)), -0.5 * (B**2).sum(1)])
