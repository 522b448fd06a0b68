"""[vanhatalo] section 5.4 (claim V22): cost of a first sweep of `solver: rows`, by the sites before it.

From empty sites it is row addition, from the sites of a sweep or of the fixed point row modification.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.inference.ep import Sites
from gpbench.gp.inference.sites_rows import RowSites
from gpbench.methods.families.ep import LIKELIHOOD
from gpbench.recorder import Stopwatch

from ..timing import wall
from . import FinishedFit


def after(sight: FinishedFit) -> dict[str, float]:
    if sight.method.solver != "rows":
        return {}
    posterior = RowSites(sight.fitted.gp.kernel, sight.problem.X, sight.method.ordering)
    y = np.ascontiguousarray(sight.problem.y, dtype=float)
    empty, given = Sites.zero(sight.problem.n), sight.fitted.predict.posterior.sites.copy()
    starts = {
        "zero": empty,
        "nonzero": empty,
        "given": given,
    }  # the second begins where the first ends
    return {f"first_sweep_seconds_{key}": _sweep(posterior, sites, y) for key, sites in starts.items()}


def _sweep(posterior: RowSites, sites: Sites, y) -> float:
    """Seconds of one sweep, which moves the sites."""
    posterior.refresh(sites)
    with Stopwatch(wall) as watch:
        posterior.sweep(sites, y, LIKELIHOOD)
    return watch.seconds
