"""`stop` of a config: rules by which a basis is large enough before it has d_max vectors, and what `auto` means.

A rule is a class with its parameters; it becomes one of the values that `stop` may have in `GreedyMethod` or in
`SparseMethod`. What a rule watches is computed where the basis grows: `Path.stalled` (gp/selection/greedy.py), `enough`
(gp/learning/sizes.py). When learning in turns ends is another matter: `Turns` (turns.py), gp/learning/interleave.py.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Patience(BaseModel):
    """Stop after so many inclusions without a new minimum of the measure."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    patience: int = Field(15, ge=1, description="inclusions without a new minimum of the measure")
    evaluate: Literal["termination", "minimum"] = Field("termination", description="the model that is kept and counted")


PATIENT = Patience(evaluate="minimum")  # `stop: auto` of greedy selection


class Enough(BaseModel):
    """One rule for the number of inducing inputs (gp/learning/sizes.py), up to d_max."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    trace: float | None = Field(None, gt=0, lt=1, description="tr(K - Q) as a share of tr K")
    gap: float | None = Field(None, gt=0, description="nats per row between the bounds of the log evidence")
    held_out: float | None = Field(None, gt=0, lt=1, description="share of the rows that tells the NLPD of a size")

    @model_validator(mode="after")
    def _one(self):
        if len(self.rule()) != 1:
            raise ValueError("stop: give one of trace, gap, held_out")
        return self

    def rule(self) -> dict[str, float]:
        return {k: v for k, v in self if v is not None}


FEWEST = 3  # rows from which on some can be held out
HELD_OUT = 0.1  # of the rows, by `stop: auto` of inducing inputs; sizes are compared row by row
