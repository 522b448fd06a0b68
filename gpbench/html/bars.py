"""Counts of verdicts as one bar, each part named below it."""

from __future__ import annotations

from markupsafe import Markup

from .render import part

GOOD = ("replicated", "reproduced", "close", "better", "holds", "as printed", "by construction")
BAD = ("worse", "fails")
EVEN = ("different",)
OPEN = ("inconclusive", "undecided")


def tone(verdict: str) -> str:
    """Class of the style sheet; verdicts are always written out as well."""
    tones = {"good": GOOD, "bad": BAD, "even": EVEN, "open": OPEN}
    return next((name for name, verdicts in tones.items() if verdict in verdicts), "none")


def counted(counts: dict[str, int], what: str) -> Markup:
    counts = {verdict: n for verdict, n in counts.items() if n}
    total = sum(counts.values())
    if not total:
        return Markup("")
    x, bars = 0.0, []
    for verdict, n in counts.items():
        width = 100 * n / total
        shown = {"x": f"{x:.2f}", "width": f"{max(width - 0.4, 0.3):.2f}"}
        bars.append({"tone": tone(verdict), "verdict": verdict, "number": n, **shown})
        x += width
    return part("counted", total, what, ", ".join(f"{n} {v}" for v, n in counts.items()), bars)
