"""A chart without trials: dots, lines, a band, bars, with the axes and the style of the other charts.

This file computes places and paths; `plain_chart` of templates/parts.html draws them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from .axis import Axis, written
from .render import part
from .svg_chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, upright_ticks

ROOM = 0.7  # of a bar, of the place of its category
LONGEST = 10  # characters of a category below an axis


@dataclass(frozen=True)
class Plain:
    """Layers over the same axes. x of bars and categories is their place 0, 1, 2, ..."""

    name: str
    x_title: str
    y_title: str
    caption: str
    dots: Sequence[tuple[float, float]] = ()
    line: Sequence[tuple[float, float]] = ()
    band: Sequence[tuple[float, float, float]] = ()  # (x, low, high)
    points: Sequence[tuple[float, float, str]] = ()  # with a text that is told
    bars: Sequence[tuple[float, float, float, str]] = ()  # (left, right, height, text)
    reference: Sequence[tuple[float, float]] = ()  # a dashed line: what would be right
    categories: Sequence[str] = ()
    y_ends: tuple[float, ...] = ()  # values that the vertical axis holds besides: charts that are compared
    legend: dict[str, str] = field(default_factory=dict)  # class of a swatch -> what it is


def figure(chart: Plain) -> Markup:
    x, y = _axes(chart)
    drawing = {
        "label": f"{chart.y_title} against {chart.x_title}", "width": WIDTH, "height": HEIGHT,
        "middle": (LEFT + WIDTH - RIGHT) / 2, "axis": f"M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}",
        "x_ticks": _names(chart, x) or upright_ticks(x, 44, TOP, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 15),
        "y_ticks": [
            {"path": f"M{LEFT} {at:.1f}H{WIDTH - RIGHT}", "x": LEFT - 6, "y": f"{at + 4:.1f}", "text": written(v)}
            for v in y.ticks(34) for at in [y.place(v)]
        ],
        "dots": "".join(f"M{x.place(a):.1f} {y.place(b):.1f}h0" for a, b in chart.dots),
        "line": _path([(a, b) for a, b in chart.line], x, y),
        "reference": _path(chart.reference, x, y),
        "band": _band(chart, x, y),
        "points": [{"x": f"{x.place(a):.1f}", "y": f"{y.place(b):.1f}", "tip": tip} for a, b, tip in chart.points],
        "bars": [_bar(bar, x, y) for bar in chart.bars],
    }  # fmt: skip
    return part("plain_chart", chart, drawing)


def _axes(chart: Plain) -> tuple[Axis, Axis]:
    xs = [*(a for a, *_ in (*chart.dots, *chart.line, *chart.band, *chart.points, *chart.reference))]
    ys = list(chart.y_ends) + [b for _, b in (*chart.dots, *chart.line, *chart.reference)]
    ys += [b for _, b, _ in chart.points] + [end for _, *ends in chart.band for end in ends]
    if chart.bars:
        xs += [end for left, right, *_ in chart.bars for end in (left, right)]
        ys += [0.0, *(height for _, _, height, _ in chart.bars)]
    if chart.categories:
        xs = [-0.5, len(chart.categories) - 0.5]
    room = 0.0 if chart.categories else 0.03
    return Axis.over(xs, LEFT, WIDTH - RIGHT, share=room), Axis.over(ys, HEIGHT - BOTTOM, TOP)


def _names(chart: Plain, x: Axis) -> list[dict]:
    found = []
    for k, name in enumerate(chart.categories):
        shown = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
        found.append({"path": "", "x": f"{x.place(k):.1f}", "y": HEIGHT - BOTTOM + 15, "text": shown})
    every = -(-len(found) * 8 * min(LONGEST, max((len(n) for n in chart.categories), default=1)) // (WIDTH - LEFT))
    return found[:: max(1, every)]


def _path(points, x: Axis, y: Axis) -> str:
    return "M" + "L".join(f"{x.place(a):.1f} {y.place(b):.1f}" for a, b in points) if len(points) > 1 else ""


def _band(chart: Plain, x: Axis, y: Axis) -> str:
    if not chart.band:
        return ""
    if chart.categories:  # an interval for each category
        return "".join(f"M{x.place(a):.1f} {y.place(low):.1f}V{y.place(high):.1f}" for a, low, high in chart.band)
    there = [f"{x.place(a):.1f} {y.place(high):.1f}" for a, _, high in chart.band]
    back = [f"{x.place(a):.1f} {y.place(low):.1f}" for a, low, _ in reversed(chart.band)]
    return "M" + "L".join([*there, *back]) + "Z"


def _bar(bar, x: Axis, y: Axis) -> dict:
    left, right, height, tip = bar
    a, b, top = x.place(left), x.place(right), y.place(height)
    tall = max(y.place(0.0) - top, 0.0)
    return {
        "x": f"{a:.1f}",
        "width": f"{max(b - a - 1, 1):.1f}",
        "y": f"{top:.1f}",
        "height": f"{tall:.1f}",
        "tip": tip,
    }
