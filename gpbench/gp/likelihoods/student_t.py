"""Targets with outliers: (y - f) / scale is Student-t with `dof` degrees of freedom."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, stdtr

from .base import Likelihood, Parameter


class StudentT(Likelihood):
    """Not log-concave: a target far from the others makes the function less certain, so sites may be negative."""

    name = "student-t"
    title = "Student-t"
    use = "Numbers, a few of which are grossly wrong; with many degrees of freedom it is Gaussian noise."
    version = 2  # dof is learned last
    held = ("dof",)  # learned from the beginning it falls before there is a function that explains the targets
    power = 0.8  # fractional EP: of the values tried (1, .8, .5) the largest that converges with many outliers
    parameters = {"scale": Parameter(0.0, 100.0), "dof": Parameter(2.1, 1e4)}  # noqa: RUF012

    def start(self, y):
        return {"scale": float(max(0.3 * np.std(y), 1e-3)), "dof": 4.0}

    def log_density(self, y, f, p):
        a, z = p["dof"], (y - f) / p["scale"]
        return _log_constant(a) - np.log(p["scale"]) - 0.5 * (a + 1) * np.log1p(z**2 / a)

    def mean(self, f, p):
        return f

    def variance(self, f, p):
        return np.full(np.shape(f), p["scale"] ** 2 * p["dof"] / (p["dof"] - 2))

    def cdf(self, y, f, p):
        return stdtr(p["dof"], (y - f) / p["scale"])

    def width(self, p):
        return p["scale"]


def _log_constant(a: float) -> float:
    """log Gamma((a + 1)/2) / (Gamma(a/2) sqrt(a pi))."""
    if a > 1e5:
        return -0.5 * np.log(2 * np.pi) - 1 / (4 * a)
    return float(gammaln((a + 1) / 2) - gammaln(a / 2) - 0.5 * np.log(a * np.pi))
