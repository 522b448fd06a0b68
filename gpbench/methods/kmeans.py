"""Centres of k-means as inducing inputs: the common default, the same for every kernel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.inference.sparse import DTC

from .families.sparse import SparseMethod


class KMeans(SparseMethod):
    """DTC on the centres of k-means; needs inputs that are vectors."""

    name = "kmeans"
    title = "k-means centres"
    use = "Centres of k-means as inducing inputs; take it for a start that follows the density of the rows."
    approximation = DTC

    inducing: Literal["kmeans"] = Field("kmeans", description="centres of k-means")
