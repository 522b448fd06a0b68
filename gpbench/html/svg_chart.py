"""A chart as inline SVG: lines with points that the script describes, a legend and a caption in HTML.

This file computes places and paths; templates/parts.html draws them. The look (colour, dashes, marker) belongs to a
method, the same in every chart of a page. Colours come from the style sheet, so that one drawing serves a light and a
dark page; a point names the trials behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup

from .axis import WIDE, Axis, written
from .render import part

WIDTH, HEIGHT = 400, 280
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 26, 40
COLOURS, MARKERS = 10, 11  # classes k0 ... k9 of the style sheet, shapes m0 ... m10 of parts.html


@dataclass(frozen=True)
class Line:
    """Points of one method from left to right. `trials`: which trials are behind each point, '' for none."""

    label: str
    look: int
    x: list[float]
    y: list[float]
    spread: list[float] = field(default_factory=list)
    trials: list[str] = field(default_factory=list)
    tips: list[str] = field(default_factory=list)  # for points without trials
    faint: bool = False


@dataclass(frozen=True)
class Chart:
    name: str
    x_title: str
    y_title: str
    caption: str
    lines: list[Line]
    dataset: str = ""
    title: str = ""  # of the data set, with its number of rows where there are several
    metric: str = ""
    kind: str = ""
    log_x: bool = False
    ticks_x: tuple[float, ...] = ()
    front: list[tuple[float, float]] = field(default_factory=list)


def look(k: int) -> dict:
    return {"number": k, "colour": f"k{k % COLOURS}", "marker": f"m{k % MARKERS}"}


def figure(chart: Chart) -> Markup:
    """<figure>: the drawing, its legend, its caption."""
    x, y = _axes(chart)
    named = {line.look: line.label for line in chart.lines}
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawing = {
        "label": f"{chart.y_title} against {chart.x_title}" + (f", {chart.title}" if chart.title else ""),
        "width": WIDTH, "height": HEIGHT, "middle": middle,
        "x_title": chart.x_title + (" (log)" if x.log else ""), "y_title": chart.y_title + (" (log)" if y.log else ""),
        "axis": f"M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}",
        "x_ticks": upright_ticks(x, 44, TOP, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 15),
        "y_ticks": [
            {"path": f"M{LEFT} {at:.1f}H{WIDTH - RIGHT}", "x": LEFT - 6, "y": f"{at + 4:.1f}", "text": written(v)}
            for v in y.ticks(34) for at in [y.place(v)]
        ],
        "front": _front(chart, x, y),
        "lines": [_line(line, x, y) for line in chart.lines],
        "legend": [{"look": look(k), "label": name} for k, name in named.items()],
    }  # fmt: skip
    return part("chart", chart, drawing)


def upright_ticks(x: Axis, least: float, top: float, bottom: float, text_at: float) -> list[dict]:
    """Grid lines of a horizontal axis, and the number below each."""
    places = [(f"{x.place(v):.1f}", written(v)) for v in x.ticks(least)]
    return [{"path": f"M{at} {top}V{bottom}", "x": at, "y": text_at, "text": text} for at, text in places]


def _axes(chart: Chart) -> tuple[Axis, Axis]:
    xs = [v for line in chart.lines for v in line.x]
    means = [v for line in chart.lines for v in line.y]
    log = min(means) > 0 and max(means) > WIDE * min(means)
    ends = [
        end
        for line in chart.lines
        for value, spread in zip(line.y, line.spread or [0.0] * len(line.y))
        for end in (value - spread, value + spread)
        if not log or end > min(means) / 3  # a bar may leave a logarithmic axis
    ]
    x = Axis.over(xs, LEFT, WIDTH - RIGHT, chart.log_x, chart.ticks_x, share=0.04)
    return x, Axis.over([*means, *ends], HEIGHT - BOTTOM, TOP, log)


def _front(chart: Chart, x: Axis, y: Axis) -> str:
    if len(chart.front) < 2:
        return ""
    places = [(x.place(a), y.place(b)) for a, b in sorted(chart.front)]
    path = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"H{a:.1f}V{b:.1f}" for a, b in places[1:])
    return f"{path}H{WIDTH - RIGHT}"


def _line(line: Line, x: Axis, y: Axis) -> dict:
    xs, ys = [x.place(v) for v in line.x], [y.place(v) for v in line.y]
    nothing = [""] * len(xs)
    points = zip(xs, ys, line.trials or nothing, line.tips or nothing)
    return {
        "look": look(line.look), "faint": line.faint, "bars": _bars(line, xs, y),
        "path": "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(xs, ys)) if len(xs) > 1 else "",
        "points": [{"x": f"{a:.1f}", "y": f"{b:.1f}", "trials": t, "tip": tip} for a, b, t, tip in points if t or tip],
    }  # fmt: skip


def _bars(line: Line, xs: list[float], y: Axis) -> str:
    bottom, top = y.start, y.end
    out = []
    for at, value, spread in zip(xs, line.y, line.spread):
        if spread > 0:
            low = y.place(value - spread) if not y.log or value - spread > y.low else bottom
            out.append(f"M{at:.1f} {min(low, bottom):.1f}V{max(y.place(value + spread), top):.1f}")
    return "".join(out)
