"""Gram matrices of several base kernels on one set of inputs, made once and weighted anew for every theta.

Only the lower triangle is kept, the base kernels of a pair side by side: G[i (i + 1) / 2 + j] is (B,), j <= i.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numba import njit

LARGE = 100  # inputs; fewer are quicker looked up than remembered
MEMORY = 3 << 30  # bytes that a stack may take; larger sets are evaluated from the inputs each time
BLOCK = 1 << 22  # entries that are made at a time
COPY_LIMIT = 1 << 29  # bytes for copies of what is asked for again and again
ASKED = 16  # pairs of rows and columns that are recognised


class Latest:
    """Cache of answers about the last large arrays of inputs: a fit asks about few arrays, many times.

    The array's memory is recognised, not its values (blocks of one X are views made anew for every walk); callers must
    not write into inputs that a kernel has seen.
    """

    def __init__(self, look_up: Callable[[np.ndarray], np.ndarray | None], most: int = 8):
        self.look_up, self.most = look_up, most
        self._seen: list[tuple[tuple, np.ndarray, np.ndarray | None]] = []  # the latest first; holds the memory, too

    def __call__(self, X) -> np.ndarray | None:
        if len(X) < LARGE:
            return self.look_up(X)
        place = X.ctypes.data, X.shape, X.strides, X.dtype
        for i, (known, _, answer) in enumerate(self._seen):
            if known == place:
                self._seen.insert(0, self._seen.pop(i))
                return answer
        answer = self.look_up(X)
        self._seen = [(place, X, answer), *self._seen[: self.most - 1]]
        return answer


class GramStack:
    def __init__(self, n: int, bases: Sequence[Callable[[slice], np.ndarray]]):
        """Each base kernel, given slice(a, b), returns its matrix between inputs a..b-1 and 0..b-1   (b - a, b)."""
        self.G = np.empty((n * (n + 1) // 2, len(bases)))
        step = max(1, BLOCK // max(1, n * len(bases)))
        for a in range(0, n, step):
            part = slice(a, min(a + step, n))
            for b, base in enumerate(bases):
                _fill(self.G, base(part), a, b)

        self._copies: OrderedDict[tuple[bytes, bytes], np.ndarray | None] = OrderedDict()  # the latest last

    @staticmethod
    def fits(n: int, bases: int) -> bool:
        return 4 * n * (n + 1) * bases <= MEMORY

    def weighted(self, w, rows, cols) -> np.ndarray:
        """sum_b w_b G_b at the given rows and columns."""
        w = np.asarray(w, dtype=float)
        if (copy := self._copy(rows, cols)) is not None:
            return (copy @ w).reshape(len(rows), len(cols))
        return _square(self.G, w, rows) if rows is cols else _weighted(self.G, w, rows, cols)

    def project(self, dK, rows, cols) -> np.ndarray:
        """sum_ij dK_ij G_b,ij   (B,)."""
        dK = np.asarray(dK, dtype=float)
        if (copy := self._copy(rows, cols)) is not None:
            return dK.reshape(-1) @ copy
        return _project(self.G, dK, rows, cols)

    def _copy(self, rows, cols) -> np.ndarray | None:
        """The entries side by side, (rows times cols, B), from the second time the same are asked for: an optimiser
        asks for one set at every step, and a product over a copy takes a tenth of gathering them."""
        size = len(rows) * len(cols) * self.G[0].nbytes if len(self.G) else 0
        if not 0 < size <= COPY_LIMIT // 2:
            return None
        key = rows.tobytes(), cols.tobytes()
        known = key in self._copies
        copy = self._copies.pop(key, None)
        if known and copy is None:
            copy = _gathered(self.G, rows, cols)
        self._copies[key] = copy
        while len(self._copies) > ASKED or sum(c.nbytes for c in self._copies.values() if c is not None) > COPY_LIMIT:
            self._copies.popitem(last=False)
        return copy


@njit(cache=True)
def _fill(G, part, first, b):
    for r in range(len(part)):
        i = first + r
        for j in range(i + 1):
            G[i * (i + 1) // 2 + j, b] = part[r, j]


@njit(cache=True)
def _gathered(G, rows, cols):
    out = np.empty((len(rows) * len(cols), G.shape[1]))
    for a in range(len(rows)):
        i = rows[a]
        for c in range(len(cols)):
            j = cols[c]
            out[a * len(cols) + c] = G[i * (i + 1) // 2 + j] if i >= j else G[j * (j + 1) // 2 + i]
    return out


@njit(cache=True, fastmath={"reassoc", "contract"})
def _weighted(G, w, rows, cols):
    K = np.empty((len(rows), len(cols)))
    for a in range(len(rows)):
        i = rows[a]
        for c in range(len(cols)):
            j = cols[c]
            g = G[i * (i + 1) // 2 + j] if i >= j else G[j * (j + 1) // 2 + i]
            total = 0.0
            for b in range(len(w)):
                total += w[b] * g[b]
            K[a, c] = total
    return K


@njit(cache=True, fastmath={"reassoc", "contract"})
def _square(G, w, rows):
    """The same for cols = rows: every pair once, in the order of the memory."""
    n, order = len(rows), np.argsort(rows)
    K = np.empty((n, n))
    for p in range(n):
        a = order[p]
        first = rows[a] * (rows[a] + 1) // 2
        for q in range(p + 1):
            g = G[first + rows[order[q]]]
            total = 0.0
            for b in range(len(w)):
                total += w[b] * g[b]
            K[a, order[q]] = total
    for begin in range(0, n, 64):  # mirrored by blocks that stay in cache
        for other in range(0, begin + 1, 64):
            for p in range(begin, min(begin + 64, n)):
                for q in range(other, min(other + 64, p)):
                    K[order[q], order[p]] = K[order[p], order[q]]
    return K


@njit(cache=True, fastmath={"reassoc", "contract"})
def _project(G, dK, rows, cols):
    out = np.zeros(G.shape[1])
    for a in range(len(rows)):
        i = rows[a]
        part = np.zeros(G.shape[1])  # summed by rows: fewer roundings
        for c in range(len(cols)):
            j = cols[c]
            g = G[i * (i + 1) // 2 + j] if i >= j else G[j * (j + 1) // 2 + i]
            for b in range(len(out)):
                part[b] += dK[a, c] * g[b]
        out += part
    return out
