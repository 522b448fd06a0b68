"""A results folder inside the site: its report, config and figures, and what the tables say of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpbench.analysis.drawing.files import place_below
from gpbench.analysis.results_table import ResultsTable

from ..page import page


@dataclass(frozen=True)
class FolderLinks:
    name: str
    papers: list[str]
    items: list[str]
    done: int
    planned: int
    failed: int
    figures: list[str]  # files in <name>/plots


def place_folder(results: ResultsTable, into: Path) -> FolderLinks:
    """<into>/<name>/ with report.html, config.yaml and plots/*.svg."""
    name = results.path.resolve().name
    folder = into / name
    figures = sorted((results.path / "plots").glob("*.svg"))
    config = results.path / "config.resolved.yaml"
    text = config.read_bytes() if config.is_file() else b""
    place_below(folder, {"report.html": page(results, figures), "config.yaml": text})
    place_below(folder / "plots", {file.name: file.read_bytes() for file in figures})
    return FolderLinks(
        name,
        list(dict.fromkeys(paper for paper, _ in results.published)),
        [item for _, item in results.published if item],
        results.done,
        results.planned,
        len(results.failures),
        [file.name for file in figures],
    )
