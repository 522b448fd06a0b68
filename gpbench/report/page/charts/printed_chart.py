"""Printed value and ours side by side, with intervals: one panel for each data set and quantity of a printed item."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from gpbench.html.axis import WIDE, Axis
from gpbench.html.render import part
from gpbench.html.svg_chart import upright_ticks

WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 400, 26, 132, 12, 10, 26
NAME = 16  # characters that fit on the left


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


def panel_figure(panel: Panel) -> Markup:
    height = TOP + ROW * len(panel.pairs) + BOTTOM
    values = [v for p in panel.pairs for v in (p.printed, p.ours)]
    log = min(values) > 0 and max(values) > WIDE * min(values)
    ends = [e for p in panel.pairs for e in _ends(p) if not log or e > min(values) / 3]
    x = Axis.over([*values, *ends], LEFT, WIDTH - RIGHT, log)
    rows = [_row(p, x, TOP + ROW * (i + 0.5)) for i, p in enumerate(panel.pairs)]
    ticks = upright_ticks(x, 52, TOP, height - BOTTOM, height - 9)
    return part("printed_chart", panel, {"width": WIDTH, "height": height, "ticks": ticks, "rows": rows})


def _ends(p: Pair) -> tuple[float, ...]:
    return (p.printed - p.printed_half, p.printed + p.printed_half, p.ours - p.ours_half, p.ours + p.ours_half)


def _row(p: Pair, x: Axis, y: float) -> dict:
    """A diamond for the printed value above a dot for ours."""
    a, b = x.place(p.printed), x.place(p.ours)
    return {
        "name": p.name if len(p.name) <= NAME else p.name[: NAME - 1] + "…", "x": LEFT - 8, "y": f"{y + 4:.1f}",
        "bars": _whisker(p.printed, p.printed_half, x, y - 5) + _whisker(p.ours, p.ours_half, x, y + 5),
        "diamond": f"M{a:.1f} {y - 10:.1f}l5 5-5 5-5-5z", "cx": f"{b:.1f}", "cy": f"{y + 5:.1f}",
        "verdict": p.verdict, "trials": p.trials, "tip": p.tip,
    }  # fmt: skip


def _whisker(value: float, half: float, x: Axis, y: float) -> str:
    if not half > 0:
        return ""
    low = x.place(value - half) if not x.log or value - half > x.low else x.start
    return f"M{max(low, x.start):.1f} {y:.1f}H{min(x.place(value + half), x.end):.1f}"
