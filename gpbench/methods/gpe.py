"""GPE: the candidate that lowers Geisser's predictive squared error most ([sundararajan] eq. 4)."""

from __future__ import annotations

from gpbench.gp.selection.criteria import gpe

from .families.greedy import WorkingSetMethod


class Gpe(WorkingSetMethod):
    """Greedy leave-one-out error plus variance; two matrix-matrix products per step."""

    name = "gpe"
    title = "GPE selection"
    use = (
        "Greedy choice by the leave-one-out error with its variance; take it where squared error counts and "
        "the size is to be found."
    )
    paper = "sundararajan"
    criterion = gpe.criterion
