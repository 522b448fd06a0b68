"""Predictions of the sparse model at any prefix of a greedy path, from the factors the path leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpbench.inference.model import GP, Prediction
from gpbench.linalg.cholesky import Cholesky, solve_lower

from .state import GreedyState


@dataclass(frozen=True)
class BasisPredictor:
    """Projected process on basis inputs Z: mean w'zeta*, latent variance k** - |v*|^2 + |zeta*|^2, noise added for targets."""

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
        parts = [self._block(Xs[i : i + block], self._nuggets()) for i in range(0, len(Xs), block)]
        return Prediction(*(np.concatenate(column) for column in zip(*parts)))

    def _block(self, Xs, nuggets):
        Kus = self.gp.kernel(self.Z, Xs)  # (m, b)
        v = solve_lower(self.L, Kus)
        zeta = solve_lower(self.LB, v)
        prior = self.gp.kernel.diag(Xs)
        latent = prior - (v**2).sum(0) + (zeta**2).sum(0)
        var = latent + self.gp.noise
        if nuggets is not None:
            Kn, An = nuggets
            latent = prior - (Kn.half_solve(Kus) ** 2).sum(0) + (An.half_solve(Kus) ** 2).sum(0)
        return self.w @ zeta, var, latent

    def _nuggets(self):
        """Factors of K_I and of K_I + K_I. Lambda^-1 K_.I with the nugget on K_I, as [keerthi]'s latent NLPD has it."""
        if not self.nugget:
            return None
        extra, A = self.nugget * np.eye(len(self.w)), self.L @ self.LB
        return Cholesky.of(self.L @ self.L.T + extra), Cholesky.of(A @ A.T + extra)

    def curve(self, Xs) -> Iterator[Prediction]:
        """Predictions of the first 1, 2, ... basis vectors, O(t) each after one pass; DTC paths, no nugget."""
        v = solve_lower(self.L, self.gp.kernel(self.Z, Xs))
        zeta = solve_lower(self.LB, v)
        mean, latent = np.zeros(len(Xs)), self.gp.kernel.diag(Xs).astype(float)
        for w_k, v_k, zeta_k in zip(self.w, v, zeta):
            mean, latent = mean + w_k * zeta_k, latent - v_k**2 + zeta_k**2
            yield Prediction(mean, latent + self.gp.noise, latent)
