"""What a claim comes to, and how parts of it are compared, joined and counted.

Truth has three values. `None` is "undecided": a claim about eight data sets of which four were run is decided only if
the other four cannot change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


class Missing(Exception):
    """What a claim needs and no folder has."""


@dataclass(frozen=True)
class Finding:
    holds: bool | None
    numbers: str
    trials: tuple[int, int] = (0, 0)  # fewest and most behind a series that was looked at
    stands_for: str = ""  # kind of stand-in that some of the rows are of


Part = tuple[bool | None, str]


def each(names: Iterable, judge: Callable[..., Part]) -> dict[str, Part]:
    """judge(name) for every name; a name whose rows are absent is undecided."""
    parts = {}
    for name in names:
        try:
            part = judge(name)
        except Missing as missing:
            part = None, f"needs {missing}"
        parts[f"{name:g}" if isinstance(name, float) else str(name)] = part
    return parts


def between(parts: dict[str, Part], low: int, high: int | None = None) -> Finding:
    """Do at least `low` and at most `high` of the parts hold, whatever the undecided ones turn out to be?"""
    high = len(parts) if high is None else high
    yes = sum(ok is not None and bool(ok) for ok, _ in parts.values())  # numpy's True is not Python's
    open_ = sum(ok is None for ok, _ in parts.values())
    numbers = "; ".join(
        f"{name}: {text}{'' if ok else ' (undecided)' if ok is None else ' (no)'}" for name, (ok, text) in parts.items()
    )
    if yes + open_ < low or yes > high:
        return Finding(False, numbers)
    return Finding(True if yes >= low and yes + open_ <= high else None, numbers)


def every(parts: dict[str, Part]) -> Finding:
    return between(parts, len(parts))


def both(*findings: Finding) -> Finding:
    """All of several findings."""
    truth = [f.holds for f in findings]
    holds = False if False in truth else None if None in truth else True
    return Finding(holds, " | ".join(f.numbers for f in findings))


def single(part: Part) -> Finding:
    return Finding(*part)


def conj(*parts: Part) -> Part:
    """Several comparisons as one part."""
    return all(ok for ok, _ in parts), ", ".join(text for _, text in parts)


def less(a: float, b: float, what: str = "") -> Part:
    return bool(a < b), f"{what + ' ' if what else ''}{show(a)} < {show(b)}"


def at_most(a: float, b: float, what: str = "") -> Part:
    """Equal up to rounding counts: 2.64 - 2.59 is at most .05."""
    return bool(a <= b + 1e-9 * abs(b)), f"{what + ' ' if what else ''}{show(a)} <= {show(b)}"


def within(a: float, low: float, high: float, what: str = "") -> Part:
    return at_most(low, a)[0] and at_most(a, high)[
        0
    ], f"{what + ' ' if what else ''}{show(a)} in [{show(low)}, {show(high)}]"


def show(x: float) -> str:
    return f"{x:.4g}"
