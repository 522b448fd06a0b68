"""Predictions of the sparse model at any prefix of a greedy path, from the factors the path leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpbench.inference.model import GP, Prediction
from gpbench.linalg.cholesky import Cholesky
from gpbench.linalg.triangular import solve_lower

from .state import GreedyState


@dataclass(frozen=True)
class BasisPredictor:
    """Projected process on basis inputs Z: mean w'zeta*, variance k** - |v*|^2 + |zeta*|^2 plus noise for targets."""

    gp: GP
    Z: np.ndarray  # (m, D)
    L: np.ndarray  # (m, m)
    LB: np.ndarray  # (m, m)
    w: np.ndarray  # (m,)
    nugget: float

    @classmethod
    def at(cls, state: GreedyState, gp: GP, X, size: int, nugget: float = 0.0) -> BasisPredictor:
        part = np.s_[:size, :size]
        L, LB = np.asfortranarray(state.L[part]), np.asfortranarray(state.LB[part])
        return cls(gp, X[state.pivots[:size]], L, LB, state.w[:size].copy(), nugget)

    def __call__(self, Xs, block: int = 4096) -> Prediction:
        parts = [self._block(Xs[i : i + block]) for i in range(0, len(Xs), block)]
        return Prediction(*(np.concatenate(column) for column in zip(*parts)))

    def _block(self, Xs):
        Kus = self.gp.kernel(self.Z, Xs)  # (m, b)
        v = solve_lower(self.L, Kus)
        zeta = solve_lower(self.LB, v)
        prior = self.gp.kernel.diag(Xs)
        latent = prior - (v**2).sum(0) + (zeta**2).sum(0)
        var = latent + self.gp.noise
        if self.nugget:
            Kn, An = self._with_nugget
            latent = prior - (Kn.half_solve(Kus) ** 2).sum(0) + (An.half_solve(Kus) ** 2).sum(0)
        return self.w @ zeta, var, latent

    @cached_property
    def _with_nugget(self) -> tuple[Cholesky, Cholesky]:
        """Factors of K_I and of K_I + K_I. Lambda^-1 K_.I with the nugget on K_I, as [keerthi]'s latent NLPD has it."""
        extra, A = self.nugget * np.eye(len(self.w)), self.L @ self.LB
        return Cholesky.of(self.L @ self.L.T + extra), Cholesky.of(A @ A.T + extra)
