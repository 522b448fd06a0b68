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

from gpbench.system.memory import memory_bytes

from .base import Kernel
from .stationary import Stationary, spread_of

MANY = 20_000  # rows whose full matrix may be too large
SAMPLE = 100  # rows that tell the share of entries that are not zero
ENTRY = 24  # bytes: both places of a pair, then value and row


class PiecewisePolynomial(Stationary):
    q: int
    compact = True

    def __init__(self, theta, dims: int, ard: bool = True, dimension: int | None = None):
        super().__init__(theta, dims, ard)
        self.dimension = dimension
        j = (dims if dimension is None else dimension) // 2 + self.q + 1
        self._e, self._P = j + self.q, _polynomial(self.q, j)
        # k'(r) = variance (1 - r)^(e-1) C(r), C = (1 - r) P' - e P; for q > 0 C(0) = 0, so k'/r has no pole
        self._C = polynomial.polysub(polynomial.polymul([1.0, -1.0], polynomial.polyder(self._P)), self._e * self._P)

    @classmethod
    def create(cls, X, ard: bool = True, dimension: int | None = None):
        dims = X.shape[1]
        spread = spread_of(X, ard)
        j = (dims if dimension is None else dimension) // 2 + cls.q + 1
        # as wide as the squared exponential's start: (1 - r)^(j + q) falls to 1/e near r = 2/(j + q)
        reach = np.sqrt(dims) * 0.5 * (j + cls.q)
        lengths = spread * reach if ard else np.array([np.sqrt((spread**2).mean()) * reach])
        return cls(np.log(np.r_[1.0, lengths]), dims, ard, dimension)

    starts = Kernel.starts  # a support of one deviation would begin with nearly empty matrices

    def _profile(self, r, slope=True):
        k = _polynomials(r, np.exp(self.theta[0]), self._e, self._P)
        if not slope:
            return k, None
        # pp0 has a kink at r = 0, where every use multiplies the slope by zero
        C = self._C[1:] if self.q else self._C[:1]
        steep = _polynomials(r, np.exp(self.theta[0]), self._e - 1, C)
        return k, steep if self.q else np.divide(steep, r, out=np.zeros_like(r), where=r > 0)

    def profile(self, r) -> dict[str, np.ndarray]:
        """The correlation at scaled distances r, under the name of kernel and dimension ([vanhatalo] Figure 1)."""
        D = self.dims if self.dimension is None else self.dimension
        return {f"k_{self.name}_D{D}": self._at(r, slope=False)[0] / self._at(np.zeros(1), slope=False)[0]}

    def support(self, X, X2=None):
        tree = cKDTree(self._scaled(X))
        _refuse_too_full(tree)
        if X2 is None:
            pairs = tree.query_pairs(1.0, output_type="ndarray")
            start, rows = _symmetric(pairs, len(X))
            return sparse.csc_matrix((np.ones(len(rows), dtype=bool), rows, start), shape=(len(X), len(X)))
        near = tree.sparse_distance_matrix(cKDTree(self._scaled(X2)), 1.0, output_type="ndarray")
        ones = np.ones(len(near), dtype=bool)
        pattern = sparse.csc_matrix((ones, (near["i"], near["j"])), shape=(len(X), len(X2)))
        pattern.sort_indices()
        return pattern


def _refuse_too_full(tree: cKDTree) -> None:
    """Raise MemoryError if, by a sample, the entries alone exceed the machine's memory; the factor needs more."""
    n = len(tree.data)
    if n < MANY:
        return
    some = tree.data[:: n // SAMPLE]
    share = tree.query_ball_point(some, 1.0, return_length=True).mean() / n
    needed, there = ENTRY * share * n**2, memory_bytes()
    if needed > there:
        raise MemoryError(
            f"{share:.2%} of {n} x {n} covariances are not zero, {needed / 1e9:.0f} GB of them; this machine has "
            f"{there / 1e9:.0f} GB: start with shorter length-scales, or take fewer rows or inducing inputs (fitc)"
        )


class PP0(PiecewisePolynomial):
    """Piecewise polynomial with compact support, continuous draws ([vanhatalo] eq. 7)."""

    name, q = "pp0", 0
    smooth = False


class PP1(PiecewisePolynomial):
    """Piecewise polynomial with compact support, draws with one derivative ([vanhatalo] eq. 8)."""

    name, q = "pp1", 1


class PP2(PiecewisePolynomial):
    """Piecewise polynomial with compact support, draws with two derivatives ([vanhatalo] eq. 9)."""

    name, q = "pp2", 2


class PP3(PiecewisePolynomial):
    """Piecewise polynomial with compact support, draws with three derivatives ([vanhatalo] eq. 10)."""

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


@njit(cache=True)
def _polynomials(r, variance, e, P):
    """variance (1 - r)_+^e P(r), coefficients lowest power first."""
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
