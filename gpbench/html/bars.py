"""Counts of verdicts as one bar, each part named below it."""

from __future__ import annotations

import html

GOOD = ("replicated", "reproduced", "close", "better", "holds", "as printed", "by construction")
BAD = ("worse", "fails")
EVEN = ("different", "inconclusive", "undecided")


def tone(verdict: str) -> str:
    """Class of the style sheet; verdicts are always written out as well."""
    return "good" if verdict in GOOD else "bad" if verdict in BAD else "even" if verdict in EVEN else "none"


def counted(counts: dict[str, int], what: str) -> str:
    total = sum(counts.values())
    if not total:
        return ""
    x, parts = 0.0, []
    for verdict, n in counts.items():
        width = 100 * n / total
        parts.append(f'<rect class="{tone(verdict)}" x="{x:.2f}" width="{max(width - 0.4, 0.3):.2f}" height="8"/>')
        x += width
    named = "".join(f'<li class="{tone(v)}"><b>{n}</b> {html.escape(v)}</li>' for v, n in counts.items())
    told = ", ".join(f"{n} {v}" for v, n in counts.items())
    return (
        f'<div class="counted"><p><b>{total}</b> {html.escape(what)}</p><svg viewBox="0 0 100 8" role="img" '
        f'preserveAspectRatio="none" aria-label="{html.escape(told, quote=True)}">{"".join(parts)}</svg>'
        f"<ul>{named}</ul></div>"
    )
