"""NLML: negative log evidence of the sparse model ([sundararajan] section 2, after Candela and Rasmussen)."""

import numpy as np

from ..criterion import Criterion


def measure(state) -> float:
    return -state.log_evidence()


def score(state, candidates):
    """w_j^2/2 - log(d_j/e_j): y'S^-1 y falls by w_j^2, log det S grows by 2 log(d_j/e_j); O(nm) each."""
    _, w = candidates.step(state)
    return 0.5 * w**2 - 0.5 * np.log(candidates.rho2(state))


criterion = Criterion("nlml", score, measure, frozenset({"z"}))
