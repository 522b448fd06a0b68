"""Counts that vary more than Poisson's: mean mu = exp(f + offset), variance mu + dispersion mu^2."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, gammaln

from .base import Likelihood, Parameter


class NegativeBinomial(Likelihood):
    """With r = 1 / dispersion: p(y) = Gamma(y + r) / (Gamma(r) y!) (r / (r + mu))^r (mu / (r + mu))^y."""

    name = "negative-binomial"
    title = "Negative binomial, log link"
    use = "Counts; with dispersion zero it is poisson."
    targets = "counts"
    parameters = {"dispersion": Parameter(0.0, 100.0), "offset": Parameter(-30.0, 30.0, log=False)}  # noqa: RUF012

    def start(self, y):
        return {"dispersion": 0.2, "offset": float(np.log(max(np.mean(y), 0.1)))}

    def log_density(self, y, f, p):
        r, a = 1 / p["dispersion"], f + p["offset"]
        log_r = np.log(r)
        choose = _log_choose(y, r)
        beyond = np.logaddexp(0.0, a - log_r)  # log((r + mu) / r)
        return choose + y * (a - log_r) - (y + r) * beyond

    def mean(self, f, p):
        return np.exp(f + p["offset"])

    def variance(self, f, p):
        mu = np.exp(f + p["offset"])
        return mu + p["dispersion"] * mu**2

    def cdf(self, y, f, p):
        r, mu = 1 / p["dispersion"], np.exp(f + p["offset"])
        return np.where(y < 0, 0.0, betainc(r, np.maximum(np.floor(y), 0.0) + 1, r / (r + mu)))


def _log_choose(y, r: float):
    """log Gamma(y + r) / (Gamma(r) y!), by Stirling's series where r is so large that the difference is lost."""
    if r < 1e4:
        return gammaln(y + r) - gammaln(r) - gammaln(y + 1)
    ratio = (y + r - 0.5) * np.log1p(y / r) + y * np.log(r) - y + (1 / (y + r) - 1 / r) / 12
    return ratio - gammaln(y + 1)
