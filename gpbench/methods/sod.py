"""Subset of data: an exact GP on a random subset of d_max training rows."""

from __future__ import annotations

from pydantic import Field

from .base import AT_ONCE, Method
from .families.exact import operations
from .full_gp import exact_fit


class SubsetOfData(Method):
    """Exact GP on the first d_max rows of the shared random order; O(d_max^3)."""

    name = "sod"
    title = "Subset of data"
    use = "An exact GP on some of the rows; take it where rows are plenty and noise is low, or for a first look."
    heeds = AT_ONCE

    d_max: int = Field(500, ge=1, description="number of training rows kept")

    @classmethod
    def operations(cls, n, m, evaluations):
        return operations(m, evaluations)

    def fit(self, problem, rng):
        return exact_fit(problem, problem.order[: self.d_max], rng)
