"""`stop` of a config: rules by which a basis is large enough before it has d_max vectors, and what `auto` means.

A rule is a class with its parameters; it becomes one of the values that `stop` may have in `GreedyMethod` or in
`SparseMethod`. What a rule watches is computed where the basis grows: `Path.stalled` (gp/selection/greedy.py), `enough`
(gp/learning/sizes.py). When learning in turns ends is another matter: `Turns` (turns.py), gp/learning/interleave.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator


class Patience(BaseModel):
    """Stop after so many inclusions without a new minimum of the measure."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    patience: int = Field(15, ge=1, description="inclusions without a new minimum of the measure")
    evaluate: Literal["termination", "minimum"] = Field("termination", description="the model that is kept and counted")


class Slowing(BaseModel):
    """Stop when the measure fell by less than a share of its value over the last inclusions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    share: float = Field(gt=0, description="of the measure's present value")
    inclusions: int = Field(10, ge=1, description="over which the fall is taken")
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

READINGS = tuple(  # what a reader of [sundararajan] may take for its stop: `run --whole-paths` scores these sizes
    rule.model_copy(update={"evaluate": evaluate})
    for rule in (*(Patience(patience=p) for p in (5, 10, 15, 20, 30)), *(Slowing(share=s) for s in (1e-3, 1e-4)))
    for evaluate in ("termination", "minimum")
)


def size_of(rule: Patience | Slowing, measures: Sequence[float]) -> int:
    """Size that the rule keeps of a path; the path's last size if the rule never stops it."""
    m = np.asarray(measures, dtype=float)
    sizes = np.arange(1, len(m) + 1)
    if isinstance(rule, Patience):
        lowest = np.minimum.accumulate(m)
        at = np.maximum.accumulate(np.where(np.r_[True, m[1:] < lowest[:-1]], sizes, 0))  # size of the minimum so far
        ended = sizes - at >= rule.patience
    else:
        before = np.r_[np.full(rule.inclusions, np.inf), m[: -rule.inclusions]][: len(m)]
        ended = before - m < rule.share * np.abs(m)
    end = int(sizes[ended][0]) if ended.any() else len(m)
    return int(np.argmin(m[:end])) + 1 if rule.evaluate == "minimum" else end
