"""DMAX: matching pursuit on a cache of d_max kernel rows, 59 of them fresh at each step ([keerthi] section 3)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from .kappa import Kappa


class Dmax(Kappa):
    """Post-backfitting score, O(n) per cached row; after adaptation the cache starts with the last basis."""

    name = "dmax"
    title = "Matching pursuit, cache of d_max rows"
    use = (
        "Matching pursuit that keeps d_max candidates at hand; take it for the best greedy basis of the "
        "pursuit at moderate sizes."
    )
    nested = False  # the cache, and so the path, depends on d_max
    first_fill = True

    cache: Annotated[int, Field(ge=0)] | None = Field(None, description="kernel rows looked at per step; None: d_max")

    @field_validator("cache")
    @classmethod
    def _holds_the_fresh_rows(cls, cache, info):
        fresh = info.data.get("working_set")
        if cache is not None and isinstance(fresh, int) and cache < fresh:
            raise ValueError(f"the rows that {cls.name} looks at include the {fresh} fresh ones of working_set")
        return cache

    def retained(self):
        rows = self.d_max if self.cache is None else self.cache
        return max(0, rows - (0 if self.working_set == "all" else self.working_set))
