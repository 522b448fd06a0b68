"""Draws from a GP with a compactly supported kernel plus noise, in the square [0, 10]^2: [vanhatalo] Figure 2.

The paper gives the kernel k_pp,q with D = 2, the noise variance 0.04 and ten draws; it does not give the number of
points, the support radius or the magnitude: 500 + 500 points, radius 2 and magnitude 1 are our choice.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field
from scipy.spatial.distance import cdist

from gpbench.data.source import Generated


def k_pp(r, q: int):
    """[vanhatalo] eqs. (7)-(10) at D = 2: piecewise polynomial of smoothness q, zero beyond r = 1."""
    j, t = q + 2, np.maximum(1 - r, 0)  # j = floor(D/2) + q + 1
    if q == 0:
        return t**j
    if q == 1:
        return t ** (j + 1) * ((j + 1) * r + 1)
    if q == 2:
        return t ** (j + 2) * ((j**2 + 4 * j + 3) * r**2 + (3 * j + 6) * r + 3) / 3
    cubic = (j**3 + 9 * j**2 + 23 * j + 15) * r**3 + (6 * j**2 + 36 * j + 45) * r**2 + (15 * j + 45) * r + 15
    return t ** (j + 3) * cubic / 15


class PpRegression(Generated):
    name = "pp-regression"
    title = "Draws from a GP with a piecewise polynomial kernel"
    papers = ("vanhatalo",)
    citation = "J. Vanhatalo, A. Vehtari (2010). Speeding up the binary Gaussian process classification. UAI 26."
    licence = "generated; none needed"
    home = "y ~ N(0, k_pp,q(|x - x'| / radius) + 0.04 I), inputs uniform in [0, 10]^2; a new draw for every trial"
    per_trial = True

    n_train: int = Field(500, ge=1, le=5000, description="training rows")
    n_test: int = Field(500, ge=1, le=5000, description="test rows")
    q: int = Field(3, ge=0, le=3, description="smoothness of the kernel, pp0 to pp3")
    radius: float = Field(2.0, gt=0, description="support radius: the kernel's length-scale")
    noise: float = Field(0.04, ge=0, description="variance of the noise")

    def sample(self, rng):
        X = rng.uniform(0, 10, (self.n_train + self.n_test, 2))
        K = k_pp(cdist(X, X) / self.radius, self.q)
        K[np.diag_indices_from(K)] += self.noise + 1e-10  # points that nearly coincide make K itself singular
        return X, np.linalg.cholesky(K) @ rng.standard_normal(len(X))
