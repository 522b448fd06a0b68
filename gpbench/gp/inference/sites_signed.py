"""EP posteriors, dense and FIC, for parallel updates and for sites of either sign.

A site of a likelihood that is not log-concave may have a negative precision. The dense posterior takes the positive
sites first, as `DenseSites` does, with covariance P = K - V'V; the negative ones, N, with t = -tau_N, follow by

    Sigma = P + U'U,   U = LC^-1 t^(1/2) P_N,   C = I - t^(1/2) P_NN t^(1/2) = LC LC',   log det B += log det C,

and the posterior exists if C is positive definite. FIC needs no second step: 1 + tau r and A say whether it exists.
"""

from __future__ import annotations

import numpy as np

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.linalg.structured import Dense

from . import sparse
from .ep import TINY, Sites
from .model import GP
from .sites_dense import DenseSites
from .sites_fic import Fic


class SignedDense(DenseSites):
    """O(n^3) a sweep, O(n^2) memory."""

    rebuild = True

    def refresh(self, sites: Sites) -> None:
        super().refresh(Sites(np.maximum(sites.tau, 0.0), sites.nu))
        self.sites = sites.copy()
        self.W = self.rest = None
        if (self.sites.tau < 0).any():
            self._subtract(np.flatnonzero(self.sites.tau < 0))
        self.V = None

    def _posterior(self, V, nu) -> None:
        self.var = self.kdiag - (0.0 if V is None else np.einsum("ij,ij->j", V, V))
        self.mu = self.K @ nu - (0.0 if V is None else V.T @ (V @ nu))
        self.V = V

    def _subtract(self, N) -> None:
        root, nu = np.sqrt(-self.sites.tau[N]), self.sites.nu
        P = self.K[:, N] - (0.0 if self.V is None else self.V.T @ self.V[:, N])  # (n, q)
        try:
            L = np.linalg.cholesky(np.eye(len(N)) - root[:, None] * P[N] * root)
        except np.linalg.LinAlgError as e:
            raise NotPositiveDefinite("EP: negative sites leave no proper posterior") from e
        U = np.linalg.solve(L, root[:, None] * P.T)  # (q, n)
        H = -self.s[:, None] * self.factor.solve(np.asfortranarray(self.s[:, None] * self.K[:, N]))
        H[N, np.arange(len(N))] += 1.0  # (n, q) columns N of I - (K + 1/tau)^-1 K
        self.W = np.linalg.solve(L, root[:, None] * H.T)  # (q, n)
        self.rest = U @ nu
        self.var = self.var + np.einsum("qi,qi->i", U, U)
        self.mu = self.mu + U.T @ self.rest
        self.negative_logdet = 2 * float(np.log(L.diagonal()).sum())

    def logdet_B(self) -> float:
        return self.factor.logdet() + (0.0 if self.W is None else self.negative_logdet)

    def _weights(self):
        found = super()._weights()
        return found if self.W is None else found + self.W.T @ self.rest

    def gradient(self):
        M_inv = self.factor.inverse()  # (K + diag(1/tau))^-1 = S B^-1 S - W'W
        M_inv *= self.s
        M_inv *= self.s[:, None]
        if self.W is not None:
            M_inv -= self.W.T @ self.W
        dK = Dense.of(M_inv, self._weights(), 0.5, 0.5).dense()
        return self.kernel.pullback(dK, self.X, K=self.K)[0], None

    def predict(self, Xs):
        mean, var = super().predict(Xs)
        return (mean, var) if self.W is None else (mean, var + ((self.W @ self.kernel(self.X, Xs)) ** 2).sum(0))


class SignedFic(Fic):
    """O(n m^2) a sweep."""

    rebuild = True

    def refresh(self, sites: Sites) -> None:
        if not (1 + sites.tau * self.r > 0).all():
            raise NotPositiveDefinite("EP: negative sites leave no proper posterior")
        super().refresh(sites)
        if self.factor.jitter:
            raise NotPositiveDefinite("EP: negative sites leave no proper posterior")

    def gradient(self):
        tau, nu = self.sites.tau, self.sites.nu
        tau = np.where(np.abs(tau) < TINY, TINY, tau)
        model = sparse.build(sparse.FITC, GP(self.kernel, 1 / tau), self.Z, self.X, nu / tau, jitter=self.first_rung)
        found = sparse.evaluate(model, _slope, inputs=self.kernel.smooth)
        return found.dtheta, found.dZ


def _slope(factor, y, extra=None, gradient: bool = True):
    """Derivative of the evidence with respect to S; its value may not exist with negative sites."""
    return 0.0, factor.sensitivity(factor.solve(y), 0.5, 0.5), 0.0
