"""Graphs that a process has met, with their features: every graph is read and counted once."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import sparse

from ..gram_stack import GramStack, Latest
from .features import Features, Subtrees
from .graph import Graph, graph_of

COMMON = 1 / 16  # a feature that this share of the graphs has is multiplied as a dense column


class Library:
    """Normalised features of numbered graphs, for a tuple of base kernels; grows, never changes.

    Each base kernel is normalised, k(g, g') / sqrt(k(g, g) k(g', g')). A graph without any feature (the edges of a
    single atom) has covariance zero there.
    """

    def __init__(self, bases: tuple[str, ...]):
        self.bases = bases
        subtrees = Subtrees()
        self._maps = [Features(name, subtrees) for name in bases]
        self._numbers: dict[str, int] = {}  # text of the graph -> number
        self._columns: list[dict[int, int]] = [{} for _ in bases]  # code -> column, over all base kernels
        self._rows: list[tuple[np.ndarray, np.ndarray]] = []  # columns and values of a graph
        self._own: list[np.ndarray] = []  # (B,) k(g, g) after normalisation: 1, or 0 without features
        self._base: list[int] = []  # base kernel of each column
        self._stack: tuple[np.ndarray, GramStack] | None = None
        self.numbers = Latest(self._look_up)

    def _look_up(self, X) -> np.ndarray:
        """The number of every input; unknown ones are read and counted."""
        keys = [item if isinstance(item, str) else str(item) for item in X]
        for key, item in zip(keys, X):
            if key not in self._numbers:
                self._add(graph_of(item))
                self._numbers[key] = len(self._rows) - 1
        return np.array([self._numbers[key] for key in keys], dtype=np.int64)

    def _add(self, graph: Graph) -> None:
        columns, values, own = [], [], np.zeros(len(self.bases))
        for b, (count, known) in enumerate(zip(self._maps, self._columns)):
            codes, counts = count(graph)
            norm = np.sqrt(counts @ counts)
            if norm == 0:
                continue
            for code in codes.tolist():
                if code not in known:
                    known[code] = len(self._base)
                    self._base.append(b)
            columns += [known[code] for code in codes.tolist()]
            values += (counts / norm).tolist()
            own[b] = 1.0
        self._rows.append((np.array(columns, dtype=np.int64), np.array(values)))
        self._own.append(own)

    def features(self, numbers) -> sparse.csr_matrix:
        """All base kernels' features side by side."""
        rows = [self._rows[i] for i in numbers]
        indptr = np.cumsum([0] + [len(c) for c, _ in rows])
        indices = np.concatenate([c for c, _ in rows]) if rows else np.zeros(0, dtype=int)
        data = np.concatenate([v for _, v in rows]) if rows else np.zeros(0)
        return sparse.csr_matrix((data, indices, indptr), shape=(len(rows), len(self._base)))

    def own(self, numbers) -> np.ndarray:
        """k(g, g) of each graph and base kernel   (n, B)."""
        return np.array([self._own[i] for i in numbers]).reshape(len(numbers), len(self.bases))

    def grams_of(self, X):
        """The normalised Gram matrix of every base kernel in turn   (n, n)."""
        numbers = self.numbers(X)
        for product in self._products(numbers):
            yield product(slice(0, len(numbers)))

    def _products(self, numbers) -> list[_Product]:
        Phi, base_of = self.features(numbers).tocsc(), np.array(self._base)
        return [_Product(Phi[:, base_of == b]) for b in range(len(self.bases))]

    def prepare(self, X) -> None:
        """Keep the Gram matrices between all of X; a later call replaces them."""
        numbers = np.unique(self.numbers(X))
        if not GramStack.fits(len(numbers), len(self.bases)):
            return
        if self._stack is not None and np.isin(numbers, np.flatnonzero(self._stack[0] >= 0)).all():
            return
        stack = GramStack(len(numbers), self._products(numbers))
        place = np.full(numbers.max(initial=-1) + 1, -1)
        place[numbers] = np.arange(len(numbers))
        self._stack = place, stack

    def forget(self) -> None:
        """Drop the kept Gram matrices; features stay."""
        self._stack = None

    @property
    def kept(self) -> bool:
        """Are there Gram matrices?"""
        return self._stack is not None

    def places(self, numbers) -> np.ndarray | None:
        """Where the graphs are in the kept Gram matrices; None unless all of them are."""
        if self._stack is None or numbers.max(initial=0) >= len(self._stack[0]):
            return None
        places = self._stack[0][numbers]
        return places if (places >= 0).all() else None

    def weighted(self, w, a, b) -> np.ndarray:
        """sum_b w_b K_b between numbered graphs."""
        at_a = self.places(a)
        at_b = at_a if b is a else self.places(b)
        if at_a is not None and at_b is not None:
            return self._stack[1].weighted(w, at_a, at_b)
        A = self.features(a)
        A.data *= np.asarray(w)[np.array(self._base)[A.indices]]
        return (A @ self.features(b).T).toarray()

    def project(self, dK, a, b) -> np.ndarray:
        """sum_ij dK_ij K_b,ij for every base kernel   (B,)."""
        at_a, at_b = self.places(a), self.places(b)
        if at_a is not None and at_b is not None:
            return self._stack[1].project(dK, at_a, at_b)
        A, B = self.features(a), self.features(b)
        per_column = np.asarray(A.multiply((B.T @ dK.T).T).sum(0)).ravel()
        return np.bincount(self._base, per_column, minlength=len(self.bases))


class _Product:
    """Rows of Phi Phi': what many graphs share is a dense product, the rest a sparse one."""

    def __init__(self, Phi):
        Phi = Phi.tocsc()
        common = np.diff(Phi.indptr) > COMMON * Phi.shape[0]
        self.dense, self.rare = Phi[:, common].toarray(), Phi[:, ~common].tocsr()
        self.rare_t = self.rare.T.tocsr()

    def __call__(self, part: slice) -> np.ndarray:
        """Between graphs `part` and those up to its end."""
        K = self.dense[part] @ self.dense[: part.stop].T
        return K + (self.rare[part] @ self.rare_t[:, : part.stop]).toarray()


@cache
def library(bases: tuple[str, ...]) -> Library:
    """The process's own for these base kernels: a second kernel on the same data finds everything counted."""
    return Library(bases)
