"""One look for all figures: readable in grey, text that can be searched, the same bytes from the same numbers."""

from __future__ import annotations

import io
from itertools import cycle
from pathlib import Path

import matplotlib
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure  # drawn without pyplot: no window, no global list of figures

from .files import place_below

ENDINGS = ("svg", "png")  # what is drawn unless asked for otherwise; pdf on request
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
MARKERS = ("o", "s", "^", "D", "v", "x", "+", "*", "P", "<", ">", "h", "d")  # no divisor in common with the colours
# dark to light, so that print in grey keeps the lines apart; hues safe for colour-blind readers
COLOURS = ("#000000", "#0072b2", "#b23b00", "#007a5a", "#a0468a", "#6b6b00", "#4c8fbd", "#d9822b", "#7f7f7f", "#57a773")
RC = {
    "svg.hashsalt": "gpbench",
    "svg.fonttype": "none",  # words stay words, and a file is a third of its size
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],  # alike in width; the first is drawn with here
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.9",
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "figure.facecolor": "white",
    "axes.formatter.useoffset": False,  # plain ticks: no "+2.5e1" in a corner, no powers of ten in the usual ranges
    "axes.formatter.limits": (-5, 7),
}


def house_style():
    """Context in which figures are made and saved."""
    return matplotlib.rc_context(RC)  # type: ignore[arg-type]


def looks(names) -> dict[str, dict]:
    """Line style, marker and colour of each name, in order."""
    kinds = zip(cycle(LINES), cycle(MARKERS), cycle(COLOURS))
    return {n: {"linestyle": l, "marker": m, "color": c} for n, (l, m, c) in zip(names, kinds)}


def new_figure(rows: int = 1, columns: int = 1, width: float = 6.4, height: float = 3.8):
    """Figure and its axes; call inside `house_style()`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def lighter(colour: str, share: float = 0.75) -> tuple[float, ...]:
    """The colour mixed with white."""
    return tuple(share + (1 - share) * c for c in to_rgb(colour))


def shades(n: int) -> list[tuple[float, ...]]:
    """Light to dark, for lines that follow each other."""
    return [lighter("#003c78", 0.75 * (1 - (k + 1) / n)) for k in range(n)]


def rendered(figure: Figure, ending: str, title: str = "") -> bytes:
    """The figure as svg, png or pdf, without date or random ids: the same bytes from the same numbers."""
    metadata = {
        "svg": {"Date": None, "Creator": "gpbench", **({"Title": title} if title else {})},
        "png": {"Software": "gpbench"},
        "pdf": {"Creator": "gpbench", "Producer": None, "CreationDate": None, **({"Title": title} if title else {})},
    }
    out = io.BytesIO()
    figure.savefig(out, format=ending, dpi=150, metadata=metadata[ending])
    return out.getvalue()


def save(figure: Figure, folder: Path, name: str, endings: tuple[str, ...] = ENDINGS) -> list[Path]:
    """name.svg, name.png, ..."""
    return place_below(folder, {f"{name}.{ending}": rendered(figure, ending, name) for ending in endings})
