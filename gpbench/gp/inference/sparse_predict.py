"""Prediction of every sparse approximation: mean O(m), variance O(m^2) per test point, in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.lowrank import blocks
from gpbench.gp.linalg.structured import column_dots
from gpbench.gp.linalg.triangular import product, solve_lower

from .model import GP, Prediction, Predictor
from .sparse import SparseModel


@dataclass(frozen=True)
class SparsePosterior(Predictor):
    """What prediction needs of a model, nothing of size n.

    mean = k' L^-T B^-1 V Lam^-1 y;   latent variance = k(x, x) - |L^-1 k|^2 + |LB^-1 L^-1 k|^2

    `nugget` is added to K_I for `var_latent` alone, as [keerthi]'s noise-free NLPD has it.
    """

    gp: GP
    Z: np.ndarray  # (m, D)
    L: np.ndarray  # (m, m)
    LB: np.ndarray  # (m, m)
    weights: np.ndarray  # (m,)
    nugget: float = 0.0
    latent: bool = True  # without it, and with a nugget, there is no `var_latent`, nor the two solves it takes

    @classmethod
    def of(cls, model: SparseModel, nugget: float = 0.0, latent: bool = True) -> SparsePosterior:
        f = model.factor
        weights = solve_lower(model.L, f.inner_solve(f.project(model.y)), trans=True)
        return cls(model.gp, model.Z, model.L, f.LB, weights, nugget, latent)

    def predict(self, Xs) -> Prediction:
        """`var` includes the noise, `var_latent` does not; memory does not grow with the number of test points."""
        kernel = self.gp.kernel
        mean, latent = np.empty(len(Xs)), kernel.diag(Xs)
        var, apart = np.empty(len(Xs)), bool(self.nugget and self.latent)
        for rows in blocks(len(self.Z), len(Xs)):
            Kus = np.asfortranarray(kernel(Xs[rows], self.Z).T)  # (m, b)
            mean[rows] = product(Kus.T, self.weights)
            if apart:
                K, A = self._with_nugget
                own = _latent(latent[rows], K.half_solve(Kus), A.half_solve(Kus))
            Vs = solve_lower(self.L, Kus, overwrite=True)
            plain = _latent(latent[rows], Vs, solve_lower(self.LB, Vs))
            var[rows] = plain + self.gp.noise
            latent[rows] = own if apart else plain
        return Prediction(mean, var, latent if self.latent or not self.nugget else None)

    @cached_property
    def _with_nugget(self) -> tuple[Cholesky, Cholesky]:
        """Factors of K_I and of K_I + K_I. Lam^-1 K_.I = A A', A = L LB, with the nugget on K_I."""
        extra, A = self.nugget * np.eye(len(self.Z)), self.L @ self.LB
        return Cholesky.of(self.L @ self.L.T + extra), Cholesky.of(A @ A.T + extra)


def _latent(prior, V, U) -> np.ndarray:
    """prior - |v_i|^2 + |u_i|^2; the first difference is below zero only by rounding."""
    return np.maximum(prior - column_dots(V, V), 0.0) + column_dots(U, U)
