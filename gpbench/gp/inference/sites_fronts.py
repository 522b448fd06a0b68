"""Sparse EP over the fronts of a multifrontal Cholesky: the fixed point of [vanhatalo]'s Algorithm 1, by BLAS.

With s = sqrt(tau), S = diag(s), B = I + S K S, Z = B^-1 and q = Z S^-1 nu, the posterior is Sigma = diag(1/tau) -
S^-1 Z S^-1, mu = (nu - s q)/tau. Since S Z S = (K + diag(1/tau))^-1, a change of sites changes a diagonal only. A
sweep is one factorisation of B, then a walk from the root down: each front inherits its part of Z, corrected for the
sites its ancestors have changed, runs sequential EP on its own dense block, and hands its change on by low-rank
updates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from gpbench.gp.linalg.blas import N, T, gemm, gemv, gesv
from gpbench.gp.linalg.multifrontal import inherit, invert_front, shape_of

from .ep import TINY, Sites, update_at_once, update_block
from .sites_sparse import SparseSites

FAINT = 1e-7  # tau K_ii below this: (1 - Z_ii)/tau cancels, and the site is visited through its exact marginal instead
LOWEST = 1e-9  # tau K_ii a site is held at inside a block; the next sweep then finds it faint and puts it right
SLIGHT = 1e-3  # of the last sweep's largest change: what a site changed by less is not handed on within a sweep
TILE = 96  # of a triangle that is updated by whole squares
ROUNDS = 2  # of sequential EP in a block: a third fewer sweeps than one


class Visited(NamedTuple):
    """Sites in the factor's order; tau and nu change in place."""

    tau: np.ndarray
    nu: np.ndarray
    y: np.ndarray
    faint: np.ndarray  # left out of the blocks
    lowest: np.ndarray  # tau at least


class FrontSites(SparseSites):
    """Sequential EP within a front, fronts from the root down."""

    change = 0.0  # the last sweep's largest, at most one

    def sweep(self, sites: Sites, y, likelihood):
        code, noise = likelihood.code, likelihood.noise
        if not sites.tau.any():  # the prior's marginals are all there is to see
            every = np.arange(len(y))
            return update_at_once(0 * self.kdiag, self.kdiag, sites.tau, sites.nu, y, code, noise, every, 1.0)
        faint = sites.tau * self.kdiag < FAINT
        exact = self.marginals() if faint.any() else None
        perm, factor = self.factor.fronts.perm, self.factor
        q = factor.solve(sites.nu / self.s)
        tau, nu = np.maximum(sites.tau[perm], TINY), sites.nu[perm]
        at = Visited(tau, nu, y[perm], faint[perm], LOWEST / self.kdiag[perm])
        work = factor.panel, factor.W, factor.inverses
        change, refused = _sweep(factor.tree, work, at, q[perm], code, noise, SLIGHT * self.change)
        sites.tau[perm], sites.nu[perm] = tau, nu
        self.change = min(1.0, change)
        if exact is not None:
            more, none = update_at_once(*exact, sites.tau, sites.nu, y, code, noise, np.flatnonzero(faint), 1.0)
            change, refused = max(change, more), refused + none
        return change, refused


@njit(cache=True)
def _sweep(tree, work, at, q_start, code, noise, least):
    """One walk from the root down."""
    panel, W, inverses = work
    largest, refused = 0.0, 0
    for f in range(len(tree.parent) - 1, -1, -1):
        w, h = shape_of(tree, f)
        own = slice(tree.first[f], tree.first[f + 1])
        Z, ld = inherit(tree, f, inverses)
        invert_front(tree, f, panel, Z, ld, W)
        q = _inherit_vector(tree, f, inverses, q_start, W)
        tau, nu = at.tau[own], at.nu[own]
        old_tau, old_nu = tau.copy(), nu.copy()
        s = np.sqrt(old_tau)
        own_sites = Visited(tau, nu, at.y[own], at.faint[own], at.lowest[own])
        change, bad = _block(Z, ld, q, s, own_sites, code, noise)
        largest, refused = max(largest, change), refused + bad
        if tree.has_child[f]:
            dl = old_tau / tau - 1.0
            dr = s * (nu / tau - old_nu / old_tau)
            _absorb(Z, ld, w, h, q, dl, dr, least)
    return largest, refused


@njit(cache=True)
def _inherit_vector(tree, f, inverses, q_start, W):
    """q of a front's J, then R, as its ancestors' changes have left it: q_J = its start - W'(q_R - start of q_R)."""
    w, h = shape_of(tree, f)
    q = inverses[tree.z_vector[f] : tree.z_vector[f] + w + h]
    q[:w] = q_start[tree.first[f] : tree.first[f + 1]]
    up = tree.parent[f]
    if up < 0:
        return q
    above, moved = inverses[tree.z_vector[up] :], np.empty(h)
    for a in range(h):
        p = tree.row_start[f] + a
        q[w + a] = above[tree.place[p]]  # an heir's is the same place
        moved[a] = q[w + a] - q_start[tree.rows[p]]
    gemv(T, h, w, -1.0, W, h, moved, 1.0, q)
    return q


@njit(cache=True)
def _block(Z, ld, q, s, at, code, noise):
    """Sequential EP on the front's own sites, from Sigma_JJ = diag(1/tau) - Z_JJ/(s s') and mu_J = (nu - s q)/tau."""
    tau, nu, y, faint, lowest = at
    active = np.flatnonzero(~faint)
    m = len(active)
    Sigma, mu = np.empty((m, m)).T, np.empty(m)
    t, v, target = tau[active], nu[active], y[active]
    for b in range(m):
        j = active[b]
        mu[b] = (v[b] - s[j] * q[j]) / t[b]
        for a in range(m):
            Sigma[a, b] = -Z[j * ld + active[a]] / (s[active[a]] * s[j])
        Sigma[b, b] += 1.0 / t[b]
    largest, refused = 0.0, 0
    for r in range(ROUNDS):
        change, bad = update_block(Sigma, mu, t, v, target, code, noise, r + 1 < ROUNDS)
        if r == 0:
            largest = change
        refused += bad
    for b in range(m):
        tau[active[b]], nu[active[b]] = max(t[b], lowest[active[b]]), v[b]
    return largest, refused


@njit(cache=True)
def _absorb(Z, ld, w, h, q, dl, dr, least):
    """Z and q of a front after its sites changed: K + diag(1/tau) has moved by dl on its diagonal, scaled as before.

    With A the sites where |dl| > least and C = (diag(1/dl) + Z_AA)^-1, Z -= Z_.A C Z_A.
    """
    moved = np.flatnonzero(np.abs(dl) > least)
    a, size = len(moved), w + h
    e = dr.copy()  # dr - C (q_J + Z_JJ dr)
    if a:
        M, C, v = np.empty(a * a), np.zeros(a * a), q[:w].copy()
        Z_A, Z_AJ, T1 = np.empty(size * a), np.empty(a * w), np.empty(size * a)
        gemv(N, w, w, 1.0, Z, ld, dr, 1.0, v)
        for b in range(a):
            j = moved[b]
            C[b * a + b] = dl[j]
            Z_A[b * size : (b + 1) * size] = Z[j * ld : j * ld + size]
            for c in range(a):
                M[b * a + c] = dl[moved[c]] * Z[j * ld + moved[c]]
            M[b * a + b] += 1.0
        for j in range(w):
            for b in range(a):
                Z_AJ[j * a + b] = Z[j * ld + moved[b]]
        gesv(a, a, M, a, np.empty(a, np.int32), C, a)
        for b in range(a):
            for c in range(a):
                e[moved[c]] -= C[b * a + c] * v[moved[b]]
    gemv(N, size, w, 1.0, Z, ld, e, 1.0, q)
    if a:
        gemm(N, N, size, a, a, 1.0, Z_A, size, C, a, 0.0, T1, size)  # Z_.A C
        gemm(N, N, size, w, a, -1.0, T1, size, Z_AJ, a, 1.0, Z, ld)
        _less_product(h, a, T1[w:], size, Z_A[w:], size, Z[w * ld + w :], ld)


@njit(cache=True)
def _less_product(n, k, A, lda, B, ldb, C, ldc):
    """C -= A B' where that is symmetric, lower triangle: small squares along the diagonal, larger ones below."""
    for j in range(0, n, TILE):
        b = min(TILE, n - j)
        gemm(N, T, b, b, k, -1.0, A[j:], lda, B[j:], ldb, 1.0, C[j * ldc + j :], ldc)
    side = TILE
    while side < n:
        for j in range(0, n - side, 2 * side):
            low = j + side
            gemm(N, T, min(side, n - low), side, k, -1.0, A[low:], lda, B[j:], ldb, 1.0, C[j * ldc + low :], ldc)
        side *= 2
