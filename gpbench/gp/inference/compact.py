"""Exact GP regression with a compactly supported kernel: S = K + noise I stays sparse, and so does all that follows.

The evidence's gradient needs S^-1 on K's pattern only ([vanhatalo] section 5.3), which the selected inversion of the
multifrontal factor gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.gp.kernels.patterns import on_pattern
from gpbench.gp.linalg.multifrontal import Multifrontal
from gpbench.gp.linalg.ordering import fill_reducing
from gpbench.gp.objectives.evidence import evidence

from .model import GP, Prediction, Predictor


def factorise(K, noise: float, ordering: str = "amd"):
    """(factor of K + noise I, note of the ordering)."""
    perm, note = fill_reducing(K, ordering)
    S = K.copy()
    S.setdiag(K.diagonal() + noise)
    return Multifrontal(K, perm).factorise(S.data), note


def evaluate(gp: GP, X, y, ordering: str = "amd") -> tuple[float, np.ndarray, float]:
    """Log evidence, its gradient in theta and in log noise."""
    pattern = gp.kernel.support(X)
    k, pull = gp.kernel.linearised_on(pattern, X)
    K = on_pattern(pattern, k)
    factor, _ = factorise(K, gp.noise, ordering)
    F, _, _ = evidence(factor, y, gradient=False)
    a = factor.solve(y)
    columns = np.repeat(np.arange(len(y)), np.diff(K.indptr))
    dK = 0.5 * (a[K.indices] * a[columns] - factor.selected_inverse())  # dF/dK on the pattern
    dlog_noise = gp.noise * float(dK[K.indices == columns].sum())
    return F, pull(dK), dlog_noise


@dataclass(frozen=True)
class CompactPosterior(Predictor):
    gp: GP
    X: np.ndarray
    factor: Multifrontal
    alpha: np.ndarray  # (n,) S^-1 y
    log_evidence: float
    fill_k: float
    note: str

    @classmethod
    def fit(cls, gp: GP, X, y, ordering: str = "amd") -> CompactPosterior:
        K = gp.kernel.sparse(X)
        factor, note = factorise(K, gp.noise, ordering)
        F, _, _ = evidence(factor, y, gradient=False)
        return cls(gp, X, factor, factor.solve(y), F, K.nnz / len(y) ** 2, note)

    def predict(self, Xs, block: int = 8192) -> Prediction:
        """Test points near each other are best predicted in one call: they share fronts of the factor."""
        mean, latent = np.empty(len(Xs)), np.empty(len(Xs))
        for i in range(0, len(Xs), block):
            part = slice(i, i + block)
            Ks = self.gp.kernel.sparse(self.X, Xs[part])
            mean[part] = Ks.T @ self.alpha
            latent[part] = self.gp.kernel.diag(Xs[part]) - self.factor.half_squares(Ks)
        return Prediction(mean, latent + self.gp.noise, latent)
