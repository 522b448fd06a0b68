"""A results folder inside the site: its report, config and figures, and the text of its card."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpbench.analysis.drawing.files import place_below
from gpbench.analysis.results_table import ResultsTable

from ..page import page

BEST = ("figure-", "trade-off-", "ranks-", "curve-", "size-", "time-", "fit-", "box-", "measure-")  # as the card


@dataclass(frozen=True)
class FolderLinks:
    name: str
    title: str
    told: str  # methods and data sets
    words: str  # what a search finds, in small letters
    papers: list[str]
    items: list[str]
    done: int
    planned: int
    failed: int
    figures: list[str]  # files in <name>/plots
    suite: str  # "" or the name of the suite that its data sets belong to

    @property
    def picture(self) -> str:
        """The paper's own figure, else the first of the kinds in BEST; of one kind the first in `figures`."""
        ranked = [(k, i) for i, f in enumerate(self.figures) for k, kind in enumerate(BEST) if f.startswith(kind)]
        return self.figures[min(ranked)[1]] if ranked else ""

    @property
    def group(self) -> str:
        return "Results for the papers" if self.papers else self.suite or "Newer methods and other libraries"


def place_folder(results: ResultsTable, into: Path) -> FolderLinks:
    """<into>/<name>/ with report.html, config.yaml and plots/*.svg."""
    name = results.path.resolve().name
    folder = into / name
    metrics = results.config.get("metrics") or []
    figures = sorted((results.path / "plots").glob("*.svg"), key=lambda file: (_place(file.stem, metrics), file.name))
    config = results.path / "config.resolved.yaml"
    text = config.read_bytes() if config.is_file() else b""
    place_below(folder, {"report.html": page(results, figures), "config.yaml": text})
    place_below(folder / "plots", {file.name: file.read_bytes() for file in figures})
    papers = list(dict.fromkeys(paper for paper, _ in results.published))
    data, methods = ([str(v) for v in results.rows[c].unique()] for c in ("dataset", "label"))
    items = [item for _, item in results.published if item]
    shown = f"{_some(methods)} on {_some([results.labels.get(d, d) for d in data])}"
    words = " ".join([name, results.name, *papers, *items, *data, *methods, *results.rows["method"].unique()]).lower()
    return FolderLinks(
        name, f"{results.name}: {'; '.join(items)}" if items else results.name, shown, words, papers, items,
        results.done, results.planned, len(results.failures), [file.name for file in figures], _suite(data),
    )  # fmt: skip


def _place(stem: str, metrics: list[str]) -> int:
    """The place of the metric that a figure shows among those of the config; a figure without one comes first."""
    return next((k for k, metric in enumerate(metrics, 1) if stem.endswith(f"-{metric}")), 0)


def _some(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _suite(data: list[str]) -> str:
    return "UCI suite" if data and all(name.startswith("uci-") for name in data) else ""
