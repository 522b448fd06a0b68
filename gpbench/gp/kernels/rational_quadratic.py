"""Rational quadratic kernel: squared exponentials of many length-scales added up.

    k(r) = variance * (1 + r^2 / (2 alpha))^-alpha,   r = |(x - x') / lengthscale|

A small alpha mixes wide scales, alpha -> infinity is ard-se.
"""

from __future__ import annotations

import numpy as np

from .stationary import Stationary


class RationalQuadratic(Stationary):
    name = "rational-quadratic"
    shapes = ("alpha",)

    def _profile(self, r, slope=True):
        alpha = np.exp(self._shape[0])
        q = r**2 / (2 * alpha)
        k = np.exp(self.theta[0] - alpha * np.log1p(q))
        return k, -k / (1 + q) if slope else None

    def _shape_slopes(self, r, k):
        alpha = np.exp(self._shape[0])
        q = r**2 / (2 * alpha)
        return (alpha * k * (q / (1 + q) - np.log1p(q)),)
