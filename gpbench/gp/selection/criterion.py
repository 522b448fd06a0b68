"""What a criterion is: a measure of the present basis and the gain of each candidate in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .candidates import Candidates
from .state import State


@dataclass(frozen=True)
class Criterion:
    """`score` is higher for a better candidate; where `exact`, it is the decrease of `measure` by taking it.

    `measure` is what the papers plot and stop by: lower is better. Criteria without one of their own (information gain,
    entropy, random) show the negative log evidence.

    Examples
    --------
    >>> from gpbench.extend import Criterion
    >>> def score(state, candidates):
    ...     return (state.y - state.mean)[candidates.index] ** 2
    >>> def measure(state):
    ...     return -state.log_evidence()
    >>> Criterion("largest-residual", score, measure, exact=False).name
    'largest-residual'
    """

    name: str
    score: Callable[[State, Candidates], np.ndarray]
    measure: Callable[[State], float]
    needs: frozenset[str] = field(default_factory=frozenset)  # see candidates.py; empty: scored without kernel rows
    exact: bool = True
    also: tuple[str, ...] = ()  # further numbers of the state that belong to every step of a path

    def needed(self, approximation: str) -> frozenset[str]:
        """FITC carries K - Q inside Lambda, frozen while candidates are scored: no v_j is asked for."""
        return self.needs - {"nu", "trace"} if approximation == "fitc" else self.needs
