"""What the sparse EP posteriors share: K on its support, the factor of B = I + S K S, marginals, gradient, prediction.

Z = B^-1 is only ever known on the pattern of K, by the fronts of a multifrontal Cholesky factor. Solvers differ in how
a sweep is made (sites_rows.py, sites_parallel.py, sites_fronts.py).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.sparse import csc_matrix

from gpbench.gp.linalg.multifrontal import Multifrontal
from gpbench.gp.linalg.ordering import fill_reducing

from .ep import TINY, Sites, megabytes


class SparseSites:
    """Time and memory follow the fronts; sites in the order of the data."""

    rebuild = True

    def __init__(self, kernel, X, ordering: str = "amd"):
        self.kernel, self.X = kernel, X
        self.K = kernel.sparse(X)
        self.kdiag = self.K.diagonal()
        self.columns = np.repeat(np.arange(len(X)), np.diff(self.K.indptr))  # of K's entries
        self.analyse(ordering)

    def analyse(self, ordering: str) -> None:
        """What depends on the pattern only, once; and a note when the ordering is not the one asked for."""
        perm, self.note = fill_reducing(self.K, ordering)
        self.fronts = Multifrontal(self.K, perm)

    @property
    def notes(self):
        return (self.note,) if self.note else ()

    def B(self) -> np.ndarray:
        """I + S K S at K's entries."""
        return _scaled(self.K.data, self.K.indices, self.K.indptr, self.s)

    def refresh(self, sites: Sites) -> None:
        self.sites = sites.copy()
        self.s = np.sqrt(np.maximum(sites.tau, TINY))
        self._factor = self._Z = self._b = None

    @property
    def factor(self) -> Multifrontal:
        """The factor of B at the last refresh; a first sweep, from empty sites, does not need it."""
        if self._factor is None:
            self._factor = self.fronts.factorise(self.B())
        return self._factor

    @property
    def Z(self) -> np.ndarray:
        """B^-1 at K's entries."""
        if self._Z is None:
            self._Z = self.factor.selected_inverse()
        return self._Z

    @property
    def b(self) -> np.ndarray:
        """K^-1 mu = nu - S B^-1 S K nu   (n,)."""
        if self._b is None:
            nu = self.sites.nu
            self._b = nu - self.s * self.factor.solve(self.s * (self.K @ nu))
        return self._b

    def marginals(self):
        # Sigma = K S Z S^-1, summed on the pattern: (1 - Z_ii)/tau_i would cancel where tau is tiny
        terms = self.K.data * self.s[self.K.indices] * self.Z
        return self.K @ self.b, np.bincount(self.columns, terms, minlength=len(self.s)) / self.s

    def logdet_B(self) -> float:
        return self.factor.logdet()

    def gradient(self):
        rows, columns = self.K.indices, self.columns
        dk = 0.5 * (self.b[rows] * self.b[columns] - self.s[rows] * self.Z * self.s[columns])  # [vanhatalo] eq. (11)
        return self.kernel.linearised_on(self.K, self.X)[1](dk), None

    def predict(self, Xs):
        Ks = self.kernel.sparse(self.X, Xs)  # (n, t)
        half = csc_matrix((Ks.data * self.s[Ks.indices], Ks.indices, Ks.indptr), shape=Ks.shape)
        return Ks.T @ self.b, self.kernel.diag(Xs) - self.factor.half_squares(half)

    def figures(self) -> dict[str, float]:
        n, f = len(self.kdiag), self.fronts
        held = self.K, f.panel, f.stack, f.update, f.inverses
        return {
            "fill_K": self.K.nnz / n**2,
            "fill_L": f.fronts.fill,
            "fronts": f.fronts.count,
            "factor_mb": megabytes(*held),
        }


@njit(cache=True)
def _scaled(data, rows, start, s):
    """Entries of I + S K S."""
    out = np.empty(len(data))
    for j in range(len(s)):
        for p in range(start[j], start[j + 1]):
            i = rows[p]
            out[p] = s[i] * data[p] * s[j]
            if i == j:
                out[p] += 1.0
    return out
