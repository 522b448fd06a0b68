"""EP posteriors that hold all of Sigma: `rank-one` as in the book, and `panels`.

Both visit the sites in the same order with the same numbers up to rounding. Rank-one rewrites the n x n matrix after
every site; panels lets a block of sites see its own part of Sigma only and applies the block's changes together, by
matrix-matrix products on the lower triangle: n^3 flops a sweep, half of one n x n x n product.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs

from gpbench.gp.linalg.cholesky import Cholesky, jitter_notes
from gpbench.gp.linalg.structured import Dense
from gpbench.gp.linalg.triangular import mirror_lower, solve_lower

from .ep import Sites, block_change, megabytes, update_block

PANEL = 128  # sites that are updated together; their part of Sigma stays in cache

_gemm, _syrk, _symv = get_blas_funcs(("gemm", "syrk", "symv"), dtype=np.float64)


class DenseSites:
    """K, Sigma and the Cholesky factor of B = I + S K S; O(n^2) memory."""

    rebuild = False

    def __init__(self, kernel, X):
        self.kernel, self.X, self.jitter = kernel, X, 0.0
        self.K = np.asfortranarray(kernel(X))  # (n, n)
        self.kdiag = self.K.diagonal().copy()

    def refresh(self, sites: Sites) -> None:
        self.sites = sites.copy()
        self.s = np.sqrt(sites.tau)
        self.factor = Cholesky.of(self._B())
        self.jitter = max(self.jitter, self.factor.jitter)  # the largest of all rebuilds
        V = None
        if self.s.any():
            V = solve_lower(self.factor.L, np.asfortranarray(self.s[:, None] * self.K), overwrite=True)  # L^-1 S K
        self._posterior(V, sites.nu)

    def _posterior(self, V, nu) -> None:
        Sigma = self.K.copy(order="F")
        if V is not None:
            Sigma = _syrk(-1.0, V, trans=1, lower=1, beta=1.0, c=Sigma, overwrite_c=1)  # K - V'V, lower half
        self.var = Sigma.diagonal().copy()
        self.mu = _symv(1.0, Sigma, nu, lower=1)
        self._hold(Sigma)

    def _B(self):
        B = self.K * self.s
        B *= self.s[:, None]
        B[np.diag_indices_from(B)] += 1
        return B

    @property
    def notes(self):
        return jitter_notes({"B": self.jitter})

    def marginals(self):
        return self.mu, self.var

    def logdet_B(self) -> float:
        return self.factor.logdet()

    def _weights(self):
        """K^-1 mu = nu - S B^-1 S K nu   (n,)."""
        return self.sites.nu - self.s * self.factor.solve(self.s * (self.K @ self.sites.nu))

    def gradient(self):
        M_inv = self.factor.inverse()  # B^-1, then (K + diag(1/tau))^-1 = S B^-1 S
        M_inv *= self.s
        M_inv *= self.s[:, None]
        dK = Dense.of(M_inv, self._weights(), 0.5, 0.5).dense()
        return self.kernel.pullback(dK, self.X, K=self.K)[0], None

    def predict(self, Xs):
        Ks = self.kernel(self.X, Xs)  # (n, t)
        V = self.factor.half_solve(np.asfortranarray(self.s[:, None] * Ks))
        return Ks.T @ self._weights(), self.kernel.diag(Xs) - (V**2).sum(0)

    def figures(self):
        fill_K = np.count_nonzero(self.K) / self.K.size
        return {"fill_K": fill_K, "fill_L": 1.0, "factor_mb": megabytes(self.K, self.K, self.factor.L)}  # K, Sigma, L


class RankOne(DenseSites):
    """`solver: rank-one`, Rasmussen & Williams Alg. 3.5 to the letter."""

    def _hold(self, Sigma):
        mirror_lower(Sigma)
        self.Sigma = Sigma

    def sweep(self, sites, y, likelihood):
        return update_block(self.Sigma, self.mu, sites.tau, sites.nu, y, likelihood.code, likelihood.noise, True)


class Panels(DenseSites):
    """`solver: panels`: the lower triangle of Sigma as one contiguous array per panel of columns."""

    def __init__(self, kernel, X, panel: int = PANEL):
        super().__init__(kernel, X)
        n = len(X)
        self.panels = [slice(i, min(i + panel, n)) for i in range(0, n, panel)]

    def _hold(self, Sigma):
        self.columns = [Sigma[J.start :, J].copy(order="F") for J in self.panels]  # (n - J.start, b)

    def sweep(self, sites, y, likelihood):
        largest, refused = 0.0, 0
        for k, J in enumerate(self.panels):
            b = J.stop - J.start
            Sigma = np.tril(self.columns[k][:b])
            Sigma += np.tril(Sigma, -1).T
            old = Sites(sites.tau[J].copy(), sites.nu[J].copy())
            change, skipped = update_block(
                Sigma.copy(order="F"), self.mu[J].copy(), sites.tau[J], sites.nu[J], y[J],
                likelihood.code, likelihood.noise, False,
            )  # fmt: skip
            largest, refused = max(largest, change), refused + skipped
            self._absorb(k, Sigma, sites.tau[J] - old.tau, sites.nu[J] - old.nu)
        return largest, refused

    def _absorb(self, k, Sigma, dtau, dnu) -> None:
        """Sigma -= G C G' and mu += G e with G = Sigma[:, panel k]."""
        J = self.panels[k]
        left = [self.columns[i][J.start - I.start : J.stop - I.start] for i, I in enumerate(self.panels[:k])]
        G = np.hstack([*left, Sigma, self.columns[k][len(Sigma) :].T], dtype=float)  # (b, n): rows of the panel
        G = np.asfortranarray(G)
        C, e = block_change(Sigma, self.mu[J], dtau, dnu)
        CG = _gemm(1.0, C, G)
        self.mu += e @ G
        for i, I in enumerate(self.panels):
            self.columns[i] = _gemm(
                -1.0, G[:, I.start :], CG[:, I], trans_a=1, beta=1.0, c=self.columns[i], overwrite_c=1
            )
