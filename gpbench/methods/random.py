"""RAND: DTC on a random basis set, the yardstick of every selection method ([keerthi] Figure 1)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.inference.sparse import DTC

from .families.sparse import SparseMethod


class Random(SparseMethod):
    """DTC on the first d_max rows of the shared random order."""

    name = "random"
    title = "Random basis"
    use = "A random basis; the yardstick that every way of choosing must beat."
    paper = "keerthi"
    nested = True
    approximation = DTC

    inducing: Literal["random"] = Field("random", description="rows of the shared random order")
    nugget: float = Field(0.01, ge=0, description="added to K_I for the latent variance only ([keerthi])")
