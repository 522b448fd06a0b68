"""NLML: the candidate with the largest gain in evidence (Candela and Rasmussen; baseline of [sundararajan])."""

from __future__ import annotations

from gpbench.gp.selection.criteria import evidence

from .families.greedy import WorkingSetMethod


class Nlml(WorkingSetMethod):
    """Greedy evidence; one matrix-matrix product per step."""

    name = "nlml"
    title = "NLML selection"
    use = "Greedy choice by the evidence; take it for a basis that serves the learning of hyperparameters."
    paper = "sundararajan"
    criterion = evidence.criterion
