"""Feature maps of graph kernels: what is counted in a graph, as (codes, counts). k(g, g') = sum over equal codes.

| name | counts |
|---|---|
| vertex | vertex labels |
| edge | edge labels, each edge once |
| vertex-edge | (label, edge label, label) of each edge, the two vertex labels unordered |
| wl-h | Weisfeiler-Lehman subtree patterns of heights 0..h on vertex labels ([shervashidze 2011]) |
| shortest-path | lengths of shortest paths, over ordered pairs of different vertices ([borgwardt 2005]) |
| shortest-path-labelled | (label of start, label of end, length): the label pair is ordered |
| graphlet-k | connected induced subgraphs of k = 3, 4, 5 vertices up to isomorphism, no labels ([shervashidze 2009]) |
| random-walk | the geometric kernel sum_l decay^l w_l(g) w_l(g'), w_l = 1'A^l 1 walks of length l, no labels |
| walk-p | label sequences along walks of 0..p steps ([gaertner 2003]) |

The geometric kernel is usually evaluated through eigenvalues, sum_ij c_i c'_j / (1 - decay mu_i mu'_j); its series in
the moments w_l of the same spectra is a feature map, and is summed here until nothing is left in double precision.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np
from numba import njit

from gpbench.errors import ConfigError, DataError

from .graph import LABELS, Graph

DECAY = 0.1  # of the geometric random walk; converges for spectral radii below 3.16 (molecules: 2.7)
TERMS = 4000  # of its series, at most
LIMITS = {"wl": (0, 20), "graphlet": (3, 5), "walk": (0, 7)}  # depths
PLAIN = ("vertex", "edge", "vertex-edge", "shortest-path", "shortest-path-labelled", "random-walk")


class Subtrees:
    """Weisfeiler-Lehman subtree patterns, numbered as they are met; wl-h of all heights share one of these."""

    def __init__(self):
        self._numbers: dict[tuple, int] = {}  # pattern -> number
        self._graph, self._levels = None, []

    def levels(self, g: Graph, depth: int) -> list[list[int]]:
        """Pattern of every vertex at heights 0..depth; a graph asked for twice in a row is refined once."""
        if g is not self._graph:
            self._graph, self._levels = g, [[self._number(0, label) for label in g.labels.tolist()]]
            pointers, ends = g.indptr.tolist(), g.indices.tolist()
            self._neighbours = [ends[a:b] for a, b in pairwise(pointers)]
        while len(self._levels) <= depth:
            height, below = len(self._levels), self._levels[-1]
            children = (sorted([below[u] for u in near]) for near in self._neighbours)
            self._levels.append([self._number(height, own, *near) for own, near in zip(below, children)])
        return self._levels[: depth + 1]

    def _number(self, *pattern: int) -> int:
        return self._numbers.setdefault(pattern, len(self._numbers))


class Features:
    """The feature map of one base kernel."""

    def __init__(self, name: str, subtrees: Subtrees | None = None):
        self.name = name
        self.kind, self.depth = parse(name)
        self.subtrees = subtrees or Subtrees()

    def __call__(self, graph: Graph) -> tuple[np.ndarray, np.ndarray]:
        """Codes (int64, distinct) and how often each occurs (float)."""
        return getattr(self, f"_{self.kind.replace('-', '_')}")(graph)

    def _vertex(self, g):
        return _count(g.labels)

    def _edge(self, g):
        return _count(g.edge_labels)

    def _vertex_edge(self, g):
        ends = np.sort(g.labels[g.edges], axis=1)
        return _count((g.edge_labels * LABELS + ends[:, 0]) * LABELS + ends[:, 1])

    def _wl(self, g):
        counts = Counter(pattern for level in self.subtrees.levels(g, self.depth) for pattern in level)
        return np.array(list(counts), dtype=np.int64), np.array(list(counts.values()), dtype=float)

    def _shortest_path(self, g):
        length = _distances(g.indptr, g.indices)
        return _count(length[length > 0])

    def _shortest_path_labelled(self, g):
        length = _distances(g.indptr, g.indices)
        start, end = np.nonzero(length > 0)
        return _count((length[start, end] * LABELS + g.labels[start]) * LABELS + g.labels[end])

    def _graphlet(self, g):
        k, n = self.depth, len(g)
        sets = np.arange(n)  # vertex sets as numbers in base n, digits ascending
        for size in range(1, k):
            sets = np.unique(_grow(sets, size, n, g.indptr, g.indices))
        return _count(_classes(k)[_adjacency_codes(sets, k, n, g.indptr, g.indices)])

    def _random_walk(self, g):
        walks = _walks(g.indptr, g.indices, DECAY, TERMS)
        if len(walks) == TERMS:
            raise DataError(
                f"random-walk: a graph of {len(g)} vertices is too dense for decay {DECAY} (spectral radius above "
                f"{DECAY**-0.5:.2f}); leave random-walk out of the kernel's `base`"
            )
        return np.arange(len(walks)), walks

    def _walk(self, g):
        return _count(_label_sequences(g.labels, g.indptr, g.indices, self.depth))


def parse(name: str) -> tuple[str, int]:
    """(kind, depth) of a base kernel's name; depth 0 where there is none. A wrong name is a ConfigError."""
    if name in PLAIN:
        return name, 0
    match = re.fullmatch(r"([a-z]+)-([0-9]+)", name)
    if match and match[1] in LIMITS and LIMITS[match[1]][0] <= int(match[2]) <= LIMITS[match[1]][1]:
        return match[1], int(match[2])
    deep = ", ".join(f"{kind}-{low}..{high}" for kind, (low, high) in LIMITS.items())
    raise ConfigError(f"graph kernel: unknown base '{name}'; known: {', '.join(PLAIN)}, {deep}")


def _count(codes):
    codes, counts = np.unique(codes, return_counts=True)
    return codes.astype(np.int64), counts.astype(float)


@cache
def _classes(k: int) -> np.ndarray:
    """Isomorphism class (the smallest code of any numbering) of every graph on k vertices, by adjacency code."""
    pairs = list(combinations(range(k), 2))
    place = {pair: i for i, pair in enumerate(pairs)}
    codes = np.arange(1 << len(pairs))
    smallest = codes.copy()
    for order in permutations(range(k)):
        moved = np.zeros_like(codes)
        for i, (a, b) in enumerate(pairs):
            moved |= ((codes >> i) & 1) << place[tuple(sorted((order[a], order[b])))]
        np.minimum(smallest, moved, out=smallest)
    return smallest


@njit(cache=True)
def _distances(indptr, indices):
    """Lengths of shortest paths by breadth-first search; -1 between components   (n, n)."""
    n = len(indptr) - 1
    out, queue = np.full((n, n), -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for start in range(n):
        out[start, start], queue[0], head, tail = 0, start, 0, 1
        while head < tail:
            v = queue[head]
            head += 1
            for u in indices[indptr[v] : indptr[v + 1]]:
                if out[start, u] < 0:
                    out[start, u] = out[start, v] + 1
                    queue[tail] = u
                    tail += 1
    return out


@njit(cache=True)
def _grow(sets, size, n, indptr, indices):
    """Codes of the vertex sets (base n, ascending digits) with one neighbour more; repeated where several ways lead."""
    out, digits = [np.int64(0) for _ in range(0)], np.empty(size + 1, dtype=np.int64)
    for code in sets:
        rest = code
        for i in range(size - 1, -1, -1):
            digits[i], rest = rest % n, rest // n
        for i in range(size):
            for u in indices[indptr[digits[i]] : indptr[digits[i] + 1]]:
                inside, larger, done = False, np.int64(0), False
                for j in range(size):
                    inside |= digits[j] == u
                    if not done and u < digits[j]:
                        larger, done = larger * n + u, True
                    larger = larger * n + digits[j]
                if not inside:
                    out.append(larger if done else larger * n + u)
    return np.array(out, dtype=np.int64)


@njit(cache=True)
def _adjacency_codes(sets, k, n, indptr, indices):
    """Which of the k(k-1)/2 pairs of each vertex set are joined, as bits in the order of combinations."""
    out, digits = np.zeros(len(sets), dtype=np.int64), np.empty(k, dtype=np.int64)
    for s in range(len(sets)):
        rest = sets[s]
        for i in range(k - 1, -1, -1):
            digits[i], rest = rest % n, rest // n
        bit = 0
        for i in range(k):
            for j in range(i + 1, k):
                for u in indices[indptr[digits[i]] : indptr[digits[i] + 1]]:
                    if u == digits[j]:
                        out[s] |= 1 << bit
                bit += 1
    return out


@njit(cache=True)
def _walks(indptr, indices, decay, terms):
    """decay^(l/2) 1'A^l 1 for l = 0, 1, ... until what is left cannot be seen beside the sum of their squares."""
    n = len(indptr) - 1
    x, out = np.ones(n), np.empty(terms)
    total, scale = 0.0, np.sqrt(decay)
    for l in range(terms):
        out[l] = x.sum()
        total += out[l] ** 2
        ratio = (out[l] / out[l - 1]) ** 2 if l else 1.0
        if out[l] == 0.0 or (ratio < 1.0 and out[l] ** 2 < 1e-18 * (1.0 - ratio) * total):
            return out[: l + 1].copy()
        y = np.zeros(n)
        for v in range(n):
            for u in indices[indptr[v] : indptr[v + 1]]:
                y[v] += scale * x[u]
        x = y
    return out


@njit(cache=True)
def _label_sequences(labels, indptr, indices, depth):
    """The label sequence of every walk of 0..depth steps, in base LABELS behind a leading 1."""
    ends = np.arange(len(labels))
    codes = LABELS + labels
    parts = [codes]
    total = len(codes)
    for _ in range(depth):
        more = 0
        for v in ends:
            more += indptr[v + 1] - indptr[v]
        next_ends, next_codes, at = np.empty(more, dtype=np.int64), np.empty(more, dtype=np.int64), 0
        for w in range(len(ends)):
            for u in indices[indptr[ends[w]] : indptr[ends[w] + 1]]:
                next_ends[at], next_codes[at] = u, codes[w] * LABELS + labels[u]
                at += 1
        ends, codes = next_ends, next_codes
        parts.append(codes)
        total += more
    out, at = np.empty(total, dtype=np.int64), 0
    for part in parts:
        out[at : at + len(part)] = part
        at += len(part)
    return out
