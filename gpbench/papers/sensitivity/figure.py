"""One figure for each open choice: printed numbers and the range of our means, cell by cell, coloured by verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpbench.analysis.drawing.files import place_below
from gpbench.analysis.drawing.style import house_style, new_figure, rendered
from gpbench.analysis.table import frame_csv

from ..check import Check
from ..printed_numbers import cells
from ..verdicts.cells import CellVerdict
from .items import Item, items
from .ranges import Range, printed_error

COLOURS = {  # of verdicts at the frozen protocol, dark to light
    "replicated": "#0072b2", "close": "#0072b2", "better": "#007a5a", "inconclusive": "#7f7f7f",
    "different": "#b23b00", "worse": "#b23b00",
}  # fmt: skip
NAMES = {
    "#0072b2": "replicated or close", "#007a5a": "better", "#7f7f7f": "inconclusive", "#b23b00": "different or worse"
}  # fmt: skip
PER_COLUMN = 48  # cells one above the other


def draw(found: Check, folder: Path, endings: tuple[str, ...] = ("svg",)) -> list[Path]:
    """open-<name>.svg and the numbers drawn, for every open choice with runs."""
    files = []
    with house_style():
        for item, pairs in _drawn(found):
            name = f"open-{item.name}"
            figure = _figure(item, pairs)
            contents = {f"{name}.{ending}": rendered(figure, ending, name) for ending in endings}
            files += place_below(folder, contents | {f"{name}.csv": _numbers(pairs)})
    return files


def _drawn(found: Check) -> Iterator[tuple[Item, list[tuple[Range, CellVerdict]]]]:
    verdicts = {c.id: c for c in found.cells}
    for item in items():
        mine = [(r, verdicts[r.id]) for r in found.ranges if r.item == item.name and r.run]
        if mine:
            yield item, mine


def _figure(item: Item, pairs: list[tuple[Range, CellVerdict]]):
    """Every cell is a row: the bar is our range relative to the print (at 1), the tick ours at the frozen protocol."""
    columns = -(-len(pairs) // PER_COLUMN)
    height = 1.3 + 0.16 * min(len(pairs), PER_COLUMN)
    figure, axes = new_figure(1, columns, 5.6 * columns, height)
    printed = {c.id: c for c in cells(item.paper)}
    for k, ax in enumerate(axes.flat):
        mine = pairs[k * PER_COLUMN : (k + 1) * PER_COLUMN]
        for row, (r, v) in enumerate(mine):
            _row(ax, row, r, v, printed_error(printed[r.id]))
        ax.set_yticks(range(len(mine)), [_name(v) for _, v in mine], fontsize=6.5)
        ax.set_ylim(len(mine) - 0.4, -0.6)
        ax.axvline(0.0, color="0.3", linewidth=0.8, zorder=0)
        ax.set_xlabel("ours \u2212 printed, in margins of the verdict")
        ax.grid(visible=False, axis="y")
    figure.suptitle(f"{item.title}: {item.choice}", fontsize=9)
    _legend(figure)
    return figure


def _row(ax, row: int, r: Range, v: CellVerdict, error: float) -> None:
    """In units of the margin D, since quantities differ in size and sign."""
    unit, printed = v.margin or 1.0, float(v.printed)
    low, high = ((x - printed) / unit for x in (r.low, r.high))
    colour = COLOURS.get(v.verdict, "0.5")
    ax.plot([-error / unit, error / unit], [row, row], color="0.8", linewidth=5, solid_capstyle="butt", zorder=1)
    ax.plot([low, high], [row, row], color=colour, linewidth=2.0, solid_capstyle="butt", zorder=2)
    if v.ours is not None:
        ours = (v.ours - printed) / unit
        ax.plot([ours], [row], "o", color=colour, markersize=3.5, zorder=3, markerfacecolor="white")
    if r.place == "outside":
        ax.plot([1.0], [row], "x", color=colour, markersize=4, transform=ax.get_yaxis_transform(), clip_on=False)


def _legend(figure) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=c, linewidth=2, label=name) for c, name in NAMES.items()]
    handles += [
        Line2D([], [], color="0.3", marker="o", markerfacecolor="white", linestyle="", label="frozen protocol"),
        Line2D([], [], color="0.8", linewidth=5, label="standard error of the print"),
        Line2D([], [], color="0.3", marker="x", linestyle="", label="print outside the range"),
    ]
    columns = min(len(handles), max(2, int(figure.get_figwidth() // 1.9)))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=7)


def _name(v: CellVerdict) -> str:
    half = ", cache" if "with cache" in v.variant else ""
    size = f" n={v.n_train:.0f}" if v.paper == "vanhatalo" and v.n_train else ""
    return f"{v.dataset}{size} {v.method}{half} {v.quantity}"


def _numbers(pairs: list[tuple[Range, CellVerdict]]) -> str:
    import pandas as pd

    rows = [
        {
            "id": r.id, "printed": v.printed, "frozen": v.ours, "low": r.low, "high": r.high, "place": r.place,
            "holds": r.holds, "run": r.run, "of": r.of, "repetitions": r.repetitions, "verdict": v.verdict,
        }
        for r, v in pairs
    ]  # fmt: skip
    return frame_csv(pd.DataFrame(rows), "%.6g")
