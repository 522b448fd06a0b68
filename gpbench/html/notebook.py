"""A table for a notebook: it brings its few lines of style, which hold inside it alone."""

from __future__ import annotations

from collections.abc import Sequence

from .render import part


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str] | str], notes: Sequence[str] = ()) -> str:
    """HTML of rows of texts, the first of each its name; a row that is one text begins a section."""
    return str(
        part("notebook_table", title, list(heads), [[r] if isinstance(r, str) else list(r) for r in rows], notes)
    )
