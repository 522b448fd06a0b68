"""KAPPA: matching pursuit on 59 fresh candidates per step ([keerthi] section 3, cache c = kappa)."""

from __future__ import annotations

from gpbench.gp.selection.criteria import post_backfitting

from .families.greedy import WorkingSetMethod


class Kappa(WorkingSetMethod):
    """Post-backfitting score, O(n) per candidate."""

    name = "kappa"
    title = "Matching pursuit, kappa candidates"
    use = "Matching pursuit over 59 candidates a step; take it for a greedy basis at little cost."
    paper = "keerthi"
    criterion = post_backfitting.criterion
