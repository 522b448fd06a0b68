"""k-DPP: a set of m rows with probability proportional to det K_SS, approached by exchanging one row at a time.

Burt, Rasmussen and van der Wilk (2020), Algorithm 2: a row of the set and a row outside it, both at random, change
places with probability min(1, det K_new / det K_old); the chain starts at the greedy set. With P = K_SS^-1, q = K_Sj
and s = k_jj - q'Pq the ratio of determinants is s P_ii + (Pq)_i^2: O(m^2) and m kernel entries a step, no row of K.
K carries the jitter that every method puts on Kuu.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.cholesky import JITTER, Cholesky

from . import conditional_variance
from .chosen import Chosen

STEPS = 10  # exchanges proposed per row of the set
REBUILD = 200  # accepted exchanges after which the inverse is made anew


def choose(gp, X, m: int, rng, steps: int = STEPS) -> Chosen:
    start = conditional_variance.choose(gp, X, m, rng)
    rows = start.rows.copy()
    outside = np.setdiff1d(np.arange(len(X)), rows)
    if not len(outside) or len(rows) < m:  # nothing to exchange, or all that is left depends on the set
        return start
    chain = Exchange(gp.kernel, X, rows)
    for _ in range(steps * m):
        chain.step(outside, rng)
    return Chosen(chain.rows, start.kernel_rows + round(steps * m * m / len(X)))


class Exchange:
    """A set of rows with the inverse of its kernel matrix."""

    def __init__(self, kernel, X, rows):
        self.kernel, self.X, self.rows, self.kdiag = kernel, X, rows, kernel.diag(X)
        self.jitter = JITTER * float(self.kdiag.mean())
        self._rebuild()

    def _rebuild(self) -> None:
        K = self.kernel(self.X[self.rows])
        K[np.diag_indices_from(K)] += self.jitter
        self.P, self._since = Cholesky.of(K).inverse(), 0

    def step(self, outside, rng) -> None:
        """Propose one exchange with the rows that are not in the set, which are kept in step."""
        i, place = int(rng.integers(len(self.rows))), int(rng.integers(len(outside)))
        ratio, q = self.ratio(i, int(outside[place]))
        if rng.uniform() < ratio:
            out = self.rows[i]
            self.exchange(i, int(outside[place]), q)
            outside[place] = out

    def ratio(self, i: int, j: int) -> tuple[float, np.ndarray]:
        """det K with row number i of the set replaced by j, over det K; and K_Sj, which `exchange` wants."""
        q = self.kernel(self.X[self.rows], self.X[j : j + 1])[:, 0]
        Pq = self.P @ q
        return float((self.kdiag[j] + self.jitter - q @ Pq) * self.P[i, i] + Pq[i] ** 2), q

    def exchange(self, i: int, j: int, q) -> None:
        """Put j in the place of row number i: a change of rank two in K_SS, so in its inverse; O(m^2)."""
        change = q - self._column(i)
        change[i] = 0.5 * (self.kdiag[j] - self.kdiag[self.rows[i]])  # K + e_i c' + c e_i'
        self.rows[i] = j
        self._since += 1
        if self._since >= REBUILD:
            self._rebuild()
            return
        U = np.column_stack([np.eye(1, len(q), i)[0], change])
        PU = self.P @ U
        C = np.array([[0.0, 1.0], [1.0, 0.0]])  # the inverse of the middle factor is itself
        self.P -= PU @ np.linalg.solve(C + U.T @ PU, PU.T)

    def _column(self, i: int) -> np.ndarray:
        return self.kernel(self.X[self.rows], self.X[self.rows[i] : self.rows[i] + 1])[:, 0]
