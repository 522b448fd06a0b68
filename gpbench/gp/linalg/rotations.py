"""Sequences of plane reflections between neighbouring rows, applied to wide arrays in one pass over memory.

One step mixes rows s and s+1 by the reflection [c  s; s  -c]. In a sequence one row travels: it is mixed with its
neighbour, moves on, and every row it passes is read and written once. The array is walked in panels of columns, so
that the travelling row stays in cache while the others stream by.
"""

from __future__ import annotations

import numpy as np
from numba import njit

PANEL = 1536  # columns: 12 kB of the travelling row; a power of two would make rows share cache sets

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "arcp"})


# Rows come as separate contiguous arrays and at most two steps are fused: then the compiler can prove (or test at run
# time) that they do not overlap, and vectorises.
@_compiled
def _pass_one(first, second, carry, c, s):
    for i in range(len(carry)):
        a, b = carry[i], second[i]
        first[i] = c * a + s * b
        carry[i] = s * a - c * b


@_compiled
def _pass_two(first, second, third, carry, c, s, c2, s2):
    for i in range(len(carry)):
        a, b, g = carry[i], second[i], third[i]
        first[i] = c * a + s * b
        a = s * a - c * b
        second[i] = c2 * a + s2 * g
        carry[i] = s2 * a - c2 * g


@_compiled
def travel_down(A, start, cos, sin):
    """Row `start` of A (C order) passes len(cos) rows on its way down; A is changed in place."""
    steps, n, buffer = len(cos), A.shape[1], np.empty(PANEL)
    for low in range(0, n, PANEL):
        high = min(low + PANEL, n)
        carry = buffer[: high - low]
        carry[:] = A[start, low:high]
        t = 0
        while t + 2 <= steps:
            k = start + t
            one, two, three = A[k, low:high], A[k + 1, low:high], A[k + 2, low:high]
            _pass_two(one, two, three, carry, cos[t], sin[t], cos[t + 1], sin[t + 1])
            t += 2
        if t < steps:
            _pass_one(A[start + t, low:high], A[start + t + 1, low:high], carry, cos[t], sin[t])
        A[start + steps, low:high] = carry


@_compiled
def _climb_one(above, below, carry, c, s):
    for i in range(len(carry)):
        a, b = above[i], carry[i]
        carry[i] = c * a + s * b
        below[i] = s * a - c * b


@_compiled
def travel_up(A, start, cos, sin):
    """Row `start` of A (C order) passes len(cos) rows on its way up; A is changed in place."""
    steps, n, buffer = len(cos), A.shape[1], np.empty(PANEL)
    for low in range(0, n, PANEL):
        high = min(low + PANEL, n)
        carry = buffer[: high - low]
        carry[:] = A[start, low:high]
        for t in range(steps):
            _climb_one(A[start - t - 1, low:high], A[start - t, low:high], carry, cos[t], sin[t])
        A[start - steps, low:high] = carry


@_compiled
def travel_along(A, start, cos, sin):
    """As `travel_down` for the columns of A instead of its rows."""
    for r in range(A.shape[0]):
        carry = A[r, start]
        for t in range(len(cos)):
            b = A[r, start + t + 1]
            A[r, start + t] = cos[t] * carry + sin[t] * b
            carry = sin[t] * carry - cos[t] * b
        A[r, start + len(cos)] = carry


@_compiled
def swap_down(U, m, k):
    """Move column k of the upper triangle U[:m, :m] to the end; U stays upper triangular with a positive diagonal.

    Neighbours change places one after another; after each exchange rows s, s+1 are reflected to clear the entry below
    the diagonal ([cao] Algorithm 4, first half). Returns the cosines and sines of the reflections.
    """
    cos, sin = np.empty(m - 1 - k), np.empty(m - 1 - k)
    for s in range(k, m - 1):
        cos[s - k], sin[s - k] = _exchange(U, m, s)
    return cos, sin


@_compiled
def swap_up(U, m, k):
    """Move column k of U to the front; as `swap_down`."""
    cos, sin = np.empty(k), np.empty(k)
    for t in range(k):
        cos[t], sin[t] = _exchange(U, m, k - 1 - t)
    return cos, sin


@_compiled
def _exchange(U, m, s):
    """Exchange columns s and s+1 of U and restore the triangle; the reflection of rows s, s+1 that did it."""
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
def retriangulate(R, m, k, cos, sin):
    """R <- T2 R T1 upper triangular, T1 the given reflections of columns k, k+1, ...; returns those of the rows.

    [cao] Algorithm 4, second half. Two reflections have determinant 1, so every diagonal entry stays positive.
    """
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
