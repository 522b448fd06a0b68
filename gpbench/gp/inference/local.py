"""Independent full GPs on clusters of rows with the same hyperparameters: S is block diagonal.

The cheap baseline of Chalupka, Williams and Murray (JMLR 2013): the evidence is the sum over clusters, a test point
asks the one cluster that it falls into.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.gp.linalg.halving import Halving

from . import exact
from .model import GP, Prediction, Predictor


def evaluate(gp: GP, X, y, clusters: list[np.ndarray]) -> tuple[float, np.ndarray, float]:
    """Sum of the clusters' F, dF/dtheta, dF/dlog noise; O(n m^2) for clusters of m rows."""
    F, dtheta, dlog_noise = zip(*(exact.evaluate(gp, X[rows], y[rows]) for rows in clusters))
    return sum(F), np.sum(dtheta, axis=0), sum(dlog_noise)


@dataclass(frozen=True)
class LocalPosterior(Predictor):
    tree: Halving
    parts: tuple[exact.ExactPosterior, ...]  # of each leaf

    @classmethod
    def fit(cls, gp: GP, X, y, tree: Halving) -> LocalPosterior:
        return cls(tree, tuple(exact.ExactPosterior.fit(gp, X[rows], y[rows]) for rows in tree.leaves()))

    @property
    def log_evidence(self) -> float:
        return sum(part.log_evidence for part in self.parts)

    def predict(self, Xs) -> Prediction:
        mean, latent, where = np.empty(len(Xs)), np.empty(len(Xs)), self.tree.assign(Xs)
        for number in np.unique(where):
            here = where == number
            found = self.parts[number].predict(Xs[here])
            mean[here], latent[here] = found.mean, found.var_latent
        return Prediction(mean, latent + self.parts[0].noise, latent)
