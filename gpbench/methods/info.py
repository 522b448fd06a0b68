"""INFO: Seeger's information gain over all remaining rows ([keerthi] section 3)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpbench.gp.selection.criteria import info_gain

from .families.greedy import GreedyMethod


class Info(GreedyMethod):
    """Greedy information gain; O(1) per row scored, so a step costs little more than the append."""

    name = "info"
    title = "Information gain"
    use = "Greedy information gain over all rows at next to no cost a step; take it for large bases chosen quickly."
    paper = "keerthi"

    direction: Literal["new-old", "old-new"] = Field(
        "new-old", description="of the divergence: KL(new||old), KL(old||new)"
    )

    @property
    def criterion(self):
        return info_gain.directions[self.direction]
