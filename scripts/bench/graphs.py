"""Kernels on discrete inputs: making all base matrices once, then weighting them and pulling a gradient back."""

from __future__ import annotations

import numpy as np

from gpbench.gp.kernels.graph import BASE, Graphs
from gpbench.gp.kernels.graphs.graph import Graph
from gpbench.gp.kernels.graphs.library import Library
from gpbench.gp.kernels.histogram_intersection import HistogramIntersection

from .timing import Case

M, ATOMS, BINS = 512, 35, 810


def chains(n: int) -> np.ndarray:
    """Graphs of a drug's size: a chain of ATOMS vertices with side groups and six-rings, four elements."""
    rng, out = np.random.default_rng(0), np.empty(n, dtype=object)
    for i in range(n):
        back = np.where(rng.random(ATOMS - 1) < 0.8, 1, 2)
        edges = {(max(0, v - int(b)), v) for v, b in enumerate(back, start=1)}
        edges |= {(v, v + 5) for v in rng.choice(ATOMS - 5, 3, replace=False).tolist()}
        labels = rng.choice([6, 6, 6, 6, 7, 8, 16], ATOMS)
        out[i] = Graph(labels, np.array(sorted(edges)), rng.choice([1, 2, 12], len(edges)))
    return out


def weighting(kernel, X):
    """One evaluation of Kuf and of its gradient in theta, beside the product K Kuf' of the same model."""
    n, dK = len(X), np.random.default_rng(1).normal(size=(M, len(X)))
    yield Case(f"{kernel.name}: Kuf, n={n}, m={M}", lambda: kernel(X, X[:M]), (M, n, M))
    yield Case(f"{kernel.name}: gradient of Kuf, n={n}, m={M}", lambda: kernel.pullback(dK.copy(), X[:M], X), (M, n, M))


def graphs(n: int = 2754):
    X = chains(n)
    yield Case(f"graph: features of {n} graphs, {len(BASE)} kernels", lambda: Library(BASE).numbers(X), (n, n, n))
    shelf = Library(BASE)
    shelf.numbers(X)

    def matrices():
        shelf.forget()
        shelf.prepare(X)

    yield Case(f"graph: {len(BASE)} Gram matrices, n={n}", matrices, (n, n, n))
    yield from weighting(Graphs(np.zeros(len(BASE) + 2), shelf), X)


def histograms(n: int = 4819):
    X = np.random.default_rng(0).random((n, BINS))
    make = lambda: HistogramIntersection.create(X, groups=3)  # noqa: E731
    yield Case(f"histogram-intersection: 3 Gram matrices, n={n}", make, (n, n, BINS))
    yield from weighting(make(), X)


ENTRIES = (graphs, histograms)
