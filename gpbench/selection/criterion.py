"""What a criterion is: a measure of the present basis and the gain of each candidate in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .candidates import Candidates
from .state import GreedyState


@dataclass(frozen=True)
class Criterion:
    """`score` is higher for a better candidate; where `exact`, it is the decrease of `measure` by taking it.

    `measure` is what the papers plot and stop by: lower is better. Criteria without one of their own (information gain,
    entropy, random) show the negative log evidence.
    """

    name: str
    score: Callable[[GreedyState, Candidates], np.ndarray]
    measure: Callable[[GreedyState], float]
    needs: frozenset[str] = field(default_factory=frozenset)  # see candidates.py; empty: scored without kernel rows
    exact: bool = True

    def needed(self, approximation: str) -> frozenset[str]:
        """FITC carries K - Q inside Lambda, frozen while candidates are scored: no v_j is asked for."""
        return self.needs - {"nu", "trace"} if approximation == "fitc" else self.needs
