"""The headline: how many printed results come out, and where the others lie. The same counts stand everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .remarks import TUNED

AGREE = ("replicated", "close")
COUNTED = (*AGREE, "better", "inconclusive", "worse", "different")


@dataclass(frozen=True)
class Headline:
    """Comparable result cells; those that a label sets apart are left out, and the tuned ones counted beside."""

    comparable: int
    agree: int  # replicated or close
    better: int
    inside: int  # of the others: inside the range of what the paper leaves open
    tested: int  # outside, with a tested cause
    untested: int  # outside, without one
    unknown: int  # no other protocol was run
    tuned: tuple[int, int, int]  # comparable, agree, better

    @classmethod
    def of(cls, cells: Iterable[Mapping]) -> Headline:
        """From the cells of a check.json."""
        comparable = [c for c in cells if not c["description"] and c["verdict"] in COUNTED]
        mine = [c for c in comparable if not c["label"]]
        tuned = [c for c in comparable if c["label"] == TUNED]
        rest = Counter(where(c) for c in mine if c["verdict"] not in (*AGREE, "better"))
        return cls(
            *_agree_better(mine),
            rest["inside"],
            rest["tested"],
            rest["untested"],
            rest["unknown"],
            _agree_better(tuned),
        )

    @property
    def others(self) -> int:
        return self.comparable - self.agree - self.better

    def sentence(self) -> str:
        """Without a full stop; empty where nothing can be compared."""
        parts = []
        if self.comparable:
            share = f" ({self.agree / self.comparable:.0%})"
            parts.append(
                f"{self.agree} of {self.comparable} comparable printed results are replicated or close{share}, "
                f"{self.better} better"
            )
        return "; ".join(filter(None, [*parts, self.others_sentence()]))

    def others_sentence(self) -> str:
        """Where the print lies for the results that are neither replicated nor close nor better."""
        if not self.others:
            return ""
        return (
            f"of the other {self.others}, {self.inside} are inside the range of what the paper leaves open, "
            f"{self.tested} outside with a tested cause, {self.untested} outside without one, and for "
            f"{self.unknown} no other protocol was run"
        )

    def tuned_sentence(self) -> str:
        comparable, agree, better = self.tuned
        if not comparable:
            return ""
        return (
            f"apart, at protocols that were chosen by looking at a printed column (tuned): {agree} of {comparable} "
            f"replicated or close, {better} better"
        )


def where(cell: Mapping) -> str:
    """inside, tested, untested or unknown, of a cell that does not agree."""
    if cell.get("place") == "inside":
        return "inside"
    if cell.get("cause") == "tested":
        return "tested"
    return "unknown" if cell.get("place") == "not run" else "untested"


def _agree_better(cells: list[Mapping]) -> tuple[int, int, int]:
    return len(cells), sum(c["verdict"] in AGREE for c in cells), sum(c["verdict"] == "better" for c in cells)


def claims_sentence(claims: Iterable[Mapping]) -> str:
    """How many claims hold, and what is known of those that fail; claims on stand-in data are left out."""
    mine = [c for c in claims if not c["stands_for"]]
    holds = sum(c["verdict"] in ("holds", "by construction") for c in mine)
    failing = [c for c in mine if c["verdict"] == "fails"]
    tested = sum(c.get("cause") == "tested" for c in failing)
    open_ = len(mine) - holds - len(failing)
    return (
        f"{holds} of {len(mine)} claims hold, {len(failing)} fail ({tested} with a tested cause), "
        f"{open_} are undecided or not run"
    )
