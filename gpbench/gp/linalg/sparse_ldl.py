"""Sparse L D L' of a symmetric positive definite matrix on a fixed pattern, in compiled loops.

`Symbolic` fixes ordering, elimination tree and pattern of L once; `SparseLDL` holds numbers on it. L is unit lower
triangular, stored by columns without its diagonal, rows ascending: column j is Li[Lp[j]:Lp[j+1]]. After Davis,
"Direct methods for sparse linear systems" (2006). Row modification, Algorithm 2 of [vanhatalo], is in
gp/inference/sites_rows.py, where it shares its triangular solve with the site it serves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csc_matrix

from gpbench.errors import NotPositiveDefinite

from .elimination import Elimination, eliminate
from .ordering import fill_reducing
from .takahashi import lookup, selected_inverse


@dataclass(frozen=True)
class Symbolic(Elimination):
    Lp: np.ndarray  # (n + 1,)
    Li: np.ndarray  # (nnz,) int32
    note: str  # about the ordering

    @classmethod
    def of(cls, pattern, ordering: str = "amd") -> Symbolic:
        """`pattern` is a symmetric csc matrix with a full diagonal."""
        perm, note = fill_reducing(pattern, ordering)
        e, start, rows = eliminate(pattern, perm)
        Lp = np.r_[0, np.cumsum(e.counts - 1)]
        return cls(**vars(e), Lp=Lp, Li=_rows(start, rows, e.parent, Lp), note=note)


class SparseLDL:
    """A (csc) = P' L D L' P, a `SparseFactor`; the arguments of all methods are in the order of A."""

    def __init__(self, symbolic: Symbolic, A):
        self.symbolic = S = symbolic
        self._start, self._rows = A.indptr, A.indices
        P = permuted(A, S.perm)
        self.Lx, self.D = np.empty(len(S.Li)), np.empty(S.n)
        bad = _factorise(P.indptr, P.indices, P.data, S.parent, S.Lp, S.Li, self.Lx, self.D)
        if bad >= 0:
            raise NotPositiveDefinite(f"sparse matrix ({S.n} rows) is not positive definite at pivot {bad}")

    def logdet(self) -> float:
        return float(np.log(self.D).sum())

    def solve(self, b):
        S = self.symbolic
        x = b[S.perm].copy()
        forward(S.Lp, S.Li, self.Lx, x)
        x /= self.D
        _backward(S.Lp, S.Li, self.Lx, x)
        return x[S.inverse]

    def half_squares(self, B, block: int = 32) -> np.ndarray:
        """b' A^-1 b for every column b of the sparse matrix B, several columns at a time   (t,)."""
        S, B = self.symbolic, csc_matrix(B)
        out = np.empty(B.shape[1])
        first = np.array([S.inverse[B.indices[a:e]].min(initial=S.n) for a, e in zip(B.indptr[:-1], B.indptr[1:])])
        order = np.argsort(first, kind="stable")  # columns of one block then share most of their path up the tree
        for i in range(0, len(order), block):
            columns = order[i : i + block]
            W = np.zeros((S.n, len(columns)))
            for k, j in enumerate(columns):
                at = slice(B.indptr[j], B.indptr[j + 1])
                W[S.inverse[B.indices[at]], k] = B.data[at]
            out[columns] = _forward_many(S.Lp, S.Li, self.Lx, self.D, W)
        return out

    def selected_inverse(self) -> np.ndarray:
        """A^-1 at the entries of A, in their order ([vanhatalo] eq. 11)   (nnz,)."""
        S = self.symbolic
        Zx, Zd = selected_inverse(S.Lp, S.Li, self.Lx, self.D)
        return lookup(self._start, self._rows, S.inverse, S.Lp, S.Li, Zx, Zd)


def permuted(A, perm) -> csc_matrix:
    """P A P' with sorted indices."""
    P = csc_matrix(A)[perm][:, perm].tocsc()
    P.sort_indices()
    return P


# -- symbolic --------------------------------------------------------------------------------------------------------


@njit(cache=True)
def _rows(Ap, Ai, parent, Lp):
    n = len(parent)
    Li, flag, end = np.empty(Lp[n], np.int32), np.full(n, -1), Lp[:n].copy()
    for k in range(n):
        flag[k] = k
        for p in range(Ap[k], Ap[k + 1]):
            i = Ai[p]
            while i < k and flag[i] != k:
                Li[end[i]] = k
                end[i] += 1
                flag[i] = k
                i = parent[i]
    return Li


@njit(cache=True)
def reach(Ap, Ai, k, parent, flag, stack):
    """Columns of row k of L in an order in which they can be eliminated: stack[top:], with top returned.

    `flag` marks what was seen for this k and must not hold k before.
    """
    top = len(parent)
    flag[k] = k
    for p in range(Ap[k], Ap[k + 1]):
        i, length = Ai[p], 0
        while i < k and flag[i] != k:
            stack[length] = i
            length += 1
            flag[i] = k
            i = parent[i]
        while length > 0:
            length -= 1
            top -= 1
            stack[top] = stack[length]
    return top


# -- numeric ---------------------------------------------------------------------------------------------------------


@njit(cache=True)
def _factorise(Ap, Ai, Ax, parent, Lp, Li, Lx, D):
    """Up-looking: row k of L by a sparse triangular solve; the index of a pivot that is not positive, or -1."""
    n = len(parent)
    x, flag, stack, end = np.zeros(n), np.full(n, -1), np.empty(n, np.int64), Lp[:n].copy()
    for k in range(n):
        top = reach(Ap, Ai, k, parent, flag, stack)
        for p in range(Ap[k], Ap[k + 1]):
            if Ai[p] <= k:
                x[Ai[p]] = Ax[p]
        d = x[k]
        x[k] = 0.0
        for t in range(top, n):
            j = stack[t]
            xj = x[j]
            x[j] = 0.0
            for p in range(Lp[j], end[j]):
                x[Li[p]] -= Lx[p] * xj
            l = xj / D[j]
            d -= l * xj
            Lx[end[j]] = l
            end[j] += 1
        if not d > 0.0:
            return k
        D[k] = d
    return -1


@njit(cache=True)
def forward(Lp, Li, Lx, x):
    """L^-1 x, in place."""
    for j in range(len(x)):
        if x[j] != 0.0:
            for p in range(Lp[j], Lp[j + 1]):
                x[Li[p]] -= Lx[p] * x[j]
    return x


@njit(cache=True)
def _backward(Lp, Li, Lx, x):
    for j in range(len(x) - 1, -1, -1):
        for p in range(Lp[j], Lp[j + 1]):
            x[j] -= Lx[p] * x[Li[p]]


@njit(cache=True)
def _forward_many(Lp, Li, Lx, D, W):
    """Sum of squares of D^-1/2 L^-1 W by column; rows of W that stay zero cost nothing. W is overwritten."""
    n, t = W.shape
    total = np.zeros(t)
    for j in range(n):
        some = False
        for c in range(t):
            some |= W[j, c] != 0.0
        if some:
            for c in range(t):
                total[c] += W[j, c] * W[j, c] / D[j]
            for p in range(Lp[j], Lp[j + 1]):
                i, l = Li[p], Lx[p]
                for c in range(t):
                    W[i, c] -= l * W[j, c]
    return total
