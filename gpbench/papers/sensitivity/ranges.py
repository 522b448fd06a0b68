"""The range of our means over the protocols beside a printed number, and which protocols it holds at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan, sqrt

from .. import printed_numbers
from ..claims.evidence import Evidence
from ..printed_numbers import Printed
from ..verdicts import rule
from ..verdicts.cells import CellVerdict, sample_of
from .items import Item, items
from .protocols import protocols, rows_of

PLACES = ("inside", "outside", "not run")
STRENGTHS = ("robust", "fragile", "none")
BROKEN = ("worse", "different")  # a difference beyond margin and noise


@dataclass(frozen=True)
class Range:
    """Our means over the admissible protocols, in the printed unit, and where the print lies."""

    id: str
    paper: str
    item: str  # name of the open choice
    choice: str
    place: str  # inside, outside, not run
    low: float | None = None
    high: float | None = None
    holds: int = 0  # protocols at which nothing speaks against the print
    run: int = 0  # protocols with runs
    of: int = 0  # admissible protocols
    repetitions: int = 0  # fewest behind a protocol's mean

    @property
    def strength(self) -> str:
        """robust: at every protocol that was run; fragile: at some; none."""
        if not self.run:
            return ""
        return "robust" if self.holds == self.run else "fragile" if self.holds else "none"

    def to_json(self) -> dict:
        rounded = {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in asdict(self).items()}
        return rounded | {"strength": self.strength}

    def text(self) -> str:
        if not self.run:
            return f"not run ({self.choice})"
        return f"{self.place} {self.low:.4g} to {self.high:.4g} ({self.choice}; {self.run} of {self.of} protocols)"


def ranges(evidence: Evidence, cells: Sequence[CellVerdict]) -> tuple[Range, ...]:
    """One for each printed number that some open choice concerns; `cells` have ours at the frozen protocol."""
    frozen = {c.id: c.ours for c in cells}
    found = []
    for item in items():
        runs = protocols(item, evidence)
        for cell in (c for c in printed_numbers.cells(item.paper) if item.concerns(c)):
            found.append(_range(item, cell, runs, evidence, frozen.get(cell.id)))
    return tuple(found)


def _range(item: Item, cell: Printed, runs, evidence: Evidence, frozen: float | None) -> Range:
    samples = {}
    for name, rows in runs.items():
        if len(mine := rows_of(cell, rows)) and (sample := sample_of(cell, mine, evidence.curves)) is not None:
            samples[name] = sample
    if not samples:
        return Range(cell.id, item.paper, item.name, item.choice, "not run", of=len(item.protocols))
    means = [s.mean for s in samples.values()] + ([] if frozen is None else [frozen])
    low, high = min(means), max(means)
    error = printed_error(cell)
    place = "inside" if low - error <= cell.value <= high + error else "outside"
    holds = sum(rule.judge(cell, s).verdict not in BROKEN for s in samples.values())
    fewest = min(s.n for s in samples.values())
    return Range(
        cell.id, item.paper, item.name, item.choice, place, low, high, holds, len(samples), len(item.protocols), fewest
    )


def printed_error(cell: Printed) -> float:
    """Standard error of the printed mean, with its rounding; of a print without a spread the rounding alone."""
    spread = 0.0 if isnan(cell.std) or isnan(cell.runs) else cell.std**2 / cell.runs
    return sqrt(spread + (2 * cell.half_digit) ** 2 / 12)


def sentences(found: Sequence[Range]) -> list[str]:
    """For each paper: how many printed numbers hold at every protocol that was run, at some, at none."""
    lines = []
    for paper in dict.fromkeys(r.paper for r in found):
        mine = [r for r in found if r.paper == paper]
        counts = Counter(r.strength for r in mine)
        run = len(mine) - counts[""]
        text = f"[{paper}] of {len(mine)} printed numbers with an open choice {run} were run at other protocols"
        if run:
            text += (
                f": {counts['robust']} hold at every one (robust), {counts['fragile']} at some (fragile), "
                f"{counts['none']} at none"
            )
        lines.append(text)
    return lines


def missing(found: Sequence[Range]) -> list[str]:
    """What was not run yet, by open choice, with the configs that run it."""
    lines = []
    for item in items():
        mine = [r for r in found if r.item == item.name]
        absent = sum(not r.run for r in mine)
        part = sum(0 < r.run < r.of for r in mine)
        if absent or part:
            told = ", ".join(f"configs/{c}.yaml" for c in item.configs)
            how = " --whole-paths" if item.read == "paths" else ""
            lines.append(
                f"{item.title} ({item.choice}): {absent} of {len(mine)} numbers have no run at another protocol, "
                f"{part} lack some: gpbench run{how} {told}"
            )
    return lines
