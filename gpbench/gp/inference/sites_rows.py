"""`solver: rows`: EP site by site on a sparse factor, the way [vanhatalo] has it (Algorithms 1 and 2).

A visit to site i needs x = L^-1 a with a = S K_:i. Its part before i gives the new row l12 of L, its part after i
(before column i is applied) the new column l32, the whole of it the marginal; with g = L^-1 (S gamma), gamma = K nu,
kept up to date there is no backward solve. The rest of L changes by one update and one downdate (eq. 15), made
together along the path from i to the root. All indices are those of the factor's order, in which the sites are
visited.

Where the print differs: step 11 of Algorithm 1 needs a / sigma_i, not a sigma_i; Algorithm 2 needs
d22 = b22 - l12' D11 l12 before its step 3; gamma starts as K nu.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import csc_matrix

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.linalg.multifrontal import Multifrontal
from gpbench.gp.linalg.sparse_ldl import SparseLDL, Symbolic, forward, permuted, reach

from .ep import megabytes, site_update
from .sites_sparse import SparseSites


class Ldl(NamedTuple):
    """The factor of B in the form that compiled code uses (gp/linalg/sparse_ldl.py)."""

    parent: np.ndarray
    Lp: np.ndarray
    Li: np.ndarray
    Lx: np.ndarray  # these two change in place
    D: np.ndarray


class Visited(NamedTuple):
    """What a sweep changes in place, site by site, and the targets."""

    tau: np.ndarray
    nu: np.ndarray
    s: np.ndarray  # sqrt(tau)
    gamma: np.ndarray  # K nu
    g: np.ndarray  # L^-1 (S gamma)
    y: np.ndarray


class RowSites(SparseSites):
    """`touched` counts entries of L that the sweeps visited: [in triangular solves, in row modifications]."""

    def __init__(self, kernel, X, ordering: str = "amd"):
        super().__init__(kernel, X, ordering)
        P = permuted(self.K, self.symbolic.perm)
        self._P = P.indptr.astype(np.int64), P.indices, P.data
        self.touched = np.zeros(2, dtype=np.int64)

    def analyse(self, ordering):
        self.symbolic = Symbolic.of(self.K, ordering)
        self.note, self.fronts = self.symbolic.note, Multifrontal(self.K, self.symbolic.perm)

    def refresh(self, sites):
        super().refresh(sites)
        self._ldl = None

    @property
    def ldl(self) -> SparseLDL:
        """The factor of B that sweeps modify row by row; marginals and predictions are those of the fronts."""
        if self._ldl is None:
            B = csc_matrix((self.B(), self.K.indices, self.K.indptr), shape=self.K.shape)
            self._ldl = SparseLDL(self.symbolic, B)
        return self._ldl

    def sweep(self, sites, y, likelihood):
        S, f = self.symbolic, self.ldl
        s = np.sqrt(sites.tau)
        empty = not sites.tau.any()  # row addition: L is still the identity below the site that is visited
        tau, nu, s, y = sites.tau[S.perm], sites.nu[S.perm], s[S.perm], y[S.perm]
        gamma = (self.K @ sites.nu)[S.perm]
        g = forward(S.Lp, S.Li, f.Lx, s * gamma)
        if empty:
            f.Lx[:] = 0.0
            f.D[:] = 1.0
        ldl, at = Ldl(S.parent, S.Lp, S.Li, f.Lx, f.D), Visited(tau, nu, s, gamma, g, y)
        largest, refused, bad = _sweep(self._P, ldl, at, likelihood.code, likelihood.noise, empty, self.touched)
        if bad >= 0:
            raise NotPositiveDefinite(f"EP by rows: the factor of B lost positive definiteness at site {S.perm[bad]}")
        sites.tau[S.perm], sites.nu[S.perm] = tau, nu
        return largest, refused

    def figures(self):
        """Fill and memory of what the sweeps work on, the fronts apart, as [vanhatalo] has them."""
        S, n = self.symbolic, len(self.kdiag)
        numbers = 8 * (len(S.Li) + S.n + self.K.nnz) / 1e6  # L, D and Z
        return {
            "fill_K": self.K.nnz / n**2,
            "fill_L": S.fill,
            "factor_mb": megabytes(self.K, S.Lp, S.Li) + numbers,
            "touched": int(self.touched.sum()),
        }


@njit(cache=True)
def _sweep(K, ldl, at, code, noise, empty, touched):
    """One visit to every site; (largest change, updates refused, site where D lost its sign or -1)."""
    Kp, Ki, Kx = K  # csc
    parent, Lp, Li, Lx, D = ldl
    tau, nu, s, gamma, g, y = at
    n = len(parent)
    x, t, W = np.zeros(n), np.zeros(n), np.zeros((n, 3))
    flag, stack, row = np.full(n, -1), np.empty(n, np.int64), Lp[:n].copy()  # row[j]: where column j holds row i
    largest, refused = 0.0, 0
    for i in range(n):
        top = reach(Kp, Ki, i, parent, flag, stack)
        Kii = 0.0
        for p in range(Kp[i], Kp[i + 1]):  # step 5: a = S K_:i
            x[Ki[p]] = s[Ki[p]] * Kx[p]
            if Ki[p] == i:
                Kii = Kx[p]
        # step 6 down to row i; below it, x then holds t = a_3 - L31 x_1
        before, mean = 0.0, 0.0
        for k in range(top, n):
            j = stack[k]
            end = row[j] + 1 if empty else Lp[j + 1]
            for p in range(Lp[j], end):
                x[Li[p]] -= Lx[p] * x[j]
            touched[0] += end - Lp[j]
            before += x[j] * x[j] / D[j]
            mean += x[j] * g[j] / D[j]
        for p in range(Lp[i], Lp[i + 1]):
            t[Li[p]] = x[Li[p]]
        var, mean = _up_the_tree(i, ldl, x, g, Kii - before, mean, touched)
        new_tau, new_nu, change = site_update(code, noise, y[i], gamma[i] - mean, var, tau[i], nu[i])  # steps 7-9
        largest, refused = max(largest, change), refused + (change < 0.0)
        # steps 10-13; a refused site keeps its values, and its row is written as it was
        dnu, root = new_nu - nu[i], math.sqrt(new_tau)
        for p in range(Kp[i], Kp[i + 1]):
            gamma[Ki[p]] += Kx[p] * dnu
        gi = root * gamma[i]
        for k in range(top, n):  # Algorithm 2, step 2: the new row
            j = stack[k]
            g[j] += dnu * x[j]
            l = root * x[j] / D[j]
            Lx[row[j]] = l
            row[j] += 1
            gi -= l * g[j]
            x[j] = 0.0
        d_old, d_new = D[i], 1.0 + new_tau * (Kii - before)
        if not d_new > 0.0:
            return largest, refused, i
        some = False
        for p in range(Lp[i], Lp[i + 1]):  # steps 3 and 4: the new column, and what it leaves for L33
            r, old = Li[p], Lx[p]
            new = root * t[r] / d_new
            W[r, 0], W[r, 1] = old * math.sqrt(d_old), new * math.sqrt(d_new)
            W[r, 2] = dnu * t[r] - new * gi + old * g[i]  # right-hand side of the change of g
            some |= old != 0.0 or new != 0.0 or W[r, 2] != 0.0
            Lx[p] = new
        D[i], g[i], tau[i], nu[i], s[i] = d_new, gi, new_tau, new_nu, root
        if some and _modify(parent[i], ldl, g, W, touched) >= 0:  # step 5
            return largest, refused, i
    return largest, refused, -1


@njit(cache=True)
def _up_the_tree(i, ldl, x, g, var, mean, touched):
    """The forward solve from column i on: its path to the root holds all that is left. x is zero there afterwards."""
    parent, Lp, Li, Lx, D = ldl
    j = i
    while j != -1:
        if x[j] != 0.0:
            for p in range(Lp[j], Lp[j + 1]):
                x[Li[p]] -= Lx[p] * x[j]
            touched[0] += Lp[j + 1] - Lp[j]
            var -= x[j] * x[j] / D[j]
            mean += x[j] * g[j] / D[j]
            x[j] = 0.0
        j = parent[j]
    return var, mean


@njit(cache=True)
def _modify(j, ldl, g, W, touched):
    """L33 D33 L33' + w1 w1' - w2 w2' along the path from j (eq. 15), and g with it; a failing pivot, or -1."""
    parent, Lp, Li, Lx, D = ldl
    up, down = 1.0, -1.0
    while j != -1:
        w1, w2, g_old, d = W[j, 0], W[j, 1], g[j], D[j]
        g_new = g_old + W[j, 2]
        W[j, 0] = W[j, 1] = W[j, 2] = 0.0
        d1 = d + up * w1 * w1
        b1, up = up * w1 / d1, up * d / d1
        d2 = d1 + down * w2 * w2
        if not d2 > 0.0:
            return j
        b2, down = down * w2 / d2, down * d1 / d2
        D[j], g[j] = d2, g_new
        for p in range(Lp[j], Lp[j + 1]):
            r, l = Li[p], Lx[p]
            v1 = W[r, 0] - w1 * l
            l1 = l + b1 * v1
            v2 = W[r, 1] - w2 * l1
            l2 = l1 + b2 * v2
            W[r, 0], W[r, 1] = v1, v2
            W[r, 2] -= l2 * g_new - l * g_old
            Lx[p] = l2
        touched[1] += Lp[j + 1] - Lp[j]
        j = parent[j]
    return -1
