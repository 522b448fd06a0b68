"""Titsias: greedy growth of the variational bound over a few random candidates per step (baseline of [cao])."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.selection.criteria import free_energy
from gpbench.gp.selection.pools import OneByOne, WorkingSet

from .families.greedy import EpochMethod


class Titsias(EpochMethod):
    """Free-energy selection, started again after each adaptation; [cao] has 16 or 512 candidates."""

    name = "titsias"
    title = "Titsias' greedy variational selection"
    use = "Greedy growth of the variational bound, learned in turns; take it for a basis whose bound is to be trusted."
    paper = "cao"

    candidates: int = Field(16, ge=1, description="random candidates per step")
    cost_model: Literal["batched", "one-by-one"] = Field(
        "batched", description="score candidates together, or one after another as the paper's times have it"
    )
    approximation: Literal["dtc"] = Field("dtc", description="of the model that is scored and that predicts")
    objective: Literal["free-energy", "evidence"] = Field("free-energy", description="of the hyperparameters")

    @property
    def criterion(self):
        return free_energy.criterion

    def pool(self, rows, rng, previous):
        kind = WorkingSet if self.cost_model == "batched" else OneByOne
        return kind(rows, self.criterion.needed(self.approximation), rng, self.candidates)
