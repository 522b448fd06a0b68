"""Ridge leverage scores (Musco and Musco 2017; BLESS): rows drawn by their share in the fit."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.inference.sparse import DTC

from .families.sparse import SparseMethod


class Leverage(SparseMethod):
    """DTC on rows drawn with probability proportional to estimates of [K (K + noise I)^-1]_ii."""

    name = "leverage"
    title = "Ridge leverage scores"
    use = "Rows drawn by their ridge leverage; take it for a random start with guarantees."
    approximation = DTC

    inducing: Literal["leverage"] = Field("leverage", description="rows drawn by ridge leverage scores")
