"""Covariance functions from their definitions, one pair of points at a time."""

import numpy as np
from scipy.special import gamma, kv


def matrix(of_pair, X, X2):
    return np.array([[of_pair(a, b) for b in X2] for a in X])


def matern(nu, variance, lengthscale):
    """Of any smoothness nu, by the Bessel function (Rasmussen & Williams eq. 4.14)."""

    def of_pair(a, b):
        s = np.sqrt(2 * nu) * np.sqrt((((a - b) / lengthscale) ** 2).sum())
        return variance * (1.0 if s == 0 else 2 ** (1 - nu) / gamma(nu) * s**nu * kv(nu, s))

    return of_pair


def rational_quadratic(variance, lengthscale, alpha):
    return lambda a, b: variance * (1 + (((a - b) / lengthscale) ** 2).sum() / (2 * alpha)) ** -alpha


def periodic(variance, lengthscale, period):
    return lambda a, b: variance * np.exp(-2 * (np.sin(np.pi * (a - b) / period) ** 2 / lengthscale**2).sum())


def linear(variance):
    return lambda a, b: (variance * a * b).sum()
