"""Figures drawn with matplotlib, inside the page within its size budget: the papers' own, and files of plots/."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from gpbench.analysis.drawing.axes import axis_title, safe
from gpbench.analysis.drawing.style import house_style, rendered
from gpbench.analysis.results_table import ResultsTable
from gpbench.data.standins import title_of
from gpbench.html.render import part
from gpbench.metrics import METRICS
from gpbench.papers import figures

from .size_budget import SizeBudget

LIVE = ("curve-", "trade-off-", "training-", "size-", "time-", "figure-")  # drawn by the page itself
TOLD = {
    "box": "Spread over trials",
    "measure": "Selection measure along the path",
    "fit": "Prediction",
    "ranks": "Average ranks over data sets; a bar joins methods that cannot be told apart",
}


def of_papers(results: ResultsTable, budget: SizeBudget) -> list[Markup]:
    """The figures that the folder stands for; the caption is the page's, where it can be read on any screen.

    They are images, so that ids of two drawings cannot clash.
    """
    found = []
    with house_style():
        for k, panel in enumerate(figures.panels(results)):
            drawn = part("image", panel.name, panel.caption, rendered(panel.figure, "svg", panel.name), k == 0)
            found += budget.take(f"plots/{panel.name}.svg", drawn)
    return found


def of_files(results: ResultsTable, files: list[Path], budget: SizeBudget) -> list[Markup]:
    drawn = (f for f in files if f.suffix == ".svg" and not f.name.startswith(LIVE))
    captions = _captions(results)
    return [
        text
        for f in drawn
        if (caption := captions.get(f.stem) or _plain(f.stem))
        for text in budget.take(f"plots/{f.name}", part("image", f.stem, caption, f.read_bytes()))
    ]


def _captions(results: ResultsTable) -> dict[str, str]:
    """Caption in words of every file that report/plots.py may have drawn."""
    found = {f"ranks-{m}": f"{TOLD['ranks']}: {axis_title(m)}." for m in METRICS}
    for key, rows in results.rows.groupby("dataset", sort=False):
        title, labels = results.labels.get(key, title_of(key)), rows["label"].unique()
        sizes = rows["n_train"].dropna().unique()
        names = {safe(key): title} | {safe(f"{key}-{n:.0f}"): f"{title}, n = {n:.0f}" for n in sizes}
        for name, shown in names.items():
            found[f"measure-{name}"] = f"{TOLD['measure']}: {shown}."
            found |= {f"box-{name}-{m}": f"{TOLD['box']}: {axis_title(m)} on {shown}." for m in METRICS}
            found |= {f"fit-{name}-{safe(label)}": f"{TOLD['fit']} of {label} on {shown}." for label in labels}
    return found


def _plain(stem: str) -> str:
    kind, _, rest = stem.partition("-")
    return f"{TOLD.get(kind, kind)}: {rest}"
