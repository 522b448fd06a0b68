"""Figures drawn with matplotlib, inside the page as long as there is room: the papers' own, and files of plots/."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator
from pathlib import Path

from gpbench.analysis.drawing.style import house_style, rendered
from gpbench.analysis.results_table import ResultsTable
from gpbench.papers import figures

from .size_budget import SizeBudget

LIVE = ("curve-", "trade-off-", "training-", "size-", "time-", "figure-")  # drawn by the page itself
TOLD = {
    "box": "Spread over trials",
    "measure": "Selection measure along the path",
    "fit": "Prediction",
    "ranks": "Average ranks over data sets",
}


def figures_in_text(results: ResultsTable, files: list[Path], room: SizeBudget) -> str:
    """As images, so that ids of two drawings cannot clash."""
    found = []
    for name, caption, content in (*_of_papers(results), *_of_files(files)):
        key, data = html.escape(name, quote=True), base64.b64encode(content).decode()
        text = (
            f'<figure class="drawn" id="{key}"><img alt="{key}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption><bdi>{html.escape(caption)}</bdi></figcaption></figure>\n"
        )
        found += room.take(f"plots/{name}.svg", text)
    return f'<div class="plots">{"".join(found)}</div>' if found else ""


def _of_papers(results: ResultsTable) -> Iterator[tuple[str, str, bytes]]:
    """The figures that the folder stands for; the caption is the page's, where it can be read on any screen."""
    with house_style():
        for panel in figures.panels(results):
            yield panel.name, panel.caption, rendered(panel.figure, "svg", panel.name)


def _of_files(files: list[Path]) -> Iterator[tuple[str, str, bytes]]:
    for file in files:
        if file.suffix == ".svg" and not file.name.startswith(LIVE):
            kind, _, rest = file.stem.partition("-")
            yield file.stem, f"{TOLD.get(kind, kind)}: {rest}", file.read_bytes()
