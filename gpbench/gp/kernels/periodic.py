"""Periodic kernel (MacKay): one period and one length-scale per input.

    k(x, x') = variance * exp(-2 sum_d sin^2(pi (x_d - x'_d) / period_d) / lengthscale_d^2)

2 sin^2(a) = 1 - cos(2a), and the cosine of a difference is a sum of products: matrix products over cosines and sines of
the inputs give the matrix and all gradients. The length-scale is measured in radians of the phase, not in units of x.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from gpbench.gp.linalg.triangular import product

from .base import Kernel
from .stationary import spread_of


class Periodic(Kernel):
    name = "periodic"

    def __init__(self, theta, dims: int, ard: bool = True):
        self.theta = np.asarray(theta, dtype=float)
        self.dims, self.ard = dims, ard
        each = [f"[{d}]" for d in range(dims)] if ard else [""]
        self.names = ("variance", *(f"lengthscale{d}" for d in each), *(f"period{d}" for d in each))

    @classmethod
    def create(cls, X, ard: bool = True):
        dims = X.shape[1]
        spread = spread_of(X, ard)
        periods = 4 * (spread if ard else np.sqrt((spread**2).mean(keepdims=True)))  # about the range of the inputs
        return cls(np.log(np.r_[1.0, np.full(len(periods), np.sqrt(dims)), periods]), dims, ard)

    def starts(self, X):
        """Also shorter periods: the objective has a mode near every multiple of the right one."""
        moved = np.r_[0.0, np.zeros(len(self._lengths)), np.ones(len(self._lengths))]
        return [self, *(self.with_theta(self.theta + np.log(factor) * moved) for factor in (0.5, 0.2, 0.1))]

    def with_theta(self, theta):
        new = copy(self)
        new.theta = np.asarray(theta, dtype=float)
        return new

    @property
    def _lengths(self):
        return self.theta[1 : 1 + len(self.theta) // 2]

    @property
    def _rates(self):
        """2 pi / period."""
        return 2 * np.pi * np.exp(-self.theta[1 + len(self.theta) // 2 :])

    def _waves(self, X):
        """cos and sin of the phases over the length-scale   (n, 2D)."""
        phase = X * self._rates
        return np.hstack([np.cos(phase), np.sin(phase)]) * np.exp(-np.tile(self._lengths, 2 if self.ard else 1))

    embedding = _waves

    def __call__(self, X, X2=None):
        U = self._waves(X)
        K = product(U, (U if X2 is None else self._waves(X2)).T)  # sum_d cos(phase_d - phase'_d) / lengthscale_d^2
        K += self.theta[0] - np.sum(np.exp(-2 * np.broadcast_to(self._lengths, self.dims)))
        np.minimum(K, self.theta[0], out=K)  # rounding must not push a correlation above one
        return np.exp(K, out=K)

    def diag(self, X):
        return np.full(len(X), np.exp(self.theta[0]))

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        A = dK * (self(X, X2) if K is None else K)  # dF/dlogk   (n, n2)
        centre = X.mean(0)
        x, B = X - centre, (X if X2 is None else X2) - centre
        C, S = np.hsplit(self._waves(x), 2)  # (n, D)
        C2, S2 = np.hsplit(self._waves(B), 2)
        AC, AS, AxC, AxS = np.hsplit(A @ np.hstack([C2, S2, B * C2, B * S2]), 4)
        cosines = np.sum(C * AC + S * AS, axis=0)  # sum_ij A_ij cos(phase - phase') / lengthscale^2   (D,)
        slopes = S * AC - C * AS  # sum_j A_ij sin(phase - phase') / lengthscale^2   (n, D)
        turns = np.sum(x * slopes - (S * AxC - C * AxS), axis=0)  # the same times x - x'
        lengths = 2 * (A.sum() * np.exp(-2 * self._lengths) - cosines)
        periods = self._rates * turns
        if not self.ard:
            lengths, periods = lengths.sum(keepdims=True), periods.sum(keepdims=True)
        dtheta = np.r_[A.sum(), lengths, periods]
        if not inputs:
            return dtheta, None
        if X2 is None:
            slopes = slopes + S * (A.T @ C) - C * (A.T @ S)
        return dtheta, -self._rates * slopes

    def vjp_diag(self, dk, X):
        return np.r_[np.sum(dk) * np.exp(self.theta[0]), np.zeros(len(self.theta) - 1)]
