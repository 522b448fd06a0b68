"""FITC: with `optimise_inputs: true` the sparse pseudo-input GP (SPGP) of [snelson]."""

from __future__ import annotations

from gpbench.gp.inference.sparse import FITC

from .families.sparse import SizedByRows


class Fitc(SizedByRows):
    """Fully independent training conditional; pseudo-inputs learned together with the hyperparameters on request."""

    name = "fitc"
    title = "FITC / SPGP"
    use = (
        "Inducing inputs with the exact variance at every row; the first choice for regression from some "
        "thousand rows on."
    )
    paper = "snelson"
    approximation = FITC
