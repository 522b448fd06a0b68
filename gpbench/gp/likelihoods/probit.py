"""Two classes: P(y = +1) = Phi(f). EP runs it in compiled code (gp/inference/likelihoods.py); this is its file here."""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from .base import Likelihood
from .quadrature import Tilted


class Probit(Likelihood):
    """y is -1 or +1."""

    name = "probit"
    title = "Probit"
    use = "Two classes; the default of `ep` and `ep-fic`."
    targets = "classes"

    def start(self, y):
        return {}

    def log_density(self, y, f, p):
        return log_ndtr(y * f)

    def mean(self, f, p):
        return 2 * ndtr(f) - 1

    def variance(self, f, p):
        return 4 * ndtr(f) * ndtr(-f)

    def cdf(self, y, f, p):
        return np.where(y < -1, 0.0, np.where(y < 1, ndtr(-f), 1.0))

    def tilted(self, y, m, v, p):
        """Closed form (Rasmussen & Williams eqs. 3.58, 3.85, 3.87)."""
        s = np.sqrt(1 + v)
        z = y * m / s
        h = np.sqrt(2 / np.pi) / erfcx(-z / np.sqrt(2))  # N(z) / Phi(z)
        return Tilted(log_ndtr(z), m + v * y * h / s, v - v**2 * h * (z + h) / (1 + v))
