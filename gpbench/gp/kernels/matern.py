"""Matern kernels of smoothness 1/2, 3/2 and 5/2 with one length-scale per input.

    matern12   k(r) = variance * exp(-r)
    matern32   k(r) = variance * (1 + s) exp(-s),             s = sqrt(3) r
    matern52   k(r) = variance * (1 + s + s^2/3) exp(-s),     s = sqrt(5) r

with r = |(x - x') / lengthscale|; as the smoothness grows they approach ard-se of the same length-scales. matern12 has
a kink at distance zero and hence no gradient in the inputs.
"""

from __future__ import annotations

import numpy as np

from .stationary import Stationary


class Matern12(Stationary):
    """Matern kernel of smoothness 1/2, draws with a kink everywhere; one length-scale per input."""

    name = "matern12"
    smooth = False

    def _profile(self, r, slope=True):
        k = np.exp(self.theta[0] - r)
        # every use at r = 0 multiplies the slope by zero
        return k, np.divide(-k, r, out=np.zeros_like(r), where=r > 0) if slope else None


class Matern32(Stationary):
    """Matern kernel of smoothness 3/2, draws with one derivative; one length-scale per input."""

    name = "matern32"

    def _profile(self, r, slope=True):
        s = np.sqrt(3.0) * r
        e = np.exp(self.theta[0] - s)
        s += 1.0
        s *= e
        return s, -3.0 * e if slope else None


class Matern52(Stationary):
    """Matern kernel of smoothness 5/2, draws with two derivatives; one length-scale per input."""

    name = "matern52"

    def _profile(self, r, slope=True):
        s = np.sqrt(5.0) * r
        e = np.exp(self.theta[0] - s)
        steep = (1.0 + s) * e
        return steep + s**2 / 3 * e, -5.0 / 3.0 * steep if slope else None
