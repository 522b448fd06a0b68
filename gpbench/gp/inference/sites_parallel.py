"""`solver: parallel`: all sites are matched to the same marginals at once, with damping.

One factorisation and one selected inversion a sweep. Undamped it oscillates on strong priors; damping 0.5 has
converged on every problem tried, but there is no guarantee, and a run that does not converge says so.
"""

from __future__ import annotations

from .ep import match_all
from .sites_sparse import SparseSites

DAMPING = 0.5


class Parallel(SparseSites):
    def __init__(self, kernel, X, ordering: str = "amd", damping: float = DAMPING):
        super().__init__(kernel, X, ordering)
        self.damping = damping

    def sweep(self, sites, y, likelihood):
        return match_all(self, sites, y, likelihood, self.damping)
