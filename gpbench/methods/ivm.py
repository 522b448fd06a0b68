"""IVM: the informative vector machine's entropy criterion over all remaining rows (baseline of [cao])."""

from __future__ import annotations

from gpbench.gp.learning.interleave import objective_settled
from gpbench.gp.selection.criteria import entropy

from .families.greedy import EpochMethod


class Ivm(EpochMethod):
    """Greedy entropy reduction; O(1) per row scored. The basis then serves the sparse model like any other.

    Learning in turns ends by [cao]'s rule for it (4.1.2): entropy and objective do not agree, so neither settles.
    """

    name = "ivm"
    title = "Informative vector machine"
    use = "Greedy entropy, the informative vector machine; take it to compare with the oldest of the quick criteria."
    paper = "cao"
    criterion = entropy.criterion
    rule = staticmethod(objective_settled)
