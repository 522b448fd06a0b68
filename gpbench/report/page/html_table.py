"""A table of a report: with the trials behind its numbers and links to its files."""

from __future__ import annotations

from markupsafe import Markup

from gpbench.analysis.table import Table, to_csv, to_latex
from gpbench.html.table import table

from .trial_data import TrialBook


def sheet(t: Table, book: TrialBook | None = None, downloads: bool = True) -> Markup:
    """The links hold the files, so that they work from a file and without script."""
    files = [
        {"name": f"{t.name}.csv", "title": "CSV", "kind": "text/csv", "text": to_csv(t)},
        {"name": f"{t.name}.tex", "title": "TeX", "kind": "text/x-tex", "text": to_latex(t)},
    ]
    return table(t, book, files if downloads else ())
