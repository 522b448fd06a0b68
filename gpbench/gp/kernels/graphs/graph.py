"""Labelled undirected graphs, and molecules as such graphs (through RDKit, the extra `gpbench[molecules]`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gpbench.errors import DataError, MissingExtra

LABELS = 128  # vertex labels are 0..127 (atomic numbers end at 118), so that a walk of eight fits into 63 bits


@dataclass(frozen=True, eq=False)
class Graph:
    """Vertices 0..n-1 with small integer labels; each edge is listed once, with its own label."""

    labels: np.ndarray  # (n,)
    edges: np.ndarray  # (e, 2)
    edge_labels: np.ndarray  # (e,)
    indptr: np.ndarray = field(init=False, repr=False)  # neighbours of v: indices[indptr[v] : indptr[v + 1]]
    indices: np.ndarray = field(init=False, repr=False)

    def __post_init__(self):
        labels, edges = np.asarray(self.labels, dtype=np.int64), np.asarray(self.edges, dtype=np.int64).reshape(-1, 2)
        edge_labels = np.asarray(self.edge_labels, dtype=np.int64)
        if len(edge_labels) != len(edges):
            raise DataError(f"a graph has {len(edges)} edges but {len(edge_labels)} edge labels")
        if len(labels) == 0 or labels.min() < 0 or labels.max() >= LABELS:
            raise DataError(f"a graph needs vertices with labels between 0 and {LABELS - 1}")
        if len(edges) and (edges.min() < 0 or edges.max() >= len(labels) or (edges[:, 0] == edges[:, 1]).any()):
            raise DataError("a graph's edges must join two different vertices of it")
        both = np.concatenate([edges, edges[:, ::-1]])
        both = both[np.lexsort(both.T[::-1])]
        if (both[1:] == both[:-1]).all(1).any():
            raise DataError("a graph's edges must each be listed once")
        indptr = np.searchsorted(both[:, 0], np.arange(len(labels) + 1))
        values = (labels, edges, edge_labels, indptr, both[:, 1].copy())
        for name, value in zip(("labels", "edges", "edge_labels", "indptr", "indices"), values):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.labels)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        """All of it in one line: the graph's identity in caches and in the hash of a data set."""
        bonds = (f"{i}-{j}:{b}" for (i, j), b in zip(self.edges, self.edge_labels))
        return f"{','.join(map(str, self.labels))};{','.join(bonds)}"


def graph_of(item) -> Graph:
    """A graph as it is, or the molecule of a SMILES string."""
    if isinstance(item, Graph):
        return item
    if isinstance(item, str):
        return molecule(item)
    found = type(item).__name__
    raise DataError(f"the graph kernel takes SMILES strings or graphs, not {found}; see docs/explanations/discrete.md")


def molecule(smiles: str) -> Graph:
    """Heavy atoms labelled by atomic number, bonds by RDKit's type (1, 2, 3; 12 aromatic); hydrogens are implicit."""
    try:
        from rdkit import Chem, rdBase
    except ImportError as e:
        raise MissingExtra(
            "SMILES strings need RDKit, the extra gpbench[molecules]: pip install -e '.[molecules]' in the clone"
        ) from e
    with rdBase.BlockLogs():  # its complaints go to stderr; the error below says the same
        found = Chem.MolFromSmiles(smiles)
    if found is None or found.GetNumAtoms() == 0:
        raise DataError(f"'{smiles}' is not a SMILES string that RDKit can read")
    bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), int(b.GetBondType())) for b in found.GetBonds()]
    table = np.array(bonds, dtype=np.int64).reshape(-1, 3)
    return Graph(np.array([a.GetAtomicNum() for a in found.GetAtoms()]), table[:, :2], table[:, 2])
