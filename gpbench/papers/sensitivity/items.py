"""The open choices of published/sensitivity.yaml, fixed before the runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources

import yaml

from gpbench.methods.families.stopping import READINGS
from gpbench.methods.stop_rules.base import StopRule

from ..printed_numbers import Printed
from ..remarks import label_of
from ..verdicts.rule import TIMES


@dataclass(frozen=True)
class Item:
    """One open choice. `read`: where a protocol's numbers come from (paths, labels, sizes, claim)."""

    name: str
    paper: str
    title: str
    choice: str
    read: str
    cells: tuple[str, ...]  # globs over ids
    configs: tuple[str, ...]
    sets: tuple[str, ...] = ()
    folder: str = ""
    labels: dict[str, dict[str, str]] = field(default_factory=dict)  # first word of a variant -> label -> optimiser
    claim: str = ""

    @property
    def protocols(self) -> tuple[str, ...]:
        return tuple(map(reading_name, READINGS)) if self.read == "paths" else self.sets

    def concerns(self, cell: Printed) -> bool:
        """Result cells, without times and without numbers that the config itself fixes."""
        if cell.paper != self.paper or cell.descriptive or cell.metric in TIMES:
            return False
        return any(fnmatchcase(cell.id, glob) for glob in self.cells) and label_of(self.paper, cell.id) != FIXED


FIXED = "fixed by the config"


def reading_name(rule: StopRule) -> str:
    """'patience 10, termination' or 'slowing .001, minimum'."""
    settings = rule.model_dump()
    kind = f"patience {settings['patience']}" if "patience" in settings else f"slowing {settings['share']:g}"
    return f"{kind}, {settings['evaluate']}"


@cache
def items() -> tuple[Item, ...]:
    with resources.files("gpbench.published").joinpath("sensitivity.yaml").open(encoding="utf-8") as f:
        entries = yaml.safe_load(f)
    lists = ("cells", "configs", "sets")
    return tuple(Item(**entry | {k: tuple(entry[k]) for k in lists if k in entry}) for entry in entries)
