"""Titsias' variational bound: the evidence less tr(K - Q)/(2 sigma^2), [cao] E^D + E^C + E^V halved."""

from ..criterion import Criterion
from . import evidence


def measure(state) -> float:
    return evidence.measure(state) + 0.5 * float(state.residual.sum()) / state.noise


def score(state, candidates):
    """The gain in evidence and |v_j|^2/(2 sigma^2); one product. DTC state only: lam = noise."""
    return evidence.score(state, candidates) + 0.5 * candidates.explained(state) / state.noise


criterion = Criterion("free-energy", score, measure, frozenset({"z", "trace"}))
