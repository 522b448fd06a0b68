"""Exact Gaussian process regression: S = K + noise I.

The kernel matrix is evaluated once per evaluation of an objective; the factor, the inverse and dF/dK share its memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.gp.kernels.base import Kernel
from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.objectives.evidence import evidence

from .model import GP, Prediction, Predictor
from .row_noise import RowNoise, variances

LOO_ROWS = 3000  # up to here n^3 more is little time


def evaluate(gp: GP, X, y, objective=evidence, rows: RowNoise | None = None) -> tuple[float, np.ndarray, float]:
    """F, dF/dtheta, dF/dlog noise. Two n x n arrays besides the kernel matrix; no n x n x D tensor."""
    K, pull = gp.kernel.linearised(X)  # (n, n)
    factor = factorise(K, variances(gp, rows, slice(len(y))))
    F, W, _ = objective(factor, y)  # W = dF/dS
    dlog_noise = gp.noise * (float(W.diag().sum()) if rows is None else rows.slope(W.diag()))
    dtheta, _ = pull(W.dense())
    return F, dtheta, dlog_noise


def factorise(K, noise) -> Cholesky:
    S = K.copy()
    S[np.diag_indices_from(S)] += noise
    return Cholesky.of(S)


@dataclass(frozen=True)
class ExactPosterior(Predictor):
    """Exact posterior on rows X; `predict` costs O(n) per mean and O(n^2) per variance.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import ExactPosterior, Problem
    >>> problem = Problem.of(np.linspace(0, 1, 5)[:, None], np.arange(5.0))
    >>> posterior = ExactPosterior.fit(problem.gp, problem.X, problem.y)
    >>> posterior(np.zeros((2, 1))).mean.shape
    (2,)
    """

    kernel: Kernel
    noise: float  # of a new row
    X: np.ndarray
    factor: Cholesky
    alpha: np.ndarray  # (n,) S^-1 y
    log_evidence: float

    @classmethod
    def fit(cls, gp: GP, X, y, rows: RowNoise | None = None) -> ExactPosterior:
        factor = factorise(gp.kernel(X), variances(gp, rows))
        F, _, _ = evidence(factor, y, gradient=False)
        return cls(gp.kernel, gp.noise, X, factor, factor.solve(y), F)

    def left_out(self, most: int = LOO_ROWS, share: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and variances of targets given others.

        Of each row given all others, up to `most` rows: O(n^3). Beyond, of the last share of the rows given the rows
        before it: with S = LL' and the last block L22, y2 - E[y2 | y1] = L22 z2 and its covariance is L22 L22', where
        z = L^-1 y; L is there, so it costs O(n^2).
        """
        n, L = len(self.alpha), self.factor.L
        if n <= most:
            precision = self.factor.inv_diag()
            return self.alpha / precision, 1 / precision
        last = np.tril(L[-max(1, round(share * n)) :, -max(1, round(share * n)) :])
        return last @ (last.T @ self.alpha[-len(last) :]), (last**2).sum(1)

    def predict(self, Xs, block: int = 2048) -> Prediction:
        mean, latent = np.empty(len(Xs)), np.empty(len(Xs))
        for i in range(0, len(Xs), block):
            rows = slice(i, i + block)
            Ks = self.kernel(self.X, Xs[rows])  # (n, b)
            mean[rows] = Ks.T @ self.alpha
            latent[rows] = self.kernel.diag(Xs[rows]) - (self.factor.half_solve(Ks) ** 2).sum(0)
        return Prediction(mean, latent + self.noise, latent)
