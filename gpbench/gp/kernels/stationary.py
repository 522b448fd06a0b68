"""Kernels of one scaled distance: k(x, x') = variance * c(r), r = |(x - x') / lengthscale|.

A subclass gives its `_profile`, k and k'(r)/r as functions of r, and all else follows: dense matrices, entries on a
sparse pattern, gradients. Distances come from the differences themselves: near r = 0 the product rule would lose half
the digits, which a kernel with a kink there would show.
"""

from __future__ import annotations

from copy import copy
from typing import ClassVar

import numpy as np
from numba import njit
from scipy.spatial.distance import cdist

from .base import Kernel

CONSTANT = 1e-12  # a spread that is none


class Stationary(Kernel):
    shapes: ClassVar[tuple[str, ...]] = ()  # parameters of the profile, after variance and length-scales

    def __init__(self, theta, dims: int, ard: bool = True):
        self.theta = np.asarray(theta, dtype=float)
        self._named(dims, ard)

    def _named(self, dims: int, ard: bool) -> None:
        self.dims, self.ard = dims, ard
        lengths = tuple(f"lengthscale[{d}]" for d in range(dims)) if ard else ("lengthscale",)
        self.names = ("variance", *lengths, *self.shapes)

    @classmethod
    def create(cls, X, ard: bool = True):
        return cls(neutral(X, ard, len(cls.shapes)), X.shape[1], ard)

    def starts(self, X):
        """Adds a start with one length-scale per input standard deviation; in few dimensions it often leads higher."""
        spread = spread_of(X, self.ard)
        lengths = spread if self.ard else np.sqrt((spread**2).mean(keepdims=True))
        return [self, self.with_theta(np.r_[self.theta[0], np.log(lengths), self._shape])]

    def with_theta(self, theta):
        new = copy(self)
        new.theta = np.asarray(theta, dtype=float)
        return new

    def with_ard(self, ard: bool):
        """With a length-scale for each input, or one for all of them, the geometric mean."""
        if ard == self.ard:
            return self
        lengths = np.repeat(self._lengths, self.dims) if ard else self._lengths.mean(keepdims=True)
        new = self.with_theta(np.r_[self.theta[0], lengths, self._shape])
        new._named(self.dims, ard)
        return new

    @property
    def _lengths(self):
        return self.theta[1 : len(self.theta) - len(self.shapes)]

    @property
    def _shape(self):
        return self.theta[len(self.theta) - len(self.shapes) :]

    # -- the profile -------------------------------------------------------------------------------------------------

    def _profile(self, r, slope: bool = True) -> tuple[np.ndarray, np.ndarray | None]:
        """k and k'(r) / r (None unless asked) at scaled distances r, a flat array; r = 0 must give finite numbers."""
        raise NotImplementedError

    def _shape_slopes(self, r, k) -> tuple[np.ndarray, ...]:
        """dk / dlog of each shape parameter."""
        return ()

    def _at(self, r, slope: bool = True):
        flat = np.ascontiguousarray(r, dtype=float).ravel()
        return tuple(v if v is None else v.reshape(np.shape(r)) for v in self._profile(flat, slope))

    def _scaled(self, X):
        return X * np.exp(-self._lengths)

    def _both(self, X, X2):
        A = self._scaled(X)
        return A, A if X2 is None else self._scaled(X2)

    def embedding(self, X):
        return self._scaled(X)

    # -- dense -------------------------------------------------------------------------------------------------------

    def __call__(self, X, X2=None):
        return self._at(cdist(*self._both(X, X2)), slope=False)[0]

    def diag(self, X):
        return np.full(len(X), np.exp(self.theta[0]))

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        A, B = self._both(X, X2)
        turned = not dK.flags.c_contiguous  # walk along memory, whichever way dK lies
        W, P, Q = (np.ascontiguousarray(dK.T), B, A) if turned else (dK, A, B)
        r = cdist(P, Q)
        k, slope = self._at(r)
        variance, shape = np.vdot(W, k), [np.vdot(W, dk) for dk in self._shape_slopes(r, k)]
        W *= slope  # dF/dr / r
        squares = _weighted_squares(W, P, Q) if self.ard else np.array([np.vdot(W, r**2)])
        dtheta = np.r_[variance, -squares, shape]
        if not inputs:
            return dtheta, None
        W = W.T if turned else W  # (n, n2)
        if X2 is None:
            W = W + W.T
        return dtheta, self._scaled(W.sum(1)[:, None] * A - W @ B)

    def vjp_diag(self, dk, X):
        return np.r_[np.sum(dk) * np.exp(self.theta[0]), np.zeros(len(self.theta) - 1)]

    # -- on a sparse pattern -----------------------------------------------------------------------------------------

    def on(self, pattern, X, X2=None):
        return self._profile(_distances_on(pattern.indptr, pattern.indices, *self._both(X, X2)), slope=False)[0]

    def linearised_on(self, pattern, X, X2=None):
        A, B = self._both(X, X2)
        r = _distances_on(pattern.indptr, pattern.indices, A, B)
        k, slope = self._profile(r)

        def pull(dk):
            W = dk * slope
            squares = _weighted_squares_on(W, pattern.indptr, pattern.indices, A, B)
            lengths = squares if self.ard else squares.sum(keepdims=True)
            return np.r_[dk @ k, -lengths, [dk @ at for at in self._shape_slopes(r, k)]]

        return k, pull


def neutral(X, ard: bool, shapes: int = 0) -> np.ndarray:
    """theta to begin with; sqrt(D) keeps the correlation of two typical points the same for any number of inputs."""
    dims, spread = X.shape[1], spread_of(X, ard)
    lengths = spread * np.sqrt(dims) if ard else np.array([np.sqrt((spread**2).sum())])
    return np.log(np.r_[1.0, lengths, np.ones(shapes)])


def spread_of(X, ard: bool) -> np.ndarray:
    """Standard deviations of the inputs   (D,).

    An input that is constant here, as a rare level in a subset of the rows, may vary in rows to come: with a
    length-scale of its own it gets the others' spread.
    """
    if len(X) < 2:
        return np.ones(X.shape[1])
    spread = np.maximum(X.std(0), CONSTANT)
    varies = spread > CONSTANT
    if not ard or varies.all():
        return spread
    return np.where(varies, spread, np.sqrt((spread[varies] ** 2).mean()) if varies.any() else 1.0)


@njit(cache=True)
def _weighted_squares(W, A, B):
    """sum_ij W_ij (a_id - b_jd)^2 for every input d."""
    out = np.zeros(A.shape[1])
    for i in range(len(A)):
        row = np.zeros(A.shape[1])
        for j in range(len(B)):
            for d in range(A.shape[1]):
                row[d] += W[i, j] * (A[i, d] - B[j, d]) ** 2
        out += row
    return out


@njit(cache=True)
def _distances_on(start, rows, A, B):
    """|a_i - b_j| at the entries (i, j) of a csc pattern."""
    out = np.empty(len(rows))
    for j in range(len(start) - 1):
        for p in range(start[j], start[j + 1]):
            total = 0.0
            for d in range(A.shape[1]):
                total += (A[rows[p], d] - B[j, d]) ** 2
            out[p] = np.sqrt(total)
    return out


@njit(cache=True)
def _weighted_squares_on(W, start, rows, A, B):
    """sum_ij W_ij (a_id - b_jd)^2 over the entries, for every input d."""
    out = np.zeros(A.shape[1])
    for j in range(len(start) - 1):
        column = np.zeros(A.shape[1])
        for p in range(start[j], start[j + 1]):
            for d in range(A.shape[1]):
                column[d] += W[p] * (A[rows[p], d] - B[j, d]) ** 2
        out += column
    return out
