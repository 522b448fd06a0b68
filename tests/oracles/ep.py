"""Expectation propagation from its definition: the posterior is re-inverted after every site update."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm


def pp_kernel(X, X2, q, variance, lengthscale, D):
    """[vanhatalo] eqs. (7)-(10), term by term."""
    r = np.sqrt((((X[:, None, :] - X2[None, :, :]) / lengthscale) ** 2).sum(-1))
    j, cut = D // 2 + q + 1, np.maximum(1 - r, 0)
    if q == 0:
        return variance * cut**j
    if q == 1:
        return variance * cut ** (j + 1) * ((j + 1) * r + 1)
    if q == 2:
        return variance / 3 * cut ** (j + 2) * ((j**2 + 4 * j + 3) * r**2 + (3 * j + 6) * r + 3)
    inner = (j**3 + 9 * j**2 + 23 * j + 15) * r**3 + (6 * j**2 + 36 * j + 45) * r**2 + (15 * j + 45) * r + 15
    return variance / 15 * cut ** (j + 3) * inner


def probit_moments(y, m, v):
    """Normaliser, mean and variance of Phi(y f) N(f; m, v) by quadrature over f."""
    s = np.sqrt(v)

    def moment(k):
        return quad(lambda f: f**k * norm.cdf(y * f) * norm.pdf(f, m, s), m - 12 * s, m + 12 * s, epsabs=1e-14)[0]

    Z, first, second = moment(0), moment(1), moment(2)
    return Z, first / Z, second / Z - (first / Z) ** 2


def naive_ep(K, y, sweeps=200, tolerance=1e-13):
    """(tau, nu, log Z, posterior mean, posterior covariance); one inverse per site update, for small problems."""
    n = len(y)
    tau, nu = np.zeros(n), np.zeros(n)
    for _ in range(sweeps):
        before = np.r_[tau, nu]
        for i in range(n):
            Sigma, mu = posterior(K, tau, nu)
            tau_cav, nu_cav = 1 / Sigma[i, i] - tau[i], mu[i] / Sigma[i, i] - nu[i]
            m, v = nu_cav / tau_cav, 1 / tau_cav
            z = y[i] * m / np.sqrt(1 + v)
            ratio = np.exp(norm.logpdf(z) - norm.logcdf(z))
            mean = m + y[i] * v * ratio / np.sqrt(1 + v)
            var = v - v**2 * ratio * (z + ratio) / (1 + v)
            tau[i], nu[i] = 1 / var - tau_cav, mean / var - nu_cav
        if np.abs(np.r_[tau, nu] - before).max() < tolerance * np.abs(np.r_[tau, nu]).max():
            break
    Sigma, mu = posterior(K, tau, nu)
    return tau, nu, log_evidence(K, y, tau, nu), mu, Sigma


def posterior(K, tau, nu):
    Sigma = K - K @ np.linalg.inv(np.diag(1 / np.maximum(tau, 1e-300)) + K) @ K if tau.all() else _some_sites(K, tau)
    return Sigma, Sigma @ nu


def _some_sites(K, tau):
    on = tau != 0
    return K - K[:, on] @ np.linalg.inv(np.diag(1 / tau[on]) + K[np.ix_(on, on)]) @ K[on] if on.any() else K.copy()


def log_evidence(K, y, tau, nu):
    """log of the integral of N(f; 0, K) prod_i Z_i N(f_i; nu_i/tau_i, 1/tau_i), each Z_i from its cavity."""
    Sigma, mu = posterior(K, tau, nu)
    tau_cav, nu_cav = 1 / np.diag(Sigma) - tau, mu / np.diag(Sigma) - nu
    m, v, site_mean, site_var = nu_cav / tau_cav, 1 / tau_cav, nu / tau, 1 / tau
    # Z_i makes the zeroth moment of cavity x site equal that of cavity x likelihood
    log_Zi = norm.logcdf(y * m / np.sqrt(1 + v)) - norm.logpdf(site_mean, m, np.sqrt(v + site_var))
    S = K + np.diag(site_var)
    quadratic = site_mean @ np.linalg.inv(S) @ site_mean
    return log_Zi.sum() - 0.5 * (quadratic + np.linalg.slogdet(S)[1] + len(y) * np.log(2 * np.pi))
