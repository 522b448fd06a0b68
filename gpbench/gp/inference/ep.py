"""Expectation propagation: one loop over blocks of sites, one compiled site update, log Z written once.

[vanhatalo] eqs. (3)-(5); Rasmussen & Williams (2006), Algs. 3.5 and 5.2. Site i is exp(nu_i f - tau_i f^2 / 2), the
posterior N(mu, Sigma) with Sigma = (K^-1 + diag tau)^-1, mu = Sigma nu, and B = I + S K S with S = diag(sqrt tau). A
posterior (dense, FIC, sparse) differs in how it holds Sigma; see `SitePosterior`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numba import njit

from gpbench.errors import NotPositiveDefinite

from .likelihoods import log_normalisers, moments

TINY = 1e-200  # least precision of a visited site, so that 1/tau and nu/tau exist
FLOOR = 1e-3  # of the cavity's precision: below it a site's own size is no yardstick for its change
DRIFT = 1e-9  # tolerances below this are only believed of a sweep that began with a rebuilt posterior


@dataclass
class Sites:
    tau: np.ndarray  # (n,) precisions
    nu: np.ndarray  # (n,) precision times mean

    @classmethod
    def zero(cls, n: int) -> Sites:
        return cls(np.zeros(n), np.zeros(n))

    def copy(self) -> Sites:
        return Sites(self.tau.copy(), self.nu.copy())


class SitePosterior(Protocol):
    """N(mu, Sigma) of a prior and sites. Sites are in the order of the data; `sweep` changes them in place."""

    rebuild: ClassVar[bool]  # after every sweep (updates drift or are not kept), not only at the end
    notes: tuple[str, ...]  # e.g. the ordering or the jitter that was needed

    def refresh(self, sites: Sites) -> None:
        """Rebuild from the sites alone."""

    def sweep(self, sites: Sites, y, likelihood) -> tuple[float, int]:
        """Visit every site once; (largest relative change, updates refused because the cavity had no variance)."""

    def marginals(self) -> tuple[np.ndarray, np.ndarray]:
        """mu and diag(Sigma) of the last refresh."""

    def logdet_B(self) -> float: ...

    def gradient(self) -> tuple[np.ndarray, np.ndarray | None]:
        """d log Z / d theta and, for FIC, d log Z / dZ, at the sites of the last refresh ([vanhatalo] eq. 6)."""

    def predict(self, Xs) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the latent function   (t,), (t,)."""

    def figures(self) -> dict[str, float]:
        """What is worth recording: fill, memory, counts."""


@dataclass(frozen=True)
class EPResult:
    sites: Sites
    mu: np.ndarray
    var: np.ndarray
    log_Z: float  # natural log, all constants
    sweeps: int
    converged: bool
    change: float  # of the last sweep
    refused: int  # site updates left out, of all sweeps
    posterior: SitePosterior

    @property
    def notes(self) -> tuple[str, ...]:
        said = () if self.converged else (f"EP not converged: change {self.change:.1e} after {self.sweeps} sweeps",)
        return said + ((f"EP refused {self.refused} site updates",) if self.refused else ())


def megabytes(*held) -> float:
    """Megabytes of arrays and sparse matrices, indices included."""
    parts = (
        part for one in held for part in ((one.data, one.indices, one.indptr) if hasattr(one, "indptr") else (one,))
    )
    return sum(part.nbytes for part in parts) / 1e6


def run(posterior, y, likelihood, sites=None, tolerance: float = 1e-6, max_sweeps: int = 100) -> EPResult:
    """EP until no site's tau or nu changes by more than `tolerance`, relatively, in a sweep.

    The yardstick of a change is the site's own size, or a thousandth of its cavity's where the site is weaker still.
    """
    y = np.array(y, dtype=float)  # never read-only: compiled loops would be compiled once more for such an array
    sites = Sites.zero(len(y)) if sites is None else sites.copy()
    posterior.refresh(sites)
    rebuilt, change, refused, converged, sweep = True, np.inf, 0, False, 0
    while sweep < max_sweeps and not converged:
        sweep, before = sweep + 1, change
        change, skipped = posterior.sweep(sites, y, likelihood)
        if not (np.isfinite(sites.tau.sum()) and np.isfinite(sites.nu.sum())):
            raise NotPositiveDefinite("EP diverged: a site is not finite")
        refused += skipped
        converged = change <= tolerance and (rebuilt or tolerance >= DRIFT)
        rebuilt = posterior.rebuild or change <= tolerance
        if rebuilt or sweep == max_sweeps:
            posterior.refresh(sites)
        if posterior.rebuild and not converged and change**2 <= 0.5 * tolerance * before < np.inf:
            # at this pace the next sweep would be the last: the exact marginals, needed in the end, tell without it
            change, _ = match_all(posterior, sites, y, likelihood, 0.0)
            converged = change <= tolerance
    mu, var = posterior.marginals()
    F = log_evidence(y, likelihood, sites, mu, var, posterior.logdet_B())
    return EPResult(sites, mu, var, F, sweep, converged, change, refused, posterior)


def match_all(posterior, sites: Sites, y, likelihood, damping: float) -> tuple[float, int]:
    """Move all sites towards the marginals of the last refresh; see `update_at_once`. Without a step, only measure."""
    mu, var = posterior.marginals()
    every = np.arange(len(y))
    return update_at_once(mu, var, sites.tau, sites.nu, y, likelihood.code, likelihood.noise, every, damping)


def log_evidence(y, likelihood, sites: Sites, mu, var, logdet_B: float) -> float:
    """log Z_EP (Rasmussen & Williams eqs. 3.65, 3.73, 3.74) from the marginals that belong to the sites."""
    tau, nu = sites.tau, sites.nu
    share = 1 - tau * var  # cavity precision over marginal precision
    m, v = (mu - nu * var) / share, var / share  # the cavities
    if not (share > 0).all():
        raise NotPositiveDefinite("EP: a cavity has no positive variance; the covariance matrix is too ill-conditioned")
    F = log_normalisers(likelihood.code, likelihood.noise, y, m, v)
    F -= 0.5 * (logdet_B + np.log(share).sum())
    return float(F + 0.5 * (nu @ (mu - nu * var) + (m * share) @ (tau * m - 2 * nu)))


# -- the site update, used by every solver ---------------------------------------------------------------------------


@njit(cache=True)
def site_update(code, noise, y, mu, var, tau, nu):
    """(tau, nu, relative change) by moment matching, from the marginal N(mu, var); change < 0: no cavity, no update."""
    share = 1.0 - tau * var
    if not (share > 0.0 and var > 0.0):
        return tau, nu, -1.0
    m, v = (mu - nu * var) / share, var / share  # cavity
    _, alpha, beta = moments(code, noise, y, m, v)
    rest = 1.0 - v * beta
    new_tau, new_nu = max(beta / rest, TINY), (alpha + m * beta) / rest
    by_tau = abs(new_tau - tau) / max(new_tau, FLOOR / v)
    by_nu = abs(new_nu - nu) / max(abs(new_nu), FLOOR / math.sqrt(v))
    return new_tau, new_nu, max(by_tau, by_nu)


@njit(cache=True)
def update_at_once(mu, var, tau, nu, y, code, noise, which, damping):
    """Match the sites `which` to given marginals, none seeing another's change; (largest change, updates refused)."""
    largest, refused = 0.0, 0
    for i in which:
        new_tau, new_nu, change = site_update(code, noise, y[i], mu[i], var[i], tau[i], nu[i])
        if change < 0.0:
            refused += 1
            continue
        largest = max(largest, change)  # before damping, so that a small step is not taken for convergence
        tau[i] += damping * (new_tau - tau[i])
        nu[i] += damping * (new_nu - nu[i])
    return largest, refused


@njit(cache=True)
def update_block(Sigma, mu, tau, nu, y, code, noise, whole):
    """Sequential EP over the sites of a dense block, in place; (largest change, updates refused).

    Sigma and mu are the block's marginal posterior. With `whole` they stay up to date in every entry, as the book has
    it (Alg. 3.5); otherwise only where a later site of the block will look: below the diagonal, from the next site
    on.
    """
    b, largest, refused = len(tau), 0.0, 0
    for i in range(b):
        new_tau, new_nu, change = site_update(code, noise, y[i], mu[i], Sigma[i, i], tau[i], nu[i])
        if change < 0.0:
            refused += 1
            continue
        largest = max(largest, change)
        dtau, dnu = new_tau - tau[i], new_nu - nu[i]
        tau[i], nu[i] = new_tau, new_nu
        c = dtau / (1.0 + dtau * Sigma[i, i])  # [vanhatalo] eq. (4)
        e = dnu - c * (mu[i] + Sigma[i, i] * dnu)
        s = Sigma[:, i].copy()
        for k in range(0 if whole else i + 1, b):
            mu[k] += e * s[k]
            cs = c * s[k]
            for l in range(0 if whole else k, b):
                Sigma[l, k] -= cs * s[l]
    return largest, refused


def block_change(Sigma, mu, dtau, dnu):
    """(C, e) of a block whose sites changed: with G = its columns of all of Sigma, Sigma -= G C G' and mu += G e.

    C = (diag(1/dtau) + Sigma_JJ)^-1   (b, b), in the form that allows dtau = 0.
    """
    C = np.linalg.solve(np.eye(len(dtau)) + dtau[:, None] * Sigma, np.diag(dtau))
    return 0.5 * (C + C.T), dnu - C @ (mu + Sigma @ dnu)
