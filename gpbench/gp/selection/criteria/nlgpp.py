"""NLGPP: Geisser's surrogate predictive probability, mean of r^2/var + log var left out, [sundararajan] eq. (3).

As printed: twice the mean negative log density, less log 2 pi.
"""

import numpy as np

from ..criterion import Criterion
from ..passes import Present, loo_density


def measure(state) -> float:
    left = 1.0 - state.eta
    r, var = (state.y - state.mean) / left, state.extra + state.lam / left
    return float((r**2 / var + np.log(var)).mean())


def score(state, candidates):
    """Three products of (n, m) and (m, c): for z, zeta and nu (FITC: two)."""
    d, w = candidates.step(state)
    separate = candidates.nV is not None  # K - Q moves with the candidate; FITC has it inside Lambda
    nV = candidates.nV if separate else candidates.K
    inv_e = 1.0 / np.sqrt(candidates.e2(state)) if separate else np.zeros(len(candidates))
    total = loo_density(candidates.K, candidates.zZ, nV, d, inv_e, w, Present.of(state))
    return measure(state) - (total / state.n + np.log(state.lam).mean())


criterion = Criterion("nlgpp", score, measure, frozenset({"z", "zeta", "nu"}))
