"""NLPP: the negative log posterior of Smola and Bartlett at its minimum, in the units of [keerthi] eq. (5)."""

from ..criterion import Criterion


def measure(state) -> float:
    w = state.w[: state.size]
    return -0.5 * state.noise * float(w @ w)


def score(state, candidates):
    """sigma^2 w_j^2/2: the decrease of pi(alpha) by full inclusion of the candidate; O(nm) each."""
    _, w = candidates.step(state)
    return 0.5 * state.noise * w**2


criterion = Criterion("nlpp", score, measure, frozenset({"z"}))
