"""Stop rules of greedy selection, one file each: `stop: {patience: 15}` or `stop: {rule: NAME, ...}` of a config."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from gpbench import catalog
from gpbench.errors import ConfigError

Kept = Literal["termination", "minimum"]


class StopRule(BaseModel):
    """A rule that ends greedy selection before d_max; its parameters are fields, as those of a method.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import StopRule
    >>> class Below(StopRule):
    ...     name = "below"
    ...     limit: float
    ...     def stops(self, measures):
    ...         return bool(measures[-1] < self.limit)
    >>> Below(limit=1.0).stops(np.array([3.0, 0.5]))
    True
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: ClassVar[str]
    version: ClassVar[int] = 1

    evaluate: Kept = Field("termination", description="the model that is kept and counted")

    def stops(self, measures: np.ndarray) -> bool:
        """Whether to stop after these inclusions: the measure after each one, at least one; lower is better."""
        raise NotImplementedError


class NamedRule(BaseModel):
    """A stop rule by its name, with its parameters; `gpbench list stop-rules`."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    rule: str = Field(description="name of the rule; its parameters follow")

    @model_validator(mode="after")
    def _known(self):
        try:
            self.found()
        except ConfigError as e:
            raise ValueError(str(e)) from e
        return self

    def found(self) -> StopRule:
        parameters: dict[str, Any] = self.model_extra or {}
        return catalog.find("stop-rule", self.rule)(**parameters)
