"""Multifrontal Cholesky of a sparse symmetric matrix: factor, solve, log determinant, selected inversion.

All heavy work is BLAS on dense fronts (fronts.py has the tree); gathers and scatters are compiled loops; work arrays
are kept and used again, because fresh ones cost page faults. Inside a front matrices are column-major, lower triangle.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit

from gpbench.errors import NotPositiveDefinite

from .blas import N, T, gemm, potrf, potri, symm, syrk, trsm_right
from .fronts import Fronts, analyse


class Multifrontal:
    """A `SparseFactor` of matrices that share one pattern (csc, indices sorted, both triangles, full diagonal)."""

    def __init__(self, pattern: sp.csc_matrix, perm):
        assert pattern.has_sorted_indices
        self.fronts: Fronts = analyse(pattern, perm)
        tree = self.tree = self.fronts.tree
        # where each entry of the pattern, or its mirror image, stands in the panels; `given` are those that stand there
        self.target, lower = _targets(tree, pattern.indptr, pattern.indices, self.fronts.inverse, self.fronts.perm)
        self.given = np.flatnonzero(lower)
        self.panel = np.empty(tree.panel_start[-1])
        self.stack = np.empty(self.fronts.stack_size)
        self.update = np.empty(self.fronts.tallest**2)
        self.W = np.empty(int(np.max(np.diff(tree.first) * np.diff(tree.row_start), initial=0)))
        self.inverses = np.empty(self.fronts.z_size)
        self._logdet = np.nan

    def factorise(self, values) -> Multifrontal:
        """Factor of the matrix whose entries, in the pattern's order, are `values`."""
        _spread(np.asarray(values, dtype=float), self.given, self.target, self.panel)
        ok, self._logdet = _factorise(self.tree, self.panel, self.stack, self.update)
        if not ok:
            raise NotPositiveDefinite(f"sparse matrix ({self.fronts.n} rows) is not positive definite")
        return self

    def logdet(self) -> float:
        return self._logdet

    def solve(self, b) -> np.ndarray:
        """A^-1 b; b is (n,) or (n, k)."""
        x, work = self._permuted(b)
        _forward(self.tree, self.panel, x.reshape(-1), len(x), work)
        _backward(self.tree, self.panel, x.reshape(-1), len(x), work)
        return x[self.fronts.inverse]

    def half_solve(self, b) -> np.ndarray:
        """L^-1 b in the factor's order of rows: its squared columns sum to b' A^-1 b."""
        x, work = self._permuted(b)
        _forward(self.tree, self.panel, x.reshape(-1), len(x), work)
        return x

    def _permuted(self, b) -> tuple[np.ndarray, np.ndarray]:
        """Rows of b in the factor's order, the columns of a row side by side, and work for a walk over the fronts."""
        x = np.ascontiguousarray(np.asarray(b, dtype=float)[self.fronts.perm])
        return x, np.empty(self.fronts.tallest * (x.size // max(len(x), 1)))

    def half_squares(self, B: sp.csc_matrix, block: int | None = None) -> np.ndarray:
        """b' A^-1 b for each column b of a sparse matrix.

        L^-1 b is zero outside the fronts of b's entries and those above them, so a block works on these alone, and
        columns whose lowest fronts are near share a block: few of them where fronts are small and paths part soon.
        """
        B, block = sp.csc_matrix(B), block or int(np.clip(self.fronts.tallest // 8, 32, 256))
        front = np.repeat(np.arange(self.fronts.count), np.diff(self.tree.first))  # of each row of the factor
        rows = self.fronts.inverse[B.indices]
        lowest = np.full(B.shape[1], self.fronts.count)
        np.minimum.at(lowest, np.repeat(np.arange(B.shape[1]), np.diff(B.indptr)), front[rows])
        order, out = np.argsort(lowest, kind="stable"), np.zeros(B.shape[1])
        work, x = np.empty(self.fronts.tallest * block), np.zeros(self.fronts.n * block)
        for i in range(0, len(order), block):
            some = order[i : i + block]
            out[some] = _squares(self.tree, self.panel, B.indptr, rows, B.data, some, front, x, work)
        return out

    def selected_inverse(self) -> np.ndarray:
        """A^-1 at the entries of the pattern this factor was made for, in its order   (nnz,)."""
        Z = np.empty_like(self.panel)
        _selected_inverse(self.tree, self.panel, self.W, self.inverses, Z)
        return Z[self.target]


@njit(cache=True)
def _targets(tree, indptr, indices, position, perm):
    target, lower = np.empty(len(indices), np.int64), np.empty(len(indices), np.bool_)
    row_of, mirror = np.empty(len(perm), np.int64), np.empty(len(indices), np.int64)
    _mirror(indptr, indices, mirror)
    for f in range(len(tree.parent)):
        begin, end, first_row = tree.first[f], tree.first[f + 1], tree.row_start[f]
        size = end - begin + tree.row_start[f + 1] - first_row
        for p in range(first_row, tree.row_start[f + 1]):
            row_of[tree.rows[p]] = end - begin + p - first_row
        for j in range(begin, end):
            row_of[j] = j - begin
        for j in range(begin, end):
            column = perm[j]
            for p in range(indptr[column], indptr[column + 1]):
                i = position[indices[p]]
                lower[p] = i >= j
                if i >= j:
                    target[p] = target[mirror[p]] = tree.panel_start[f] + (j - begin) * size + row_of[i]
    return target, lower


@njit(cache=True)
def _mirror(indptr, indices, out):
    """Where the entry (j, i) of a symmetric pattern stands, for every entry (i, j)."""
    seen = indptr[:-1].copy()
    for column in range(len(indptr) - 1):  # columns in order meet the entries of every other column in order
        for p in range(indptr[column], indptr[column + 1]):
            i = indices[p]
            out[p] = seen[i]
            seen[i] += 1


@njit(cache=True)
def _spread(values, given, target, panel):
    panel[:] = 0.0
    for p in given:
        panel[target[p]] = values[p]


@njit(cache=True)
def shape_of(tree, f):
    """(|J|, |R|) of a front."""
    return tree.first[f + 1] - tree.first[f], tree.row_start[f + 1] - tree.row_start[f]


@njit(cache=True)
def _factorise(tree, panel, stack, update):
    """From the leaves up; the panels hold the matrix and receive the factor. (success, log determinant).

    Update matrices wait on a stack. An heir's is the parent's front already: its first columns are added to the panel,
    the rest stays where it is and becomes the parent's update matrix.
    """
    k = len(tree.parent)
    waiting, begin = np.empty(k, np.int64), np.empty(k, np.int64)  # fronts whose update matrices lie on the stack
    at, lead = np.empty(k, np.int64), np.empty(k, np.int64)  # where, without what their ancestors have taken
    logdet, top, alive = 0.0, 0, 0
    for f in range(k):
        w, h = shape_of(tree, f)
        size, low = w + h, alive
        P = panel[tree.panel_start[f] :]
        while low and tree.parent[waiting[low - 1]] == f:
            low -= 1
        inplace = low < alive and tree.heir[waiting[low]]
        if inplace:
            ld = lead[low]
            for j in range(w):
                P[j * size + j : (j + 1) * size] += stack[at[low] + j * (ld + 1) : at[low] + j * ld + size]
            at[low] += w * (ld + 1)
            U = stack[at[low] :]
        elif low < alive:
            ld, U = h, update
            U[: h * h] = 0.0
        else:
            ld, U = h, stack[top:]  # of a leaf
        for e in range(alive - 1, low + inplace - 1, -1):
            c = waiting[e]
            place = tree.place[tree.row_start[c] : tree.row_start[c + 1]]
            _extend_add(stack[at[e] :], lead[e], place, P, size, w, U, ld)
        if potrf(w, P, size) != 0:
            return False, np.nan
        for j in range(w):
            logdet += 2.0 * np.log(P[j * size + j])
        if low + inplace < alive:
            top = begin[low + inplace]
        if h:
            trsm_right(T, h, w, P, size, P[w:], size)  # L_RJ = F_RJ L_JJ^-T
            syrk(h, w, -1.0, P[w:], size, 1.0 if low < alive else 0.0, U, ld)  # for the parent: F_RR - L_RJ L_RJ'
            if not inplace:
                if low < alive:
                    stack[top : top + h * h] = U[: h * h]
                begin[low] = at[low] = top
                lead[low], top = h, top + h * h
            waiting[low], alive = f, low + 1
        else:
            top, alive = begin[low] if low < alive else top, low
    return True, logdet


@njit(cache=True)
def _extend_add(C, ldc, place, P, size, w, U, ldu):
    """Add a child's update matrix (lower) into the parent's panel and update matrix; `place` is increasing."""
    m = len(place)
    for b in range(m):
        at = place[b]
        column = C[b * ldc : b * ldc + m]
        shift = 0 if at < w else w
        target = P[at * size :] if at < w else U[(at - w) * ldu :]
        for a in range(b, m):
            target[place[a] - shift] += column[a]


@njit(cache=True)
def _forward_front(tree, panel, f, x, k, work):
    """The step of front f: its own rows are solved, the rows of fronts above it are updated.

    The k columns of a row lie side by side: what Fortran sees is the transpose.
    """
    w, h = shape_of(tree, f)
    P, own, rows = panel[tree.panel_start[f] :], x[tree.first[f] * k :], tree.rows[tree.row_start[f] :]
    trsm_right(T, k, w, P, w + h, own, k)
    gemm(N, T, k, h, w, 1.0, own, k, P[w:], w + h, 0.0, work, k)
    for a in range(h):
        target, source = x[rows[a] * k : (rows[a] + 1) * k], work[a * k : (a + 1) * k]
        for c in range(k):
            target[c] -= source[c]


@njit(cache=True)
def _forward(tree, panel, x, n, work):
    """L y = x in place for the columns of x, row by row (n rows)."""
    for f in range(len(tree.parent)):
        _forward_front(tree, panel, f, x, len(x) // max(n, 1), work)


@njit(cache=True)
def _squares(tree, panel, indptr, rows, values, columns, front, x, work):
    """|L^-1 b|^2 of some sparse columns b; `x` is zero before and after."""
    k, out = len(columns), np.zeros(len(columns))
    active = np.zeros(len(tree.parent), np.bool_)
    for c in range(k):
        for p in range(indptr[columns[c]], indptr[columns[c] + 1]):
            x[rows[p] * k + c] = values[p]
            active[front[rows[p]]] = True
    for f in range(len(tree.parent)):
        if not active[f]:
            continue
        if tree.parent[f] >= 0:
            active[tree.parent[f]] = True
        _forward_front(tree, panel, f, x, k, work)
        for j in range(tree.first[f], tree.first[f + 1]):
            own = x[j * k : (j + 1) * k]
            for c in range(k):
                out[c] += own[c] ** 2
                own[c] = 0.0
    return out


@njit(cache=True)
def _backward(tree, panel, x, n, work):
    """L' y = x in place for the columns of x."""
    k = len(x) // max(n, 1)
    for f in range(len(tree.parent) - 1, -1, -1):
        w, h = shape_of(tree, f)
        P, own, rows = panel[tree.panel_start[f] :], x[tree.first[f] * k :], tree.rows[tree.row_start[f] :]
        for a in range(h):
            work[a * k : (a + 1) * k] = x[rows[a] * k : (rows[a] + 1) * k]
        gemm(N, N, k, w, h, -1.0, work, k, P[w:], w + h, 1.0, own, k)
        trsm_right(N, k, w, P, w + h, own, k)


# -- top-down: the inverse front by front ----------------------------------------------------------------------------


@njit(cache=True)
def inherit(tree, f, inverses):
    """Z of a front with Z_RR filled in from its parent's, and its leading dimension; column-major, lower triangle."""
    Z, ld, up = inverses[tree.z_start[f] :], tree.z_lead[f], tree.parent[f]
    if up < 0 or tree.heir[f]:  # an heir's is there
        return Z, ld
    w, h = shape_of(tree, f)
    above, ld_up = inverses[tree.z_start[up] :], tree.z_lead[up]
    place = tree.place[tree.row_start[f] : tree.row_start[f + 1]]
    for b in range(h):
        column, target = above[place[b] * ld_up :], Z[(w + b) * ld + w :]
        for a in range(b, h):
            target[a] = column[place[a]]
    return Z, ld


@njit(cache=True)
def invert_front(tree, f, panel, Z, ld, W):
    """Z_JJ (both triangles) and Z_RJ, where Z_RR is there; leaves W = L_RJ L_JJ^-1."""
    w, h = shape_of(tree, f)
    size = w + h
    P = panel[tree.panel_start[f] :]
    for j in range(w):
        Z[j * ld + j : j * ld + w] = P[j * size + j : j * size + w]
        W[j * h : (j + 1) * h] = P[j * size + w : (j + 1) * size]
    potri(w, Z, ld)
    if h:
        trsm_right(N, h, w, P, size, W, h)
        symm(h, w, -1.0, Z[w * ld + w :], ld, W, h, 0.0, Z[w:], ld)  # Z_RJ = -Z_RR W
        gemm(T, N, w, w, h, -1.0, W, h, Z[w:], ld, 1.0, Z, ld)  # Z_JJ = (L_JJ L_JJ')^-1 - W' Z_RJ, lower counts
    for j in range(w):
        for i in range(j + 1, w):
            Z[i * ld + j] = Z[j * ld + i]


@njit(cache=True)
def _selected_inverse(tree, panel, W, inverses, out):
    for f in range(len(tree.parent) - 1, -1, -1):
        w, h = shape_of(tree, f)
        Z, ld = inherit(tree, f, inverses)
        invert_front(tree, f, panel, Z, ld, W)
        begin, size = tree.panel_start[f], w + h
        for j in range(w):
            out[begin + j * size : begin + (j + 1) * size] = Z[j * ld : j * ld + size]
