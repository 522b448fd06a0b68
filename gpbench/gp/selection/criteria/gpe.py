"""GPE: Geisser's predictive mean squared error, leave-one-out residual squared plus variance, [sundararajan] eq. (4).

The variance of the noisy target left out is extra + lam/(1 - eta), extra = K - Q for DTC. The paper's appendix prints
sigma^-2 where dimensions and refitting give sigma^2.
"""

from ..criterion import Criterion
from ..passes import Present, loo_moments


def measure(state) -> float:
    left = 1.0 - state.eta
    r = (state.y - state.mean) / left
    return float(r @ r + (state.extra + state.lam / left).sum()) / state.n


def score(state, candidates):
    """Two products; the sum of K - Q needs no third, only its trace is asked for."""
    d, w = candidates.step(state)
    squares, variances = loo_moments(candidates.K, candidates.zZ, d, w, Present.of(state))
    extra = state.extra.sum() - (candidates.explained(state) if "trace" in candidates.needs else 0.0)
    return measure(state) - (squares + variances + extra) / state.n


criterion = Criterion("gpe", score, measure, frozenset({"z", "zeta", "trace"}))
