"""Stop when the measure falls slowly."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from .base import StopRule


class Slowing(StopRule):
    """Stop when the measure fell by less than a share of its value over the last inclusions."""

    name: ClassVar[str] = "slowing"

    share: float = Field(gt=0, description="of the measure's present value")
    inclusions: int = Field(10, ge=1, description="over which the fall is taken")

    def stops(self, measures):
        if len(measures) <= self.inclusions:
            return False
        return bool(measures[-1 - self.inclusions] - measures[-1] < self.share * abs(measures[-1]))
