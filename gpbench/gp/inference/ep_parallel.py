"""Parallel, damped, fractional EP for any likelihood of gp/likelihoods: all sites are matched to the same marginals.

Site i stands for p(y_i | f_i) and is exp(nu_i f - tau_i f^2 / 2). With the power a of the likelihood the cavity leaves
out the site to the power a, the tilted density takes p^a in its place, and with the cavities N(m, v) and share = v_post
/ v of each,

    log Z = sum(log Z_tilted) / a - (log det B + sum(log share) / a) / 2 + the sites' own terms (`log_evidence`).

a = 1 is EP; a < 1 keeps cavities proper where the likelihood is not log-concave (Minka 2004; Jylanki et al. 2011). A
run that does not converge raises NotConverged: there is no number to report.
"""

from __future__ import annotations

import numpy as np

from gpbench.errors import NotConverged, NotPositiveDefinite
from gpbench.gp.likelihoods.base import Fixed

from .ep import FLOOR, EPResult, SitePosterior, Sites

STEP, SHORTER, SHORTEST = 0.9, 0.6, 0.02  # damping: what share of the way, by what it shrinks, at least
PATIENCE = 8  # sweeps without a smaller change before the step becomes shorter
HALVINGS = 12  # of a step after which the covariance was not positive definite


def run(
    posterior: SitePosterior, y, at: Fixed, sites: Sites | None = None, tolerance: float = 1e-6, max_sweeps: int = 100
) -> EPResult:
    """EP until no site changes by more than `tolerance`, relatively, in a sweep without damping."""
    sites = Sites.zero(len(y)) if sites is None else sites.copy()
    posterior.refresh(sites)
    step, best, waited, restarted, change = STEP, np.inf, 0, 0, np.inf
    for sweep in range(1, max_sweeps + 1):
        m, v, lost = _cavities(posterior, sites, at.power)
        if lost.any():
            sites, restarted = _restarted(posterior, sites, lost), restarted + int(lost.sum())
            continue
        new, change = _matched(sites, at.likelihood.tilted(y, m, v, at.values), m, v, at.power)
        if change <= tolerance:
            F = log_evidence(posterior, y, at, sites, m, v)
            mu, var = posterior.marginals()
            return EPResult(sites, mu, var, F, sweep, True, change, restarted, posterior)
        best, waited = (change, 0) if change < best else (best, waited + 1)
        if waited == PATIENCE:
            step, best, waited = max(SHORTER * step, SHORTEST), change, 0
        sites = _moved(posterior, sites, new, step)
    raise NotConverged(f"EP did not converge: a site still changes by {change:.1e} of itself after {sweep} sweeps")


def _cavities(posterior, sites: Sites, power: float):
    """(means, variances, sites without a proper cavity)."""
    mu, var = posterior.marginals()
    share = 1 - power * sites.tau * var
    lost = ~((share > 0) & (var > 0))
    share = np.where(lost, 1.0, share)
    return (mu - power * sites.nu * var) / share, var / share, lost


def _matched(sites: Sites, tilted, m, v, power: float) -> tuple[Sites, float]:
    """The sites whose posterior has the tilted moments, and the largest relative change."""
    if not (np.isfinite(tilted.mean).all() and (tilted.var > 0).all() and np.isfinite(tilted.log_Z).all()):
        raise NotConverged("EP did not converge: a tilted density has no moments")
    tau = (1 / tilted.var - 1 / v) / power
    nu = (tilted.mean / tilted.var - m / v) / power
    by_tau = np.abs(tau - sites.tau) / np.maximum(np.abs(tau), FLOOR / v)
    by_nu = np.abs(nu - sites.nu) / np.maximum(np.abs(nu), FLOOR / np.sqrt(v))
    return Sites(tau, nu), float(max(by_tau.max(), by_nu.max()))


def _moved(posterior, old: Sites, new: Sites, step: float) -> Sites:
    """A part of the way to the new sites on which the posterior exists; the posterior is refreshed there."""
    for _ in range(HALVINGS):
        sites = Sites(old.tau + step * (new.tau - old.tau), old.nu + step * (new.nu - old.nu))
        try:
            posterior.refresh(sites)
            return sites
        except NotPositiveDefinite:
            step *= 0.5
    raise NotConverged("EP did not converge: no step towards the matched sites leaves a proper posterior")


def _restarted(posterior, sites: Sites, lost) -> Sites:
    """Sites without a proper cavity begin anew from nothing."""
    sites = Sites(np.where(lost, 0.0, sites.tau), np.where(lost, 0.0, sites.nu))
    try:
        posterior.refresh(sites)
    except NotPositiveDefinite as e:
        raise NotConverged(f"EP did not converge: {int(lost.sum())} sites have no proper cavity") from e
    return sites


def log_evidence(posterior, y, at: Fixed, sites: Sites, m, v) -> float:
    """log Z_EP from cavities N(m, v) and the posterior of the sites; natural log, all constants."""
    mu, var = posterior.marginals()
    tau, nu, a = sites.tau, sites.nu, at.power
    share = 1 - a * tau * var
    F = at.likelihood.tilted(y, m, v, at.values).log_Z.sum() / a
    F -= 0.5 * (posterior.logdet_B() + np.log(share).sum() / a)
    return float(F + 0.5 * (nu @ mu) + 0.5 * np.sum((mu**2 * tau - 2 * mu * nu + a * nu**2 * var) / share))


def slopes(found: EPResult, y, at: Fixed) -> np.ndarray:
    """d log Z / d parameters of the likelihood, on the optimiser's scale, where EP has converged."""
    m, v, _ = _cavities(found.posterior, found.sites, at.power)
    return at.likelihood.slopes(y, m, v, at.values)
