"""Graph kernels from their definitions: double loops over pairs of vertices, edges, paths and walks of two graphs."""

from functools import cache
from itertools import combinations, permutations

import numpy as np

from gpbench.gp.kernels.graphs.graph import Graph


def random_molecule(rng, n):
    """A connected graph of n vertices like a molecule: a tree of degree at most four, some rings, four elements."""
    edges, degree = [], np.zeros(n, dtype=int)
    for v in range(1, n):
        u = rng.choice([u for u in range(v) if degree[u] < 4 - (u < v - 1)] or [int(np.argmin(degree[:v]))])
        edges.append((int(u), v))
        degree[[u, v]] += 1
    for _ in range(n // 4):
        a, b = sorted(rng.choice(n, 2, replace=False).tolist())
        if (a, b) not in edges and max(degree[a], degree[b]) < 4:
            edges.append((a, b))
            degree[[a, b]] += 1
    return Graph(rng.choice([6, 6, 6, 7, 8, 16], n), np.array(edges).reshape(-1, 2), rng.choice([1, 2, 12], len(edges)))


def adjacency(g):
    A = np.zeros((len(g), len(g)))
    for i, j in g.edges:
        A[i, j] = A[j, i] = 1
    return A


def same_labels(g, h):
    return g.labels[:, None] == h.labels[None, :]


def vertex(g, h):
    return sum(a == b for a in g.labels for b in h.labels)


def edge(g, h):
    return sum(a == b for a in g.edge_labels for b in h.edge_labels)


def vertex_edge(g, h):
    def ends(graph):
        return [(sorted(graph.labels[list(e)]), b) for e, b in zip(graph.edges, graph.edge_labels)]

    return sum(a == b for a in ends(g) for b in ends(h))


def wl(g, h, depth):
    """Pairs of vertices with equal subtree patterns, over all heights."""
    return sum((a == b) for i in range(depth + 1) for a in patterns(g, i) for b in patterns(h, i))


@cache
def patterns(g, height):
    """The pattern itself, unnumbered: own pattern below and the neighbours', in any order."""
    if height == 0:
        return [(int(label),) for label in g.labels]
    below, A = patterns(g, height - 1), adjacency(g)
    return [(below[v], tuple(sorted(below[u] for u in np.flatnonzero(A[v])))) for v in range(len(g))]


@cache
def distances(g):
    """Floyd and Warshall."""
    D = np.where(adjacency(g) > 0, 1.0, np.inf)
    np.fill_diagonal(D, 0.0)
    for k in range(len(g)):
        D = np.minimum(D, D[:, [k]] + D[[k]])
    return D


def shortest_path(g, h, labelled=False):
    """Over ordered pairs of different vertices of either graph."""
    total, D, E = 0, distances(g), distances(h)
    for i in range(len(g)):
        for j in range(len(g)):
            if i != j and np.isfinite(D[i, j]):
                match = (E == D[i, j]) & ~np.eye(len(h), dtype=bool)
                if labelled:
                    match &= (h.labels == g.labels[i])[:, None] & (h.labels == g.labels[j])[None, :]
                total += match.sum()
    return total


def graphlet_counts(g, k):
    """All k-subsets that are connected, by the smallest sorted edge list over all numberings."""
    A, counts = adjacency(g) > 0, {}
    for subset in combinations(range(len(g)), k):
        part = A[np.ix_(subset, subset)]
        if not np.linalg.matrix_power(part + np.eye(k), k).all():
            continue
        name = _canonical(tuple(map(tuple, part)))
        counts[name] = counts.get(name, 0) + 1
    return counts


_known = {}


def _canonical(part):
    if part not in _known:
        A = np.array(part)
        _known[part] = min(tuple(A[np.ix_(p, p)].ravel()) for p in permutations(range(len(A))))
    return _known[part]


def random_walk(g, h, decay=0.1):
    """1'(I - decay A x A')^-1 1 through the eigenvalues of the two graphs."""
    mu, U = np.linalg.eigh(adjacency(g))
    nu, W = np.linalg.eigh(adjacency(h))
    return U.sum(0) ** 2 @ (1 / (1 - decay * np.outer(mu, nu))) @ W.sum(0) ** 2


def walk(g, h, steps):
    """Pairs of walks of 0..steps steps with equal labels all along, step by step through the product graph."""
    match = same_labels(g, h).astype(float)
    at, total = match, match.sum()
    for _ in range(steps):
        at = match * (adjacency(g) @ at @ adjacency(h))
        total += at.sum()
    return total


def gram(graphs, name):
    """k(g, g') of all pairs, not normalised."""
    kind, _, depth = name.rpartition("-")
    if kind == "graphlet":
        counts = [graphlet_counts(g, int(depth)) for g in graphs]
        return np.array([[sum(c * b.get(key, 0) for key, c in a.items()) for b in counts] for a in counts], dtype=float)
    if kind in ("wl", "walk"):
        k = {"wl": wl, "walk": walk}[kind]
        return pairs(graphs, lambda g, h: k(g, h, int(depth)))
    plain = {
        "vertex": vertex, "edge": edge, "vertex-edge": vertex_edge, "shortest-path": shortest_path,
        "shortest-path-labelled": lambda g, h: shortest_path(g, h, labelled=True), "random-walk": random_walk,
    }  # fmt: skip
    return pairs(graphs, plain[name])


def pairs(graphs, k):
    K = np.zeros((len(graphs), len(graphs)))
    for i, g in enumerate(graphs):
        for j in range(i + 1):
            K[i, j] = K[j, i] = k(g, graphs[j])
    return K


def normalised(K):
    own = np.sqrt(np.diag(K))
    return K / np.outer(own, own)
