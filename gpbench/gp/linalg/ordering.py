"""Fill-reducing orderings of a symmetric sparse pattern.

CHOLMOD's orderings come through scikit-sparse (the `sparse` extra). Without it a minimum degree ordering of SuperLU,
which scipy carries, keeps everything working with somewhat more fill, and says so.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import spilu

Ordering = Literal["amd", "metis", "nesdis", "built-in", "natural"]

SET_ASIDE = 0.4  # rows put last (`_set_aside`) from which on AMD's fill suffers: .3 did no harm, .5 gave .48 for .29


def fill_reducing(pattern, ordering: str = "amd") -> tuple[np.ndarray, str]:
    """(permutation, note): row perm[k] of the matrix is eliminated k-th; no note when the wish was granted."""
    n = pattern.shape[0]
    if ordering == "natural":
        return np.arange(n), ""
    if ordering == "built-in":
        return minimum_degree(pattern), ""
    try:
        from sksparse import cholmod
    except ImportError:
        note = f"ordering {ordering} needs scikit-sparse (the extra gpbench[sparse]); used the built-in one instead"
        return minimum_degree(pattern), note
    if ordering == "amd" and _set_aside(pattern) > SET_ASIDE:
        return minimum_degree(pattern), "amd would put too many well-connected rows last; used the built-in ordering"
    A = _dominant(pattern)
    try:
        return np.asarray(cholmod.analyze(A, mode="simplicial", ordering_method=ordering).P(), dtype=np.int64), ""
    except cholmod.CholmodError:  # built without METIS
        note = f"ordering {ordering} is not in this scikit-sparse; used amd instead"
        return np.asarray(cholmod.analyze(A, mode="simplicial", ordering_method="amd").P(), dtype=np.int64), note


def _set_aside(pattern) -> float:
    """Share of the rows that AMD does not order but puts last: those with more than 10 sqrt(n) entries."""
    return float(np.mean(np.diff(pattern.indptr) > 10.0 * np.sqrt(pattern.shape[0])))


def minimum_degree(pattern) -> np.ndarray:
    """Multiple minimum degree on A' + A, taken from an incomplete factorisation that keeps next to nothing."""
    if pattern.shape[0] < 2:
        return np.arange(pattern.shape[0])
    options = {"SymmetricMode": True}
    factor = spilu(
        _dominant(pattern),
        drop_tol=0.99,
        fill_factor=1,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options=options,
    )
    return np.argsort(factor.perm_c)


def _dominant(pattern) -> csc_matrix:
    """A matrix with that pattern that can be factorised as it stands."""
    A = csc_matrix((np.full(pattern.nnz, 1e-3), pattern.indices, pattern.indptr), shape=pattern.shape)
    A.setdiag(float(pattern.shape[0]))
    return A
