"""One look for all figures: readable in grey, vector text as paths, the same bytes from the same numbers."""

from __future__ import annotations

import io
from itertools import cycle
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure  # drawn without pyplot: no window, no global list of figures

from gpbench.keeping.files import make_folder, write_atomic

LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
MARKERS = ("o", "s", "^", "D", "v", "x", "+", "*", "P", "<", ">", "h", "d")  # no divisor in common with the colours
# dark to light, so that print in grey keeps the lines apart; hues safe for colour-blind readers
COLOURS = ("#000000", "#0072b2", "#b23b00", "#007a5a", "#a0468a", "#6b6b00", "#4c8fbd", "#d9822b", "#7f7f7f", "#57a773")
GREYS = ("0.95", "0.55", "0.78", "0.35", "0.88", "0.65", "0.45", "0.72", "0.25", "0.82")
RC = {
    "svg.hashsalt": "gpbench",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.9",
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "figure.facecolor": "white",
}


def house_style():
    """Context in which figures are made and saved."""
    return matplotlib.rc_context(RC)


def looks(names) -> dict[str, dict]:
    """Line style, marker and colour of each name, in order."""
    kinds = zip(cycle(LINES), cycle(MARKERS), cycle(COLOURS))
    return {n: {"linestyle": l, "marker": m, "color": c} for n, (l, m, c) in zip(names, kinds)}


def new_figure(rows: int = 1, columns: int = 1, width: float = 6.4, height: float = 3.8):
    """Figure and its axes; call inside `house_style()`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """name.svg and name.png; the svg holds neither date nor random ids."""
    make_folder(folder)
    files = []
    for ending in ("svg", "png"):
        out = io.BytesIO()
        metadata = {"Date": None, "Creator": "gpbench"} if ending == "svg" else {"Software": "gpbench"}
        figure.savefig(out, format=ending, dpi=150, metadata=metadata)
        file = folder / f"{name}.{ending}"
        write_atomic(file, out.getvalue())
        files.append(file)
    return files
