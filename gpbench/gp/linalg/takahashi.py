"""Entries of A^-1 on the pattern of its sparse factor, without the rest of the inverse (Takahashi et al. 1973).

With A = L D L' and Z = A^-1, Z = D^-1 L^-1 + (I - L') Z: from the last column to the first, an entry on the pattern
of L needs only entries on that pattern.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def selected_inverse(Lp, Li, Lx, D):
    """(Zx, Zd): Z below the diagonal in the order of Li, and its diagonal."""
    n = len(D)
    Zx, Zd = np.empty(len(Li)), np.empty(n)
    z, position = np.zeros(n), np.full(n, -1)
    for j in range(n - 1, -1, -1):
        begin, end = Lp[j], Lp[j + 1]
        for p in range(begin, end):
            position[Li[p]] = p
        # z_i = -sum_k Z_ik L_kj over the rows k of column j; Z_ik is held in column min(i, k)
        for p in range(begin, end):
            k, l = Li[p], Lx[p]
            zk = Zd[k] * l
            for q in range(Lp[k], Lp[k + 1]):
                i = Li[q]
                if position[i] >= begin:
                    z[i] += Zx[q] * l
                    zk += Zx[q] * Lx[position[i]]
            z[k] += zk
        d = 1.0 / D[j]
        for p in range(begin, end):
            i = Li[p]
            Zx[p] = -z[i]
            d += Lx[p] * z[i]
            z[i] = 0.0
            position[i] = -1
        Zd[j] = d
    return Zx, Zd


@njit(cache=True)
def lookup(Ap, Ai, inverse, Lp, Li, Zx, Zd):
    """Z at the entries of a csc pattern in the original order; `inverse` is the inverse permutation of the factor."""
    out = np.empty(len(Ai))
    for j in range(len(Ap) - 1):
        for p in range(Ap[j], Ap[j + 1]):
            a, b = inverse[j], inverse[Ai[p]]
            if a == b:
                out[p] = Zd[a]
            else:
                column, row = min(a, b), max(a, b)
                out[p] = Zx[Lp[column] + np.searchsorted(Li[Lp[column] : Lp[column + 1]], row)]
    return out
