"""What EP needs of a likelihood p(y_i | f_i): its moments against a Gaussian cavity N(f; m, v), in compiled form.

    log_Z = log of the integral of p(y | f) N(f; m, v),   alpha = d log_Z / dm,   beta = -d^2 log_Z / dm^2

The tilted mean is m + v alpha and its variance v - v^2 beta, so the site that matches them is
tau = beta / (1 - v beta), nu = (alpha + m beta) / (1 - v beta): no difference of two large precisions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import log_ndtr, ndtr

PROBIT, GAUSSIAN = 0, 1


@dataclass(frozen=True)
class Probit:
    """p(y | f) = Phi(y f), y = -1 or +1."""

    code: int = PROBIT
    noise: float = 0.0

    def probability(self, mean, var):
        """P(y = +1) when f ~ N(mean, var)."""
        return ndtr(mean / np.sqrt(1 + var))

    def log_probabilities(self, mean, var):
        """log P(y = -1) and log P(y = +1) when f ~ N(mean, var), each to full precision   (t, 2)."""
        z = mean / np.sqrt(1 + var)
        return np.column_stack([log_ndtr(-z), log_ndtr(z)])


@dataclass(frozen=True)
class Gaussian:
    """p(y | f) = N(y; f, noise): EP is then exact, which makes it a test of everything around the likelihood."""

    noise: float
    code: int = GAUSSIAN


@njit(cache=True)
def mills(z):
    """(log Phi(z), h, h + z) with h = N(z)/Phi(z), each to full relative precision for any z."""
    if z > -8.0:
        Phi = 0.5 * math.erfc(-z / math.sqrt(2.0))
        h = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) / Phi
        log_Phi = math.log(Phi) if z < 0.0 else math.log1p(-0.5 * math.erfc(z / math.sqrt(2.0)))
        return log_Phi, h, h + z
    x, tail = -z, 0.0
    for k in range(40, 1, -1):  # h = x + 1/(x + 2/(x + 3/(x + ...))), Laplace's continued fraction
        tail = k / (x + tail)
    excess = 1.0 / (x + tail)
    h = x + excess
    return -0.5 * z * z - 0.5 * math.log(2.0 * math.pi) - math.log(h), h, excess


@njit(cache=True)
def moments(code, noise, y, m, v):
    """(log_Z, alpha, beta) of one site."""
    if code == GAUSSIAN:
        s = v + noise
        return -0.5 * (math.log(2.0 * math.pi * s) + (y - m) ** 2 / s), (y - m) / s, 1.0 / s
    s = math.sqrt(1.0 + v)
    log_Phi, h, excess = mills(y * m / s)
    return log_Phi, y * h / s, h * excess / (1.0 + v)


@njit(cache=True)
def log_normalisers(code, noise, y, m, v):
    """Sum of log_Z over all sites."""
    total = 0.0
    for i in range(len(y)):
        total += moments(code, noise, y[i], m[i], v[i])[0]
    return total
