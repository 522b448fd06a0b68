"""Matching pursuit of [keerthi]: eq. (8), the drop in pi(alpha) when only the candidate's own weight is optimised.

k~_i'alpha_I in eq. (7) is the present mean at x_i, so a score costs one O(n) pass over the candidate's kernel row.
"""

from ..criterion import Criterion
from .posterior import measure


def score(state, candidates):
    """(k'Lambda^-1 (y - f) - f_i)^2 / (K_ii + k'Lambda^-1 k), times sigma^2/2."""
    J = candidates.index
    gradient = candidates.K @ (state.precision * (state.y - state.mean)) - state.mean[J]
    curvature = state.kdiag[J] + candidates.norm2
    return 0.5 * state.noise * gradient**2 / curvature


criterion = Criterion("post-backfitting", score, measure, frozenset({"rows"}), exact=False)
