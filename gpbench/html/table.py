"""A table of a page: one header that stays, one first column that stays, numbers that name their trials.

Without script it is a whole table; the script adds sorting, filters and the list of trials behind a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from .render import part

NUMBER = re.compile(r"[-+−]?\d*\.?\d*(e[-+]?\d+)?( ± .*)?$")
TEXT_COLUMN, LONG = 40, 150  # characters: longer cells hold sentences and may wrap; longer reasons are folded


def table(t, book: Any = None, files: Sequence[dict] = ()) -> Markup:
    """A <figure> of an analysis.table.Table: caption, table in a box that scrolls by itself, notes, files.

    `book` knows the places of trials (report/page/trial_data.py); without one, numbers open nothing.
    """
    quantities, kinds = _quantities(t), _kinds(t)
    keep = [k for k, title in enumerate(t.columns[1:]) if title not in t.below]
    heads = [{"title": t.columns[0], "attributes": {}}]
    for k in keep:
        attributes = {"class": _classes(t, k, kinds[k]), "data-q": quantities[k] or None}
        heads.append({"title": t.columns[k + 1], "attributes": attributes})
    rows = [_row(t, first, cells, quantities, kinds, keep, book) for first, cells in t.rows]
    return part("table", t, heads, rows, merged(t.notes), list(files))


def merged(notes: list[str]) -> list[str]:
    """'a: few pairs.' and 'b: few pairs.' become 'a, b: few pairs.': a remark about several is written once."""
    whose: dict[str, list[str]] = {}
    for note in notes:
        name, found, rest = note.partition(": ")
        whose.setdefault(rest if found else note, []).append(name if found else "")
    return [f"{', '.join(names)}: {rest}" if any(names) else rest for rest, names in whose.items()]


def _columns(t) -> list[list]:
    return [list(c) for c in zip(*(cells for _, cells in t.rows if cells is not None))] or [[] for _ in t.columns[1:]]


def _quantities(t) -> list[str]:
    """What each column after the first measures, where its cells agree on it."""
    found = [{c.quantity for c in column if c.text} for column in _columns(t)]
    return [next(iter(f)) if len(f) == 1 else "" for f in found]


def _kinds(t) -> list[str]:
    """`left` for columns of words or sentences, `marked` for columns with the mark `few`, which needs room."""
    found = []
    for column in _columns(t):
        texts = [c.text for c in column] or ["0"]
        words = not any(map(NUMBER.match, filter(None, texts))) or max(map(len, texts)) > TEXT_COLUMN
        found.append("left" if words else "marked" if any(getattr(c, "few", False) for c in column) else "")
    return found


def _classes(t, k: int, kind: str, text: str = "") -> str | None:
    """`minor` columns are hidden on a narrow screen; a long text of a column of words is `wide`."""
    kinds = ["wide" if len(text) > TEXT_COLUMN and kind == "left" else kind]
    return " ".join(filter(None, [*kinds, "minor" * (t.columns[k + 1] in t.minor)])) or None


def _row(t, first: str, cells, quantities: list[str], kinds: list[str], keep: list[int], book) -> dict:
    if cells is None:
        return {"first": first, "cells": None}
    texts = dict(zip(t.columns, [first, *(c.text for c in cells)]))
    places = book.shared(cells) if book is not None else ""
    shown = []
    for k in keep:
        c, own = cells[k], book.ranges(cells[k].trials) if book is not None and cells[k].trials else ""
        if places and quantities[k] and c.quantity == quantities[k]:
            own = ""  # the row has them
        other = c.quantity if own and c.quantity != quantities[k] else None
        shown.append((c, {"class": _classes(t, k, kinds[k], c.text), "data-t": own or None, "data-q": other}))
    attributes = {"data-t": places or None}
    if book is None:  # without trials a row itself says what filters ask for
        attributes |= {"data-d": texts.get("data set"), "data-m": texts.get("method")}
    below = "; ".join(filter(None, (texts.get(name, "") for name in t.below)))
    narrow = ", ".join(filter(None, (texts.get(name, "") for name in t.told_narrow)))
    return {
        "first": first, "cells": shown, "attributes": attributes,
        "below": below, "long": len(below) > LONG, "narrow": narrow,
    }  # fmt: skip
