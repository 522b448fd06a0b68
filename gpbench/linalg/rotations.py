"""Sequences of plane reflections between neighbouring rows, applied to wide arrays in one pass over memory.

One step mixes rows s and s+1 by the reflection [c  s; s  -c]. In a sequence one row travels: it is mixed with its
neighbour, moves on, and every row it passes is read and written once. The array is walked in panels of columns, so
that the travelling row stays in cache while the others stream by.
"""

from __future__ import annotations

import numpy as np
from numba import njit

PANEL = 1024  # columns; 8 kB of the travelling row

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "arcp"})


@_compiled
def travel_down(A, start, cos, sin):
    """Row `start` of A passes len(cos) rows on its way down; A is changed in place."""
    steps, n = len(cos), A.shape[1]
    carry = np.empty(PANEL)
    for low in range(0, n, PANEL):
        width = min(PANEL, n - low)
        carry[:width] = A[start, low : low + width]
        for t in range(steps):
            c, s = cos[t], sin[t]
            above, below = A[start + t, low : low + width], A[start + t + 1, low : low + width]
            for i in range(width):
                a, b = carry[i], below[i]
                above[i] = c * a + s * b
                carry[i] = s * a - c * b
        A[start + steps, low : low + width] = carry[:width]


@_compiled
def travel_up(A, start, cos, sin):
    """Row `start` of A passes len(cos) rows on its way up; A is changed in place."""
    steps, n = len(cos), A.shape[1]
    carry = np.empty(PANEL)
    for low in range(0, n, PANEL):
        width = min(PANEL, n - low)
        carry[:width] = A[start, low : low + width]
        for t in range(steps):
            c, s = cos[t], sin[t]
            above, below = A[start - t - 1, low : low + width], A[start - t, low : low + width]
            for i in range(width):
                a, b = above[i], carry[i]
                carry[i] = c * a + s * b
                below[i] = s * a - c * b
        A[start - steps, low : low + width] = carry[:width]


@_compiled
def swap_down(U, k):
    """Move column k of the upper triangle U (m, m) to the end; U stays upper triangular with a positive diagonal.

    Neighbours change places one after another; after each exchange rows s, s+1 are reflected to clear the entry below
    the diagonal ([cao] Algorithm 4, first half). Returns the cosines and sines of the reflections.
    """
    m = U.shape[0]
    cos, sin = np.empty(m - 1 - k), np.empty(m - 1 - k)
    for s in range(k, m - 1):
        cos[s - k], sin[s - k] = _exchange(U, s)
    return cos, sin


@_compiled
def swap_up(U, k):
    """Move column k of U to the front; as `swap_down`."""
    cos, sin = np.empty(k), np.empty(k)
    for t in range(k):
        cos[t], sin[t] = _exchange(U, k - 1 - t)
    return cos, sin


@_compiled
def _exchange(U, s):
    """Exchange columns s and s+1 of U and restore the triangle; the reflection of rows s, s+1 that did it."""
    m = U.shape[0]
    for i in range(s + 2):
        U[i, s], U[i, s + 1] = U[i, s + 1], U[i, s]
    r = np.hypot(U[s, s], U[s + 1, s])
    c, z = U[s, s] / r, U[s + 1, s] / r
    for j in range(s + 1, m):
        a, b = U[s, j], U[s + 1, j]
        U[s, j], U[s + 1, j] = c * a + z * b, z * a - c * b
    U[s, s], U[s + 1, s] = r, 0.0
    return c, z


@_compiled
def retriangulate(R, k, cos, sin):
    """R <- T2 R T1 upper triangular, T1 the given reflections of columns k, k+1, ...; returns those of the rows.

    [cao] Algorithm 4, second half. Two reflections have determinant 1, so every diagonal entry stays positive.
    """
    m = R.shape[0]
    cos2, sin2 = np.empty(len(cos)), np.empty(len(cos))
    for t in range(len(cos)):
        s, c, z = k + t, cos[t], sin[t]
        for i in range(s + 2):
            a, b = R[i, s], R[i, s + 1]
            R[i, s], R[i, s + 1] = c * a + z * b, z * a - c * b
        r = np.hypot(R[s, s], R[s + 1, s])
        c, z = R[s, s] / r, R[s + 1, s] / r
        for j in range(s + 1, m):
            a, b = R[s, j], R[s + 1, j]
            R[s, j], R[s + 1, j] = c * a + z * b, z * a - c * b
        R[s, s], R[s + 1, s] = r, 0.0
        cos2[t], sin2[t] = c, z
    return cos2, sin2
