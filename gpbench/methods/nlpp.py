"""NLPP: the candidate with the largest gain in Smola and Bartlett's posterior (baseline of [sundararajan])."""

from __future__ import annotations

from gpbench.selection.criteria import posterior

from ._greedy import WorkingSetMethod


class Nlpp(WorkingSetMethod):
    """Greedy posterior of Smola and Bartlett; one matrix-matrix product per step. Never stalls: give it d_max."""

    name = "nlpp"
    title = "NLPP selection"
    paper = "sundararajan"

    @property
    def criterion(self):
        return posterior.criterion
