"""The one incremental state that every criterion of a sparse model reads.

Basis u of size m, noise Lambda = diag(lam) (sigma^2 I for DTC; for FITC frozen at the present basis):

    V = L^-1 Kuf                    (m, n)   Kuu = LL', U = L';    [sundararajan]'s Nu and G
    B = I + V Lambda^-1 V' = LB LB'                                 their E
    Zeta = LB^-1 V                  (m, n)   their zeta; Lambda^-1/2 Zeta' = Q of [Lambda^-1/2 V'; I] = QR
    w = Zeta Lambda^-1 y            (m,)
    mean = Zeta'w, eta = diag(Zeta'Zeta)/lam, residual = diag(K - V'V)

so that y'S^-1 y = y'Lambda^-1 y - w'w and log det S = sum log lam + 2 sum log diag LB, with S = V'V + Lambda.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.pivoted import FOR_GOOD, PartialCholesky

_LOST = 1e-12  # rounding error eps sqrt(c_j)/d_j of the new direction up to which an append may build on z_j


class State(Protocol):
    """What the forward loop asks of a state; what a criterion reads in it is between the two."""

    @property
    def size(self) -> int: ...

    @property
    def capacity(self) -> int:
        """Largest size."""

    def eligible(self) -> np.ndarray:
        """Rows that may be proposed   (n,) bool."""

    def append(self, j: int, k, z=None) -> None:
        """Take training row j with kernel row k into the basis; z is what the candidate carried."""


class GreedyState:
    """Grows by `append` in O(nm); arrays are allocated once, for `capacity` basis vectors."""

    def __init__(self, kdiag, y, noise: float, capacity: int, approximation: str = "dtc", entropy: bool = False):
        n, self.noise, self.approximation = len(y), float(noise), approximation
        self.kdiag, self.y = np.array(kdiag, dtype=float), np.asarray(y, dtype=float)
        capacity = min(capacity, n)
        self.chol = PartialCholesky(n, capacity)  # V, U and the pivots
        self.Zeta, self.LB, self.w = np.empty((capacity, n)), np.zeros((capacity, capacity)), np.zeros(capacity)
        self.mean, self.eta, self.residual = np.zeros(n), np.zeros(n), self.kdiag.copy()
        self.free = np.ones(n, dtype=bool)  # not chosen yet
        # IVM's posterior uses the targets of the basis only: M = chol(Kuu + noise I)^-1 Kuf, variance diag(K - M'M)
        self.M = np.empty((capacity, n)) if entropy else None
        self.active_variance = self.kdiag.copy()
        self.jitter = 0.0  # the largest that a rebuild needed on B
        self._freeze_noise()

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def capacity(self) -> int:
        return len(self.w)

    @property
    def size(self) -> int:
        return self.chol.size

    @property
    def pivots(self) -> np.ndarray:
        """Training rows in order of choice."""
        return self.chol.pivots[: self.size]

    @property
    def V(self) -> np.ndarray:
        return self.chol.rows

    def _freeze_noise(self) -> None:
        fitc = self.approximation == "fitc"
        self.lam = self.noise + self.residual if fitc else np.full(self.n, self.noise)
        self.precision = 1.0 / self.lam
        # what a leave-one-out density of DTC has besides S: K_ii - Q_ii; FITC has it inside Lambda
        self.extra = np.zeros(self.n) if fitc else self.residual

    def eligible(self) -> np.ndarray:
        """Rows that may be proposed: not chosen and not numerically dependent on the basis   (n,) bool."""
        return self.free & (self.residual >= FOR_GOOD * self.kdiag)

    def append(self, j: int, k, z=None) -> None:
        """Take training row j with kernel row k into the basis; z, where a criterion has it, saves a pass over Zeta."""
        m, nu, e = self.size, self.V[:, j].copy(), np.sqrt(self.residual[j])
        v = (k - nu @ self.V) / e  # (n,) the new row of V; BLAS would round a strided nu in another way
        p, f = self._project(v, k, j, z, nu, e)
        zeta = (v - p @ self.Zeta[:m]) / f
        self.chol.append(j, v, e)
        self.Zeta[m] = zeta
        self.LB[m, :m], self.LB[m, m] = p, f
        self.w[m] = zeta @ (self.precision * self.y)
        self.mean += self.w[m] * zeta
        self.eta += zeta**2 * self.precision
        self.residual -= v**2
        if self.M is not None:
            self.M[m] = (k - self.M[:m, j] @ self.M[:m]) / np.sqrt(self.active_variance[j] + self.noise)
            self.active_variance -= self.M[m] ** 2
        self.free[j] = False
        if self.approximation == "fitc":
            self.rebuild()

    def _project(self, v, k, j, z, nu, e):
        """The new row (p, f) of LB: v's coefficients on the basis so far and what is left of its norm."""
        m, pv = self.size, self.precision * v
        p = None
        if z is not None:
            c = self.kdiag[j] + k @ (self.precision * k)
            if np.finfo(float).eps ** 2 * c < _LOST**2 * (c - z @ z):
                p = (z - nu @ self.LB[:m, :m]) / e  # e p = z - LB'nu: nothing of order n
        if p is None:
            p = self.Zeta[:m] @ pv
        return p, np.sqrt(max(1.0 + v @ pv - p @ p, 1.0))  # the exact value is at least 1

    def rebuild(self) -> None:
        """Freeze Lambda at the present basis and recompute what depends on it; O(nm^2)."""
        m = self.size
        self._freeze_noise()
        V = self.V
        B = Cholesky.of(np.eye(m) + (V * self.precision) @ V.T)
        self.jitter = max(self.jitter, B.jitter)
        self.LB[:m, :m] = B.L
        self.Zeta[:m] = Zeta = B.half_solve(V)
        self.w[:m] = Zeta @ (self.precision * self.y)
        self.mean = self.w[:m] @ Zeta
        self.eta = (Zeta**2).sum(0) * self.precision

    def shorten(self, size: int) -> None:
        """Forget all but the first basis vectors; O(n size^2)."""
        self.free[self.pivots[size:]] = True
        self.chol.size = size
        self.residual = self.kdiag - (self.V**2).sum(0)
        self.rebuild()

    def log_evidence(self, size: int | None = None) -> float:
        """log N(y; 0, S) of the first `size` basis vectors (all by default; a shorter prefix for DTC only)."""
        m = self.size if size is None else size
        quadratic = self.y @ (self.precision * self.y) - self.w[:m] @ self.w[:m]
        logdet = np.log(self.lam).sum() + 2.0 * np.log(self.LB.diagonal()[:m]).sum()
        return -0.5 * float(quadratic + logdet + self.n * np.log(2 * np.pi))

    def dependent(self) -> int:
        """Rows left out of consideration because the basis already determines them."""
        return int((self.free & ~self.eligible()).sum())
