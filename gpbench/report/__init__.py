"""Everything drawn from a results folder: tables, tests, plots, the page, the check. Nothing here computes a model.

The names below are loaded when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

import os
from importlib import import_module

os.environ.pop(
    "MPLBACKEND", None
)  # nothing here opens a window, and a name that matplotlib does not know is fatal to it

_WHERE = {
    "render_all": "actions",
    "render_tables": "actions",
    "render_stats": "actions",
    "render_plots": "actions",
    "render_report": "actions",
    "console_table": "actions",
    "check": "checking",
    "needed": "verdicts.needed",
    "for_check": "verdicts.needed",
    "reproduction": "reproduction",
    "compare": "comparing",
    "condensed": "condense",
    "damaged": "condense",
    "build_site": "actions",
}
__all__ = sorted(_WHERE)


def __getattr__(name: str):
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_WHERE[name]}", __name__), name)
