"""SB: Smola and Bartlett's sparse greedy regression, 59 random candidates per step (baseline of [keerthi])."""

from __future__ import annotations

from gpbench.gp.selection.criteria import posterior

from .families.greedy import WorkingSetMethod


class SmolaBartlett(WorkingSetMethod):
    """The same criterion as nlpp under the name and paper of the other comparison."""

    name = "sb"
    title = "Smola and Bartlett"
    use = "Smola and Bartlett's greedy choice from 59 random candidates; take it to compare with later criteria."
    paper = "keerthi"
    criterion = posterior.criterion
