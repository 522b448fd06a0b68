"""EP posterior with the FIC prior K = V'V + diag(r), V = Kuu^-1/2 Kuf, r = diag(K - V'V) (Naish-Guzman & Holden).

With E = 1/(1 + tau r) and A = I + V diag(tau E) V' = LA LA',

    Sigma = diag(r E) + (LA^-1 V E)' (LA^-1 V E),   mu = Sigma nu,   log det B = log det A + sum log(1 + tau r),

so a panel of sites sees its own dense block of Sigma, and its changes are a matrix-matrix product into A: O(n m^2) a
sweep.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.cholesky import Cholesky, jitter_notes
from gpbench.gp.linalg.triangular import add_gram, gram, solve_lower

from . import sparse
from .ep import Sites, megabytes, update_block
from .model import GP

PANEL = 96  # sites between two factorisations of A


class Fic:
    """Memory O(n m); sites in the order of the data."""

    rebuild = False

    def __init__(self, kernel, X, Z, panel: int = PANEL, jitter: float = 0.0):
        self.kernel, self.X, self.Z = kernel, X, Z
        self.kdiag, self.first_rung = kernel.diag(X), jitter
        self.root = Cholesky.of(kernel(Z), jitter)
        self.jitters = {"Kuu": self.root.needed, "A": 0.0}
        self.V = solve_lower(self.root.L, np.asfortranarray(kernel(X, Z).T), overwrite=True)  # (m, n)
        self.r = np.maximum(self.kdiag - (self.V**2).sum(0), 0.0)  # rounding below zero where Z is among X
        self.panels = [slice(i, min(i + panel, len(X))) for i in range(0, len(X), panel)]

    def refresh(self, sites: Sites) -> None:
        self.sites = sites.copy()
        E = 1 / (1 + sites.tau * self.r)
        self.A = np.eye(len(self.Z), order="F")  # lower triangle
        add_gram(self.A, self.V, sites.tau * E, np.empty_like(self.V))
        self._factorise()
        self.h = self.V @ (E * sites.nu)  # (m,)
        U = self.factor.half_solve(self.V)
        U *= E
        self.var = self.r * E + (U**2).sum(0)
        self.mu = self.r * E * sites.nu + U.T @ self.factor.half_solve(self.h)
        self._logdet = self.factor.logdet() - float(np.log(E).sum())

    def sweep(self, sites, y, likelihood):
        largest, refused, buffer = 0.0, 0, np.empty_like(self.V[:, self.panels[0]])
        for J in self.panels:
            V, r, tau, nu = self.V[:, J], self.r[J], sites.tau[J], sites.nu[J]  # the last two are views
            E = 1 / (1 + tau * r)
            weight, shift = tau * E, E * nu
            U = self.factor.half_solve(V) * E
            Sigma = gram(U)
            Sigma[np.diag_indices_from(Sigma)] += r * E
            mu = r * shift + U.T @ self.factor.half_solve(self.h)
            change, skipped = update_block(Sigma, mu, tau, nu, y[J], likelihood.code, likelihood.noise, False)
            largest, refused = max(largest, change), refused + skipped
            E = 1 / (1 + tau * r)
            add_gram(self.A, V, tau * E - weight, buffer)
            self.h += V @ (E * nu - shift)
            self._factorise()
        return largest, refused

    def _factorise(self) -> None:
        self.factor = Cholesky.of(self.A.T)
        self.jitters["A"] = max(self.jitters["A"], self.factor.jitter)

    def marginals(self):
        return self.mu, self.var

    def logdet_B(self) -> float:
        return self._logdet

    def gradient(self):
        """The pull-back of FITC regression with noise 1/tau and targets nu/tau: the same function of the kernel."""
        tau, nu = self.sites.tau, self.sites.nu
        model = sparse.build(sparse.FITC, GP(self.kernel, 1 / tau), self.Z, self.X, nu / tau, jitter=self.first_rung)
        found = sparse.evaluate(model, inputs=self.kernel.smooth)
        return found.dtheta, found.dZ

    def predict(self, Xs):
        Vs = solve_lower(self.root.L, np.asfortranarray(self.kernel(Xs, self.Z).T), overwrite=True)  # (m, t)
        Us = self.factor.half_solve(Vs)
        mean = Us.T @ self.factor.half_solve(self.h)
        return mean, self.kernel.diag(Xs) - (Vs**2).sum(0) + (Us**2).sum(0)

    @property
    def notes(self):
        return jitter_notes(self.jitters)

    def figures(self):
        return {"factor_mb": megabytes(self.V, self.root.L, self.A, self.factor.L)}
