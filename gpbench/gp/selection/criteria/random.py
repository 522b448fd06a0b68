"""No preference: the pool's own order decides ([keerthi]'s RAND)."""

import numpy as np

from ..criterion import Criterion
from .evidence import measure


def score(state, candidates):
    return np.zeros(len(candidates))


criterion = Criterion("random", score, measure, exact=False)
