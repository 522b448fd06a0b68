"""`solver: parallel`: all sites are matched to the same marginals at once, with damping.

One factorisation and one selected inversion a sweep. Undamped it oscillates on strong priors; damping 0.5 has
converged on every problem tried, but there is no guarantee, and a run that does not converge says so.
"""

from __future__ import annotations

from numba import njit

from .ep import site_update
from .sites_sparse import SparsePosterior

DAMPING = 0.5


class Parallel(SparsePosterior):
    def __init__(self, kernel, X, ordering: str = "amd", damping: float = DAMPING):
        super().__init__(kernel, X, ordering)
        self.damping = damping

    def sweep(self, sites, y, likelihood):
        mu, var = self.marginals()
        return _update_all(mu, var, sites.tau, sites.nu, y, likelihood.code, likelihood.noise, self.damping)


@njit(cache=True)
def _update_all(mu, var, tau, nu, y, code, noise, damping):
    largest, refused = 0.0, 0
    for i in range(len(y)):
        new_tau, new_nu, change = site_update(code, noise, y[i], mu[i], var[i], tau[i], nu[i])
        if change < 0.0:
            refused += 1
            continue
        largest = max(largest, change)  # before damping, so that a small step is not taken for convergence
        tau[i] += damping * (new_tau - tau[i])
        nu[i] += damping * (new_nu - nu[i])
    return largest, refused
