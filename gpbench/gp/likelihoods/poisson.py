"""Counts with a log link: y ~ Poisson(exp(f + offset))."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, pdtr

from .base import Likelihood, Parameter


class Poisson(Likelihood):
    """`offset` is the logarithm of the count where the latent function is zero."""

    name = "poisson"
    title = "Poisson, log link"
    use = "Counts whose variance about their expected value is that value; else take negative-binomial."
    targets = "counts"
    parameters = {"offset": Parameter(-30.0, 30.0, log=False)}  # noqa: RUF012

    def start(self, y):
        return {"offset": float(np.log(max(np.mean(y), 0.1)))}

    def log_density(self, y, f, p):
        a = f + p["offset"]
        return y * a - np.exp(np.minimum(a, 700.0)) - gammaln(y + 1)

    def mean(self, f, p):
        return np.exp(f + p["offset"])

    def variance(self, f, p):
        return np.exp(f + p["offset"])

    def cdf(self, y, f, p):
        return np.where(y < 0, 0.0, pdtr(np.maximum(np.floor(y), 0.0), np.exp(f + p["offset"])))
