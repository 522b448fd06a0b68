"""Piecewise polynomial kernels with compact support, pp0 to pp3 ([vanhatalo] eqs. 7-10, after Wendland).

    k(r) = variance * (1 - r)_+^e * P_q(r),   r = |(x - x') / lengthscale|,   e = j + q,   j = floor(D/2) + q + 1

q times mean square differentiable, positive definite up to dimension D (`dimension`, else that of the inputs), exactly
zero from r = 1: `lengthscale` is the support radius. On sparse patterns time and memory follow the nonzeros.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.polynomial import polynomial
from scipy import sparse
from scipy.spatial import cKDTree

from .base import Kernel


class PiecewisePolynomial(Kernel):
    q: int
    compact = True

    def __init__(self, theta, dims: int, ard: bool = True, dimension: int | None = None):
        self.theta = np.asarray(theta, dtype=float)
        self.dims, self.ard, self.dimension = dims, ard, dimension
        lengths = tuple(f"lengthscale[{d}]" for d in range(dims)) if ard else ("lengthscale",)
        self.names = ("variance", *lengths)
        j = (dims if dimension is None else dimension) // 2 + self.q + 1
        self._e, self._P = j + self.q, _polynomial(self.q, j)
        # k'(r) = variance (1 - r)^(e-1) C(r), C = (1 - r) P' - e P; for q > 0 C(0) = 0, so k'/r has no pole
        self._C = polynomial.polysub(polynomial.polymul([1.0, -1.0], polynomial.polyder(self._P)), self._e * self._P)

    @classmethod
    def create(cls, X, ard: bool = True, dimension: int | None = None):
        dims = X.shape[1]
        spread = np.maximum(X.std(0), 1e-12) if len(X) > 1 else np.ones(dims)
        j = (dims if dimension is None else dimension) // 2 + cls.q + 1
        # as wide as the squared exponential's start: (1 - r)^(j + q) falls to 1/e near r = 2/(j + q)
        reach = np.sqrt(dims) * 0.5 * (j + cls.q)
        lengths = spread * reach if ard else np.array([np.sqrt((spread**2).mean()) * reach])
        return cls(np.log(np.r_[1.0, lengths]), dims, ard, dimension)

    def with_theta(self, theta):
        return type(self)(theta, self.dims, self.ard, self.dimension)

    # -- the profile -------------------------------------------------------------------------------------------------

    def _k(self, r):
        return _profile(np.asarray(r, dtype=float), np.exp(self.theta[0]), self._e, self._P)

    def _slope(self, r):
        """k'(r) / r; pp0 has a kink at r = 0, where every use multiplies it by zero."""
        C = self._C[1:] if self.q else self._C[:1]
        slope = _profile(r, np.exp(self.theta[0]), self._e - 1, C)
        return slope if self.q else np.divide(slope, r, out=np.zeros_like(r), where=r > 0)

    def _scaled(self, X):
        return X * np.exp(-self.theta[1:])

    def profile(self, r) -> dict[str, np.ndarray]:
        """The correlation at scaled distances r, under the name of kernel and dimension ([vanhatalo] Figure 1)."""
        return {f"k_{self.name}_D{self.dims if self.dimension is None else self.dimension}": self._k(r) / self._k(0.0)}

    # -- dense -------------------------------------------------------------------------------------------------------

    def __call__(self, X, X2=None):
        A = self._scaled(X)
        return self._k(_distances(A, A if X2 is None else self._scaled(X2)))

    def diag(self, X):
        return np.full(len(X), np.exp(self.theta[0]))

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        A = self._scaled(X)
        B = A if X2 is None else self._scaled(X2)
        r = _distances(A, B)
        variance = np.sum(dK * (self._k(r) if K is None else K))
        W = dK
        W *= self._slope(r)  # dF/dr / r   (n, n2)
        squares = np.array([np.sum(W * np.subtract.outer(a, b) ** 2) for a, b in zip(A.T, B.T)])
        dtheta = np.r_[variance, self._of_lengths(-squares)]
        if not inputs:
            return dtheta, None
        if X2 is None:
            W = W + W.T
        return dtheta, self._scaled(W.sum(1)[:, None] * A - W @ B)

    def vjp_diag(self, dk, X):
        return np.r_[np.sum(dk) * np.exp(self.theta[0]), np.zeros(len(self.theta) - 1)]

    def _of_lengths(self, per_input):
        return per_input if self.ard else per_input.sum(keepdims=True)

    # -- on a sparse pattern -----------------------------------------------------------------------------------------

    def support(self, X, X2=None):
        tree = cKDTree(self._scaled(X))
        if X2 is None:
            pairs = tree.query_pairs(1.0, output_type="ndarray")
            start, rows = _symmetric(pairs, len(X))
            return sparse.csc_matrix((np.ones(len(rows), dtype=bool), rows, start), shape=(len(X), len(X)))
        near = tree.sparse_distance_matrix(cKDTree(self._scaled(X2)), 1.0, output_type="ndarray")
        ones = np.ones(len(near), dtype=bool)
        pattern = sparse.csc_matrix((ones, (near["i"], near["j"])), shape=(len(X), len(X2)))
        pattern.sort_indices()
        return pattern

    def on(self, pattern, X, X2=None):
        return self._k(_distances_on(pattern.indptr, pattern.indices, *self._both(X, X2)))

    def pullback_on(self, dk, pattern, X, X2=None):
        A, B = self._both(X, X2)
        r = _distances_on(pattern.indptr, pattern.indices, A, B)
        squares = _weighted_squares(dk * self._slope(r), pattern.indptr, pattern.indices, A, B)
        return np.r_[dk @ self._k(r), self._of_lengths(-squares)]

    def _both(self, X, X2):
        A = self._scaled(X)
        return A, A if X2 is None else self._scaled(X2)


class PP0(PiecewisePolynomial):
    name, q = "pp0", 0
    smooth = False


class PP1(PiecewisePolynomial):
    name, q = "pp1", 1


class PP2(PiecewisePolynomial):
    name, q = "pp2", 2


class PP3(PiecewisePolynomial):
    name, q = "pp3", 3


def _polynomial(q: int, j: int) -> np.ndarray:
    """Coefficients of P_q, lowest power first."""
    return np.array(
        [
            [1.0],
            [1.0, j + 1],
            [1.0, j + 2, (j**2 + 4 * j + 3) / 3],
            [1.0, j + 3, (6 * j**2 + 36 * j + 45) / 15, (j**3 + 9 * j**2 + 23 * j + 15) / 15],
        ][q]
    )


def _profile(r, variance: float, e: int, P) -> np.ndarray:
    """variance (1 - r)_+^e P(r), coefficients lowest power first."""
    return _profile_of(np.ascontiguousarray(r).ravel(), variance, e, P).reshape(np.shape(r))


@njit(cache=True)
def _profile_of(r, variance, e, P):
    out = np.zeros(len(r))
    for i in range(len(r)):
        if r[i] < 1.0:
            value = variance
            for _ in range(e):
                value *= 1.0 - r[i]
            polynomial = P[-1]
            for c in P[-2::-1]:
                polynomial = polynomial * r[i] + c
            out[i] = value * polynomial
    return out


@njit(cache=True)
def _symmetric(pairs, n):
    """(indptr, indices) of the csc pattern of pairs i < j, their mirror images and the diagonal; indices sorted."""
    start = np.zeros(n + 1, np.int32)
    start[1:] = 1
    for p in range(len(pairs)):
        start[pairs[p, 0] + 1] += 1
        start[pairs[p, 1] + 1] += 1
    start = np.cumsum(start).astype(np.int32)
    loose, rows, end = np.empty(start[n], np.int32), np.empty(start[n], np.int32), start[:-1].copy()
    for j in range(n):
        loose[end[j]] = j
        end[j] += 1
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        loose[end[i]], loose[end[j]] = j, i
        end[i] += 1
        end[j] += 1
    end = start[:-1].copy()
    for j in range(n):  # the columns in order reach every other column in order
        for p in range(start[j], start[j + 1]):
            i = loose[p]
            rows[end[i]] = j
            end[i] += 1
    return start, rows


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
def _weighted_squares(W, start, rows, A, B):
    """sum_ij W_ij (a_id - b_jd)^2 over the entries, for every input d."""
    out = np.zeros(A.shape[1])
    for j in range(len(start) - 1):
        column = np.zeros(A.shape[1])
        for p in range(start[j], start[j + 1]):
            for d in range(A.shape[1]):
                column[d] += W[p] * (A[rows[p], d] - B[j, d]) ** 2
        out += column
    return out


def _distances(A, B) -> np.ndarray:
    """|a - b| from the differences themselves: near r = 0 the product rule would lose half the digits   (n, n2)."""
    return np.sqrt(sum(np.subtract.outer(a, b) ** 2 for a, b in zip(A.T, B.T)))
