"""Printed value and ours side by side, with intervals: one panel for each data set and quantity of a printed item."""

from __future__ import annotations

import html
from dataclasses import dataclass

from gpbench.html.axis import WIDE, Axis, written

WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 400, 26, 132, 12, 10, 26
NAME = 16  # characters that find room on the left


@dataclass(frozen=True)
class Pair:
    """Half-widths are those of 95 % intervals; 0 where nothing is known of the spread."""

    name: str
    printed: float
    printed_half: float
    ours: float
    ours_half: float
    verdict: str
    trials: str
    tip: str


@dataclass(frozen=True)
class Panel:
    name: str
    title: str
    dataset: str
    metric: str
    caption: str
    pairs: list[Pair]


KEY = (
    '<ul class="legend pair"><li><svg viewBox="0 0 28 12" aria-hidden="true"><path class="bar" d="M2 6H26"/>'
    '<path class="printed" d="M14 1 19 6 14 11 9 6z"/></svg>printed</li><li>'
    '<svg viewBox="0 0 28 12" aria-hidden="true"><path class="bar" d="M2 6H26"/>'
    '<circle class="ours" cx="14" cy="6" r="4"/></svg>ours</li></ul>'
)


def panel_figure(panel: Panel) -> str:
    tags = f'data-d="{_text(panel.dataset)}" data-q="{_text(panel.metric)}" data-kind="cells"'
    return (
        f'<figure class="chart cells" id="{_text(panel.name)}" {tags}>{_drawing(panel)}{KEY}'
        f"<figcaption><bdi>{_text(panel.caption)}</bdi></figcaption></figure>\n"
    )


def _drawing(panel: Panel) -> str:
    height = TOP + ROW * len(panel.pairs) + BOTTOM
    values = [v for p in panel.pairs for v in (p.printed, p.ours)]
    log = min(values) > 0 and max(values) > WIDE * min(values)
    ends = [e for p in panel.pairs for e in _ends(p) if not log or e > min(values) / 3]
    x = Axis.over([*values, *ends], LEFT, WIDTH - RIGHT, log)
    parts = []
    for v in x.ticks(52):
        parts.append(f'<path class="grid" d="M{x.place(v):.1f} {TOP}V{height - BOTTOM}"/>')
        parts.append(f'<text x="{x.place(v):.1f}" y="{height - 9}" text-anchor="middle">{written(v)}</text>')
    frame = f'<g class="frame" aria-hidden="true">{"".join(parts)}</g>'
    rows = "".join(_row(p, x, TOP + ROW * (i + 0.5)) for i, p in enumerate(panel.pairs))
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="group" aria-label="{_text(panel.title)}, printed and ours">'
        f"{frame}{rows}</svg>"
    )


def _ends(p: Pair) -> tuple[float, ...]:
    return (p.printed - p.printed_half, p.printed + p.printed_half, p.ours - p.ours_half, p.ours + p.ours_half)


def _row(p: Pair, x: Axis, y: float) -> str:
    name = p.name if len(p.name) <= NAME else p.name[: NAME - 1] + "…"
    a, b = x.place(p.printed), x.place(p.ours)
    verdict = p.verdict.replace(" ", "-")
    bars = _whisker(p.printed, p.printed_half, x, y - 5) + _whisker(p.ours, p.ours_half, x, y + 5)
    diamond = f"M{a:.1f} {y - 10:.1f}l5 5-5 5-5-5z"
    return (
        f'<g class="pair"><text class="name" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_text(name)}</text>'
        f'<path class="bar" d="{bars}"/><path class="printed" d="{diamond}"/><circle class="ours {verdict}" '
        f'cx="{b:.1f}" cy="{y + 5:.1f}" r="4" data-t="{p.trials}" data-tip="{_text(p.tip)}"/></g>'
    )


def _whisker(value: float, half: float, x: Axis, y: float) -> str:
    if not half > 0:
        return ""
    low = x.place(value - half) if not x.log or value - half > x.low else x.start
    return f"M{max(low, x.start):.1f} {y:.1f}H{min(x.place(value + half), x.end):.1f}"


def _text(value: str) -> str:
    return html.escape(str(value), quote=True)
