"""Variational free energy (Titsias): the bound that [cao] optimise over inducing points."""

from __future__ import annotations

from gpbench.gp.inference.sparse import VFE

from .families.sparse import SizedByRows


class Vfe(SizedByRows):
    """Variational bound; `log_evidence` is the bound, so never above the full GP's evidence."""

    name = "vfe"
    title = "Variational free energy"
    use = (
        "Inducing inputs with a bound on the evidence; take it where overfitting hyperparameters is the "
        "worry, and noise is not tiny."
    )
    paper = "cao"
    approximation = VFE
