"""Selection and learning in turns: [sundararajan] steps 1-7, [keerthi] section 4, after Seeger; [cao] 4.1.2.

Neither side knows the other: `select` finds a basis at given hyperparameters, `adapt` improves the hyperparameters
for a given basis, `ended` looks at what came of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gpbench.system import deadline

GPT, Selection = TypeVar("GPT"), TypeVar("Selection")


@dataclass(frozen=True)
class Round:
    """A selection: what its basis is, what it was selected at, and the two functions that might have settled."""

    basis: np.ndarray  # rows, in order of choice
    parameters: np.ndarray  # logs
    measure: float  # of the selection
    objective: float  # of the learning before it; inf before the first


Rule = Callable[[list[Round], float], bool]


def measure_settled(history: list[Round], tolerance: float) -> bool:
    """The last round moved the selection's measure by less than this share of itself."""
    before, after = (round_.measure for round_ in history[-2:])
    return abs(after - before) <= tolerance * abs(before)


def objective_settled(history: list[Round], tolerance: float, window: int = 10) -> bool:
    """[cao]'s rule for IVM, whose objective rises and falls as selection and learning pull in different directions.

    The basis stays and the parameters move by less than `tolerance`; or there were more than `window` rounds and the
    objective moved, on the average of the last `window`, by less than that share of itself.
    """
    before, after = history[-2:]
    if set(before.basis) == set(after.basis) and np.abs(after.parameters - before.parameters).max() <= tolerance:
        return True
    if len(history) <= window + 1:  # the first selection is no round yet
        return False
    values = np.array([round_.objective for round_ in history[-window - 1 :]])
    return bool(np.mean(np.abs(np.diff(values)) / np.abs(values[:-1])) <= tolerance)


def interleave(
    gp: GPT,
    select: Callable[[GPT, Selection | None], Selection],
    adapt: Callable[[GPT, Selection], GPT],
    ended: Callable[[GPT, Selection], bool],
    rounds: int = 10,
    worse: Callable[[Selection, Selection], bool] = lambda before, after: False,
) -> tuple[GPT, Selection, int]:
    """Hyperparameters, the basis selected at them, and the rounds of adaptation it took.

    Ends after `rounds` adaptations or when `ended` says so, which is asked after every selection; the last step is a
    selection, so basis and hyperparameters belong together. `select` also gets the basis before. A round whose
    selection is `worse` than the one before is taken back and is the last.
    """
    chosen = select(gp, None)
    ended(gp, chosen)
    for done in range(1, rounds + 1):
        if deadline.passed():
            deadline.cut(f"learning and selection took {done - 1} of {rounds} turns")
            return gp, chosen, done - 1
        before = gp, chosen
        gp = adapt(gp, chosen)
        chosen = select(gp, chosen)
        if worse(before[1], chosen):
            return *before, done - 1
        if ended(gp, chosen):
            return gp, chosen, done
    return gp, chosen, rounds
