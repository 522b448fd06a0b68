"""NLPP: the candidate with the largest gain in Smola and Bartlett's posterior (baseline of [sundararajan])."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gpbench.gp.selection.criteria import posterior

from .families.greedy import WorkingSetMethod


class Nlpp(WorkingSetMethod):
    """Greedy posterior of Smola and Bartlett; one product per step. Its measure never rises: it needs a given size."""

    name = "nlpp"
    title = "NLPP selection"
    use = "Greedy choice by the posterior density of the weights; take it to compare with the evidence."
    paper = "sundararajan"
    criterion = posterior.criterion

    size: Annotated[int, Field(ge=1)] | None = Field(None, description="fewer basis vectors than d_max, where given")

    def path(self, problem, rng, sizes):
        return super().path(problem, rng, [size if self.size is None else min(size, self.size) for size in sizes])
