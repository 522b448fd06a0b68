"""LOO-CVE: the candidate that lowers the leave-one-out squared error most ([sundararajan] eq. 2)."""

from __future__ import annotations

from gpbench.gp.selection.criteria import loo_cve

from .families.greedy import WorkingSetMethod


class LooCve(WorkingSetMethod):
    """Greedy leave-one-out error; two matrix-matrix products per step."""

    name = "loo-cve"
    title = "LOO-CVE selection"
    use = (
        "Greedy choice by the leave-one-out squared error; take it where squared error counts and the size "
        "is to be found."
    )
    paper = "sundararajan"
    criterion = loo_cve.criterion
