"""What `gpbench check` shows on a terminal: counts by paper, the largest differences with reasons, what to do next."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter
from pathlib import Path

from gpbench.analysis.table import Table, TableCell, to_text
from gpbench.text import counted, printable

from .check import BAD, Check
from .headline import Headline
from .remarks import explanations
from .verdicts.cells import CellVerdict

DIFFERENCES = 5
DIFFER = ("worse", "different")
MOST = 25  # lines


def summary_lines(found: Check, folders: list[Path], width: int) -> list[str]:
    """At most 25 lines of at most `width` (80 or more) characters, about the papers that the folders stand for."""
    mine = [c for c in found.headline if c.paper in found.papers]
    differ = sorted((c for c in mine if c.verdict in DIFFER), key=_size, reverse=True)
    lines = to_text(_counts(found, mine), width).splitlines()
    told = Headline.of(c.to_json() for c in found.cells if c.paper in found.papers).others_sentence()
    lines += textwrap.wrap(told, width)
    if repeated := [(c.r1, c.r0) for c in mine if c.r1 and c.r0 and c.r1 < c.r0]:
        ours, theirs = sorted({a for a, _ in repeated}), sorted({b for _, b in repeated})
        lines.append(f"{_span(ours)} of {_span(theirs)} repetitions for {len(repeated)} of {len(mine)} numbers")
    if stale := sum(bool(c.stale) for c in mine):
        lines.append(f"{stale} numbers rest on trials of an older version of a method")
    if differ:
        lines.append(f"largest differences ({min(len(differ), DIFFERENCES)} of {len(differ)}):")
        most = 2 if len(found.papers) == 1 else 1
        lines += [line for c in differ[:DIFFERENCES] for line in _difference(c, width, most)]
    failing = [c.id for c in found.claims if c.paper in found.papers and c.verdict in BAD]
    lines += [f"claims that fail: {', '.join(failing)}"] if failing else []
    next_ = _next(mine, folders)  # commands are never cut
    return [*(_cut(printable(line), width) for line in lines[: MOST - len(next_)]), *map(printable, next_)]


def _counts(found: Check, mine: list[CellVerdict]) -> Table:
    rows = []
    for paper in found.papers:
        cells = Counter(c.verdict for c in mine if c.paper == paper)
        claims = Counter(c.verdict for c in found.claims if c.paper == paper and not c.stands_for)
        here = Headline.of(c.to_json() for c in found.cells if c.paper == paper)
        differ, holds = sum(cells[v] for v in DIFFER), claims["holds"] + claims["by construction"]
        left = sum(claims.values()) - holds - claims["fails"]
        numbers = (here.comparable, here.agree, here.better, cells["inconclusive"], differ, here.tuned[0])
        numbers += (holds, claims["fails"], left)
        rows.append((paper, [TableCell(f"{n}") for n in numbers]))
    columns = ["paper", "numbers", "agree", "better", "unclear", "differ", "tuned", "claims hold", "fail", "open"]
    return Table("check", "Printed numbers and claims beside ours", columns, rows)


def _difference(c: CellVerdict, width: int, most: int) -> list[str]:
    """The numbers, then the reason in so many lines."""
    where = ", ".join(filter(None, (c.item, c.dataset, c.method, c.quantity)))
    size = f" ({abs(c.d) / c.se:.1f} SE)" if c.se else ""
    why = next((e.text for e in explanations(c.paper) if e.fits(c.id, c.verdict)), c.note)
    numbers = f"  {c.verdict}: {where}: ours {c.ours:.4g}, printed {c.printed}{size}"
    reason = textwrap.wrap(why, width - 4, max_lines=most, placeholder=" ...")
    return [numbers, *(f"    {line}" for line in reason)]


def _next(mine: list[CellVerdict], folders: list[Path]) -> list[str]:
    named = " ".join(shlex.quote(str(f)) for f in folders[:3]) + (" ..." if len(folders) > 3 else "")
    lines = []
    if few := sum(c.needed is not None for c in mine):
        lines.append(f"trials that would decide {counted(few, 'number')}: gpbench check --needed {named}")
    return [*lines, f"every number and claim: gpbench check --details {named}"]


def _size(c: CellVerdict) -> float:
    """The difference in standard errors; without one, in margins."""
    return abs(c.d or 0.0) / (c.se or c.margin or 1.0)


def _span(numbers: list[int]) -> str:
    return f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 3] + "..."
