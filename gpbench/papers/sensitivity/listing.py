"""`gpbench check --sensitivity`: what depends on the papers' open choices, and what was not run yet."""

from __future__ import annotations

from gpbench.analysis.table import Table, TableCell, to_text

from ..check import Check
from .items import items
from .ranges import missing, sentences


def lines(found: Check, width: int) -> list[str]:
    """Tables of the ranges, a sentence for each paper, what is missing."""
    verdicts = {c.id: c for c in found.cells}
    text = []
    for item in items():
        mine = [r for r in found.ranges if r.item == item.name and r.run]
        if not mine:
            continue
        rows = []
        for r in mine:
            v = verdicts[r.id]
            ours = "" if v.ours is None else f"{v.ours:.4g}"
            numbers = (ours, f"{r.low:.4g} to {r.high:.4g}", v.printed, r.place, f"{r.holds} of {r.run}", v.verdict)
            where = " ".join(filter(None, (v.item, v.dataset, v.method, _half(v.variant), v.quantity)))
            rows.append((where, [TableCell(x) for x in numbers]))
        columns = ["printed number", "frozen", "range", "printed", "print", "holds at", "verdict"]
        title = f"[{item.paper}] {item.title}: {item.choice}"
        text += [*to_text(Table("open", title, columns, rows), width).splitlines(), ""]
    return [*text, *(f"{line}." for line in (*sentences(found.ranges), *missing(found.ranges)))]


def _half(variant: str) -> str:
    return "cache" if "with cache" in variant else "no cache" if "no cache" in variant else ""
