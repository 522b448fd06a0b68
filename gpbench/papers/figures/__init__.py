"""The papers' own figures, one file each: `<paper>_figure<n>.py` has `panels(results)`, found by its name.

A panel is drawn with the paper's axes, scales, series and order. panels.csv maps every printed row without a number (a
drawn one) to its panel; `Panel.numbers` are the numbers that were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.row_settings import parse_items

from .panel import Panel

__all__ = ["Panel", "modules", "panels"]


def panels(results: ResultsTable) -> Iterator[Panel]:
    """Every panel of the figures that the folder stands for; call inside `style.house_style()`."""
    for module in modules(results):
        yield from module.panels(results)


def modules(results: ResultsTable) -> list[ModuleType]:
    """The files of the figures that the config names under `published:`."""
    names = [
        f"{paper}_{item.lower().replace(' ', '')}" for paper, text in results.published for item in parse_items(text)
    ]
    known = (f"{__name__}.{name}" for name in dict.fromkeys(names) if name.isidentifier())
    return [import_module(name) for name in known if find_spec(name)]
