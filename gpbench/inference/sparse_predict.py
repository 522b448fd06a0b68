"""Prediction of every sparse approximation: mean O(m), variance O(m^2) per test point, in blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.inference.model import GP, Prediction
from gpbench.inference.sparse import SparseModel
from gpbench.linalg.lowrank import blocks
from gpbench.linalg.structured import column_dots
from gpbench.linalg.triangular import solve_lower


@dataclass(frozen=True)
class SparsePosterior:
    """What prediction needs of a model, nothing of size n.

    mean = k' L^-T B^-1 V Lam^-1 y;   latent variance = k(x, x) - |L^-1 k|^2 + |LB^-1 L^-1 k|^2
    """

    gp: GP
    Z: np.ndarray  # (m, D)
    L: np.ndarray  # (m, m)
    LB: np.ndarray  # (m, m)
    weights: np.ndarray  # (m,)

    @classmethod
    def of(cls, model: SparseModel) -> SparsePosterior:
        f = model.factor
        weights = solve_lower(model.L, f.inner_solve(f.project(model.y)), trans=True)
        return cls(model.gp, model.Z, model.L, f.LB, weights)

    def predict(self, Xs) -> Prediction:
        """`var` includes the noise, `var_latent` does not; memory does not grow with the number of test points."""
        kernel = self.gp.kernel
        mean, latent = np.empty(len(Xs)), kernel.diag(Xs)
        for rows in blocks(len(self.Z), len(Xs)):
            Kus = np.asfortranarray(kernel(Xs[rows], self.Z).T)  # (m, b)
            mean[rows] = Kus.T @ self.weights
            Vs = solve_lower(self.L, Kus, overwrite=True)
            unexplained = np.maximum(latent[rows] - column_dots(Vs, Vs), 0.0)  # below zero is rounding
            Us = solve_lower(self.LB, Vs, overwrite=True)
            latent[rows] = unexplained + column_dots(Us, Us)
        return Prediction(mean, latent + self.gp.noise, latent)
