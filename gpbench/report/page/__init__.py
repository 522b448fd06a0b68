"""report.html: one page per results folder, which answers first and can be questioned."""

from __future__ import annotations

from pathlib import Path

from gpbench.analysis.results_table import ResultsTable
from gpbench.html.document import anchor, document, header, section
from gpbench.html.svg_chart import figure
from gpbench.papers.paper_tables import paper_tables

from . import check_section, run_facts, summary
from .charts.folder_charts import Charts
from .charts.printed_chart import panel_figure
from .embedded_figures import figures_in_text
from .html_table import sheet
from .results_table import results_table
from .size_budget import LIMIT, SizeBudget
from .trial_data import TrialBook

__all__ = ["page"]
FILTERS = '<form class="filters" hidden aria-label="Filters"></form>\n'


def page(results: ResultsTable, figures: list[Path] | None = None) -> str:
    """The whole page as text, with all that it shows inside it. `figures`: svg files drawn before."""
    book = TrialBook.of(results)
    compared = check_section.seen(book)
    parts = {
        "Tables": "".join(sheet(t, book) for t in (*paper_tables(results), results_table(book)) if t.rows),
        "Plots": "",
        "Check": check_section.shown(book, compared),
        "Failures": run_facts.failures(book),
        "Notes": run_facts.remarks(results),
        "Environment": run_facts.environments(results),
        "Repeat": run_facts.again(results),
    }
    data = book.to_json()
    room = SizeBudget(LIMIT - len(document("", "".join(parts.values()), data).encode()))
    front, parts["Plots"] = _plots(Charts(book), room)
    parts["Check"] = _panels(book, compared, room) + parts["Check"]
    parts["Plots"] += figures_in_text(results, figures or [], room) + room.note()
    parts = {name: body for name, body in parts.items() if body}
    first = (
        f'<section id="answer" class="answer" aria-label="Answer"><div class="sentences">{summary.shown(book)}'
        f'{check_section.summary(compared)}{run_facts.facts(book)}</div><div class="hero">{front}</div></section>\n'
    )
    links = {name: f"#{anchor(name)}" for name in parts}
    head = header(results.name, str(results.config.get("description") or ""), links)
    body = f"{head}<main>\n{first}{FILTERS}{''.join(section(n, b) for n, b in parts.items())}</main>\n"
    return document(results.name, body, data)


def _plots(charts: Charts, room: SizeBudget) -> tuple[str, str]:
    """The front of the first screen, and the other charts."""
    first, *fronts = [text for chart in charts.fronts() for text in room.take(chart.name, figure(chart))] or [""]
    others = (*charts.sizes(), *charts.training_rows(), *charts.along())
    drawn = "".join([*(text for chart in others for text in room.take(chart.name, figure(chart))), *fronts])
    return first, f'<div class="plots">{drawn}</div>' if first or drawn else ""


def _panels(book: TrialBook, compared: list, room: SizeBudget) -> str:
    drawn = [
        text for panel in check_section.panels(book, compared) for text in room.take(panel.name, panel_figure(panel))
    ]
    return f'<div class="plots">{"".join(drawn)}</div>' if drawn else ""
