"""LOO-CVE: mean squared leave-one-out residual, [sundararajan] eq. (2)."""

from ..criterion import Criterion
from ..passes import Present, loo_moments


def measure(state) -> float:
    r = (state.y - state.mean) / (1.0 - state.eta)
    return float(r @ r) / state.n


def score(state, candidates):
    """Two products of (n, m) and (m, c): one for z, one for zeta."""
    d, w = candidates.step(state)
    squares, _ = loo_moments(candidates.K, candidates.zZ, d, w, Present.of(state))
    return measure(state) - squares / state.n


criterion = Criterion("loo-cve", score, measure, frozenset({"z", "zeta"}))
