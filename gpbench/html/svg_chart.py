"""A chart as inline SVG: lines with points that the script can tell about, a legend and a caption in HTML.

The looks (colour, dashes, marker) belong to a method, the same in every chart of a page. Colours come from the style
sheet, so that one drawing serves a light and a dark page; a point names the trials behind it.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from .axis import WIDE, Axis, written

WIDTH, HEIGHT = 400, 280
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 26, 40
LOOKS = 10  # classes k0 ... k9 of the style sheet
MARKERS = (  # around the origin; the hollow ones are drawn again with class `hollow`
    '<circle r="3.6"/>',
    '<path d="M-3.4-3.4h6.8v6.8h-6.8z"/>',
    '<path d="M0-4.6 4.2 3.2h-8.4z"/>',
    '<path d="M0-4.8 4.2 0 0 4.8-4.2 0z"/>',
    '<path d="M0 4.6 4.2-3.2h-8.4z"/>',
    '<path class="stroke" d="M-3.4-3.4 3.4 3.4M3.4-3.4-3.4 3.4"/>',
    '<path class="stroke" d="M-4.4 0h8.8M0-4.4v8.8"/>',
    '<circle class="hollow" r="3.4"/>',
    '<path class="hollow" d="M-3.2-3.2h6.4v6.4h-6.4z"/>',
    '<path class="hollow" d="M0-4.6 4.2 3.2h-8.4z"/>',
    '<path class="hollow" d="M0-4.8 4.2 0 0 4.8-4.2 0z"/>',
)  # eleven of them and ten colours: a pair returns after 110 methods only


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


def markers() -> str:
    """The shapes that every chart of a page points to."""
    shapes = "".join(f'<g id="m{i}">{shape}</g>' for i, shape in enumerate(MARKERS))
    return f'<svg class="shapes" width="0" height="0" aria-hidden="true"><defs>{shapes}</defs></svg>\n'


def figure(chart: Chart) -> str:
    """<figure>: the drawing, its legend, its caption."""
    tags = f'data-d="{_text(chart.dataset)}" data-q="{_text(chart.metric)}" data-kind="{_text(chart.kind)}"'
    return (
        f'<figure class="chart" id="{_text(chart.name)}" {tags}>{drawing(chart)}{legend(chart)}'
        f"<figcaption><bdi>{_text(chart.caption)}</bdi></figcaption></figure>\n"
    )


def drawing(chart: Chart) -> str:
    x, y = _axes(chart)
    lines = "".join(_line(line, x, y) for line in chart.lines)
    name = f"{chart.y_title} against {chart.x_title}" + (f", {chart.title}" if chart.title else "")
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{_text(name)}">'
        f"{_frame(chart, x, y)}{_front(chart, x, y)}{lines}</svg>"
    )


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
    x = Axis.over(xs, LEFT, WIDTH - RIGHT, chart.log_x, chart.ticks_x, room=0.04)
    return x, Axis.over([*means, *ends], HEIGHT - BOTTOM, TOP, log)


def _frame(chart: Chart, x: Axis, y: Axis) -> str:
    """Grid, ticks and titles; the title of the upright axis lies above it, where it needs no turned head."""
    parts = []
    for v in x.ticks(44):
        at = f"{x.place(v):.1f}"
        parts.append(f'<path class="grid" d="M{at} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{at}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{written(v)}</text>')
    for v in y.ticks(34):
        height = y.place(v)
        parts.append(f'<path class="grid" d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{height + 4:.1f}" text-anchor="end">{written(v)}</text>')
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>')
    log = " (log)" if y.log else ""
    parts.append(f'<text class="title" x="4" y="14">{_text(chart.y_title)}{log}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text class="title" x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{_text(chart.x_title)}'
        f"{' (log)' if x.log else ''}</text>"
    )
    return f'<g class="frame" aria-hidden="true">{"".join(parts)}</g>'


def _front(chart: Chart, x: Axis, y: Axis) -> str:
    if len(chart.front) < 2:
        return ""
    places = [(x.place(a), y.place(b)) for a, b in sorted(chart.front)]
    path = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"H{a:.1f}V{b:.1f}" for a, b in places[1:])
    return f'<path class="front" d="{path}H{WIDTH - RIGHT}"/>'


def _line(line: Line, x: Axis, y: Axis) -> str:
    k = line.look
    xs, ys = [x.place(v) for v in line.x], [y.place(v) for v in line.y]
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(xs, ys)) if len(xs) > 1 else ""
    drawn = f'<path class="line" d="{path}"/>' if path else ""
    bars = _bars(line, xs, y)
    drawn += f'<path class="bar" d="{bars}"/>' if bars else ""
    for i, (a, b) in enumerate(zip(xs, ys)):
        told = f' data-t="{line.trials[i]}"' if line.trials and line.trials[i] else ""
        told += f' data-tip="{_text(line.tips[i])}"' if line.tips else ""
        if told:
            drawn += f'<use href="#m{k % len(MARKERS)}" x="{a:.1f}" y="{b:.1f}"{told}/>'
    return f'<g class="k{k % LOOKS}{" faint" if line.faint else ""}" data-k="{k}">{drawn}</g>'


def _bars(line: Line, xs: list[float], y: Axis) -> str:
    bottom, top = y.start, y.end
    out = []
    for at, value, spread in zip(xs, line.y, line.spread):
        if spread > 0:
            low = y.place(value - spread) if not y.log or value - spread > y.low else bottom
            out.append(f"M{at:.1f} {min(low, bottom):.1f}V{max(y.place(value + spread), top):.1f}")
    return "".join(out)


def legend(chart: Chart) -> str:
    """The script makes each entry a switch."""
    names = {line.look: line.label for line in chart.lines}
    items = "".join(f'<li data-k="{k}">{swatch(k)}<bdi>{_text(name)}</bdi></li>' for k, name in names.items())
    return f'<ul class="legend">{items}</ul>'


def swatch(k: int) -> str:
    return (
        f'<svg class="k{k % LOOKS}" viewBox="0 0 28 12" aria-hidden="true"><path class="line" d="M1 6H27"/>'
        f'<use href="#m{k % len(MARKERS)}" x="14" y="6"/></svg>'
    )


def _text(value: str) -> str:
    return html.escape(str(value), quote=True)
