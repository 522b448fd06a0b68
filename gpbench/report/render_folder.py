"""What the commands `tables`, `stats`, `plot`, `report` do to a folder, and what `run` does at its end."""

from __future__ import annotations

import json
from pathlib import Path

from gpbench.analysis.drawing.files import place, place_below
from gpbench.analysis.drawing.style import ENDINGS
from gpbench.analysis.pareto_front import front_rows
from gpbench.analysis.ranking import ranking_rows, stats_rows
from gpbench.analysis.results_table import ResultsTable, load
from gpbench.analysis.table import FORMATS, frame_csv, render, to_text
from gpbench.errors import CheckError
from gpbench.papers.check import check

from .page import page
from .plots import draw
from .tables import console, tables


def render_tables(of: Path | ResultsTable, formats: list[str] | tuple[str, ...] = FORMATS) -> list[Path]:
    """tables/<name>.<format> of every table that the folder has numbers for."""
    results = _read(of)
    return place_below(
        results.path / "tables", {f"{t.name}.{f}": render(t, f, results.name) for t in tables(results) for f in formats}
    )


def render_stats(of: Path | ResultsTable) -> list[Path]:
    """stats/significance.csv; stats/front.csv; with five or more data sets also stats/ranks.csv."""
    results = _read(of)
    found = {
        "significance.csv": stats_rows(results),
        "ranks.csv": ranking_rows(results),
        "front.csv": front_rows(results),
    }
    texts = {name: frame_csv(table) for name, table in found.items() if len(table)}
    return place_below(results.path / "stats", texts)


def render_plots(of: Path | ResultsTable, endings: tuple[str, ...] = ENDINGS) -> list[Path]:
    """plots/<name>.<ending>; of the papers' own figures also the numbers drawn, figures/<name>.csv."""
    results = _read(of)
    return draw(results, results.path / "plots", results.path / "figures", endings)


def render_report(path: Path) -> Path:
    """Write report.html with the figures in plots/, which are drawn if there are none."""
    results = load(path)
    figures = sorted((results.path / "plots").glob("*.svg")) or render_plots(results, ("svg",))
    return place(results.path, {"report.html": page(results, figures)})[0]


def render_check(results: ResultsTable) -> list[Path]:
    """check.json of this folder alone, on the papers it names; nothing when it stands for no printed numbers."""
    try:
        found = check([results])
    except CheckError:
        return []
    papers = {paper for paper, _ in results.published}
    return place(results.path, {"check.json": json.dumps(found.to_json(papers), indent=2, sort_keys=True) + "\n"})


def render_all(of: Path | ResultsTable) -> list[Path]:
    """Write all tables, statistics, plots, check.json and report.html of a folder."""
    results = _read(of)
    figures = render_plots(results)
    files = [*render_tables(results), *render_stats(results), *figures, *render_check(results)]
    return [*files, *place(results.path, {"report.html": page(results, figures)})]


def build_site(dirs: list[Path], out: Path, readme: Path | None = None) -> list[Path]:
    """index.html, a page for each paper, and every folder's report, config and figures."""
    from .site import build

    return build(dirs, out, readme)


def console_table(of: Path | ResultsTable, width: int | None = 100) -> str:
    """The table for a terminal of this width; without one nothing is cut."""
    return to_text(console(_read(of)), width)


def _read(of: Path | ResultsTable) -> ResultsTable:
    """A folder is read once, however much is drawn of it."""
    return of if isinstance(of, ResultsTable) else load(of)
