"""Greedy conditional variance: the row that the basis determines least, i.e. the largest pivot of the Cholesky factor.

Burt, Rasmussen and van der Wilk (2020), section 4.2.2; Fine and Scheinberg (2001) for kernel matrices. Deterministic.
"""

from __future__ import annotations

import numpy as np

from ..pivoting import Pivoting
from .chosen import Chosen


def choose(gp, X, m: int, rng) -> Chosen:
    path = Pivoting(gp.kernel, X, m)
    while path.open:
        path.take(int(np.argmax(path.residual)))
    return Chosen(path.pivots.copy(), path.rows.evaluated)
