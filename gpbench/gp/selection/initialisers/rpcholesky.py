"""Randomly pivoted Cholesky: a pivot is drawn with probability proportional to what is left of the diagonal.

Chen, Epperly, Tropp and Webber (2025). Accelerated as by Epperly, Tropp and Webber ("Embrace rejection"): a block of
proposals is drawn from the diagonal as it stands; each is accepted with the probability by which the proposals accepted
before it have lowered its own residual. The pivots have exactly the law of drawing them one by one, and the factor
grows by matrix-matrix products.
"""

from __future__ import annotations

import numpy as np

from ..pivoting import Pivoting
from .chosen import Chosen

BLOCK = 64


def choose(gp, X, m: int, rng, block: int = BLOCK) -> Chosen:
    path = Pivoting(gp.kernel, X, m)
    while path.open:
        proposed = rng.choice(len(X), size=block, p=path.residual / path.residual.sum())
        accepted = accept(_residual_among(path, proposed), path.floor[proposed], rng)
        path.take_block(proposed[accepted[: path.free]])
    return Chosen(path.pivots.copy(), path.rows.evaluated)


def _residual_among(path: Pivoting, index) -> np.ndarray:
    """(K - V'V)[index, index]; kernel entries among the proposals only."""
    X, V = path.rows.X, path.factor.rows[:, index]
    return path.rows.kernel(X[index]) - V.T @ V


def accept(H, floor, rng) -> list[int]:
    """Positions of the proposals that stay; H (b, b) is the residual kernel among them."""
    H, at_proposal, accepted = H.copy(), H.diagonal().copy(), []
    for i in range(len(H)):
        if rng.uniform() * at_proposal[i] < H[i, i] and H[i, i] > floor[i]:
            accepted.append(i)
            H -= np.outer(H[:, i], H[i]) / H[i, i]
    return accepted
