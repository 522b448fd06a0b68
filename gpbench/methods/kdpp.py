"""k-DPP by exchanges (Burt et al. 2020): sets of rows that span a large volume."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.inference.sparse import DTC

from .families.sparse import SparseMethod


class KDpp(SparseMethod):
    """DTC on a set of rows drawn with probability near det K_SS."""

    name = "kdpp"
    title = "k-DPP"
    use = "A draw of rows that repel each other; take it for a diverse random start of fitc or vfe."
    approximation = DTC

    inducing: Literal["kdpp"] = Field("kdpp", description="a set of rows drawn by its determinant")
