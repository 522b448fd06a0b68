"""What `stop: auto` means, the readings of a paper's stop rule, and the size rules of methods with inducing inputs.

A stop rule of greedy selection is a file of methods/stop_rules/. What a size rule needs is computed in
gp/learning/sizes.py. When learning in turns ends is another matter: `Turns` (turns.py), gp/learning/interleave.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from gpbench.methods.stop_rules.base import NamedRule, StopRule
from gpbench.methods.stop_rules.patience import Patience
from gpbench.methods.stop_rules.slowing import Slowing

PATIENT = Patience(evaluate="minimum")  # `stop: auto` of greedy selection


def _form(value) -> str:
    named = isinstance(value, NamedRule) or (isinstance(value, dict) and "rule" in value)
    return "<rule>" if named else "<word>" if isinstance(value, str) else "<patience>"


Stop = Annotated[  # the values of `stop` of greedy selection
    Annotated[Literal["d_max", "auto"], Tag("<word>")]
    | Annotated[Patience, Tag("<patience>")]
    | Annotated[NamedRule, Tag("<rule>")],
    Discriminator(_form),
]


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


def size_of(rule: StopRule, measures: Sequence[float]) -> int:
    """Size that the rule keeps of a path; the path's last size if the rule never stops it."""
    m = np.asarray(measures, dtype=float)
    end = next((size for size in range(1, len(m) + 1) if rule.stops(m[:size])), len(m))
    return int(np.argmin(m[:end])) + 1 if rule.evaluate == "minimum" else end
