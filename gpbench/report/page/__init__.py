"""report.html: one page per results folder, which answers first and can be questioned."""

from __future__ import annotations

from pathlib import Path

from gpbench.analysis.results_table import ResultsTable
from gpbench.html import render
from gpbench.html.svg_chart import figure
from gpbench.metrics import titles
from gpbench.papers.paper_tables import paper_tables

from . import check_section, embedded_figures, run_facts, summary
from .charts import class_charts
from .charts.folder_charts import Charts
from .charts.printed_chart import panel_figure
from .html_table import sheet
from .next_steps import next_steps
from .notes import told_once
from .results_table import results_table
from .size_budget import LIMIT, SizeBudget
from .trial_data import TrialBook

__all__ = ["page"]


def page(results: ResultsTable, files: list[Path] | None = None) -> str:
    """The whole page as text, with all that it shows inside it. `files`: svg figures drawn before."""
    book = TrialBook.of(results)
    compared, claims = check_section.seen(book), check_section.claims(book)
    failures, best = run_facts.failures(book), summary.summary(book)
    tables = [t for t in (*paper_tables(results), results_table(book), *class_charts.confusions(book)) if t.rows]
    values = {
        "lead": str(results.config.get("description") or ""),
        "metrics": titles(),
        "best": best,
        "ranking": sheet(best.ranking, downloads=False) if best.ranking else "",
        "compared": check_section.compared(compared) if compared else None,
        "steps": next_steps(book, compared),
        "facts": run_facts.facts(book),
        "tables": [sheet(t, book) for t in tables],
        "cells": sheet(check_section.cells_table(compared), book) if compared else "",
        "claims_bar": claims.bar,
        "claims": sheet(claims.decided) if claims.decided else "",
        "open_claims": sheet(claims.open, downloads=False) if claims.open else "",
        "number_open": len(claims.open.rows) if claims.open else 0,
        "no_claims": claims.problem,
        "failures": sheet(failures, book) if failures.rows else "",
        "notes": told_once(results),
        "environments": run_facts.environments(results),
        "number_of_environments": len(results.environments),
        "again": run_facts.again(results),
        "data": book.to_json(),
    }
    nothing = {"of_papers": [], "panels": [], "charts": [], "files": [], "left_out": ""}
    budget = SizeBudget(LIMIT - len(render.page("report.html", results.name, **values, **nothing).encode()))
    return render.page("report.html", results.name, **values, **_figures(book, compared, files or [], budget))


def _figures(book: TrialBook, compared: list, files: list[Path], budget: SizeBudget) -> dict:
    """The paper's own figures first, then charts with their points, then files of plots/; within the size budget."""
    charts = Charts(book)
    of_papers = embedded_figures.of_papers(book.results, budget)
    more = charts.sizes(), charts.training_rows(), class_charts.reliability(book), charts.along()
    fronts, *others = charts.fronts(), *more
    panels = [t for p in check_section.panels(book, compared) for t in budget.take(p.name, panel_figure(p))]
    drawn = [t for found in (fronts, *others) for c in found for t in budget.take(c.name, figure(c))]
    images = embedded_figures.of_files(book.results, files, budget)
    return {"of_papers": of_papers, "panels": panels, "charts": drawn, "files": images, "left_out": budget.note()}
