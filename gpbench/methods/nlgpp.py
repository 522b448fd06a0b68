"""NLGPP: the candidate that raises the leave-one-out predictive probability most ([sundararajan] eq. 3)."""

from __future__ import annotations

from gpbench.gp.selection.criteria import nlgpp

from .families.greedy import WorkingSetMethod


class Nlgpp(WorkingSetMethod):
    """Greedy leave-one-out density; three matrix-matrix products per step."""

    name = "nlgpp"
    title = "NLGPP selection"
    use = (
        "Greedy choice by the leave-one-out density; take it where the predictive density counts and the "
        "size is to be found."
    )
    paper = "sundararajan"
    criterion = nlgpp.criterion
