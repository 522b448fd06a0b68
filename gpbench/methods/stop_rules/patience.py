"""Stop when the measure has had no new minimum for some inclusions ([sundararajan] step 5)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from .base import StopRule


class Patience(StopRule):
    """Stop after so many inclusions without a new minimum of the measure."""

    name: ClassVar[str] = "patience"

    patience: int = Field(15, ge=1, description="inclusions without a new minimum of the measure")

    def stops(self, measures):
        return len(measures) - (int(np.argmin(measures)) + 1) >= self.patience
