"""Greedy conditional variance (Burt et al. 2020): rows by the largest pivot of the Cholesky factor."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.inference.sparse import DTC

from .families.sparse import SparseMethod


class ConditionalVariance(SparseMethod):
    """DTC on the rows that the basis before them determines least, without looking at targets."""

    name = "conditional-variance"
    title = "Greedy conditional variance"
    use = (
        "Takes the rows that the basis knows least about, without looking at targets; take it for a start of "
        "fitc or vfe that covers the inputs."
    )
    approximation = DTC

    inducing: Literal["conditional-variance"] = Field(
        "conditional-variance", description="rows by the largest residual variance"
    )
