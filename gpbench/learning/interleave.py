"""Selection and learning in turns: [sundararajan] steps 1-7, [keerthi] section 4, after Seeger.

Neither side knows the other: `select` finds a basis at given hyperparameters, `adapt` improves the hyperparameters
for a given basis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

GPT, Selection = TypeVar("GPT"), TypeVar("Selection")


def interleave(
    gp: GPT,
    select: Callable[[GPT, Selection | None], Selection],
    adapt: Callable[[GPT, Selection], GPT],
    measure: Callable[[Selection], float],
    rounds: int = 10,
    tolerance: float = 1e-3,
) -> tuple[GPT, Selection, int]:
    """Hyperparameters, the basis selected at them, and the rounds of adaptation it took.

    Ends after `rounds` adaptations or when the selection's measure moves by less than `tolerance` of itself; the last
    step is a selection, so basis and hyperparameters belong together. `select` also gets the basis before.
    """
    chosen = select(gp, None)
    for done in range(1, rounds + 1):
        gp = adapt(gp, chosen)
        before, chosen = measure(chosen), select(gp, chosen)
        if abs(measure(chosen) - before) <= tolerance * abs(before):
            return gp, chosen, done
    return gp, chosen, rounds
