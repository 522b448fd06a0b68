"""Randomly pivoted Cholesky (Chen et al. 2025), accelerated by blocks with rejection."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.inference.sparse import DTC

from .families.sparse import SparseMethod


class RPCholesky(SparseMethod):
    """DTC on rows drawn with probability proportional to their residual variance."""

    name = "rpcholesky"
    title = "Randomly pivoted Cholesky"
    use = "Rows drawn by what the basis leaves unexplained; take it for a good start at the cost of a pivoted Cholesky."
    approximation = DTC

    inducing: Literal["rpcholesky"] = Field("rpcholesky", description="rows drawn by their residual variance")
