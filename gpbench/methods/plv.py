"""Projected latent variables (DTC): [keerthi] section 2, the sparse model of [sundararajan]."""

from __future__ import annotations

from gpbench.gp.inference.sparse import DTC

from .families.sparse import SparseMethod


class Plv(SparseMethod):
    """DTC on given, random or learned inducing inputs."""

    name = "plv"
    title = "Projected latent variables (DTC)"
    use = (
        "Inducing inputs with the prior's variance ignored at the rows (DTC); take it to compare, or where "
        "the mean alone counts."
    )
    paper = "keerthi"
    approximation = DTC
