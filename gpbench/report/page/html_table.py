"""A table of the page: one header that stays, one first column that stays, numbers that name their trials.

Without script it is a whole table; the script adds sorting, filters and the list of trials behind a number.
"""

from __future__ import annotations

import base64
import html
import re

from gpbench.analysis.table import Table, TableCell, to_csv, to_latex

from .trial_data import TrialBook

NUMBER = re.compile(r"[-+−]?\d*\.?\d*(e[-+]?\d+)?( ± .*)?$")
TEXT_COLUMN, LONG = 40, 160  # characters: longer cells hold sentences and may wrap; paragraphs get more room


def sheet(table: Table, book: TrialBook | None = None, downloads: bool = True) -> str:
    """A <figure>: caption, table in a box that scrolls by itself, notes, files to take along."""
    quantities = _quantities(table)
    left = _texts(table)
    heads = "".join(_head(title, q, k) for title, q, k in zip(table.columns, ["", *quantities], [False, *left]))
    body = "".join(_row(table, first, cells, list(zip(quantities, left)), book) for first, cells in table.rows)
    name = html.escape(table.name, quote=True)
    return (
        f'<figure class="table" id="{name}"><figcaption><bdi>{html.escape(table.title)}</bdi></figcaption>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(table.title, quote=True)}">'
        f"<table><thead>{_groups(table)}<tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>\n"
        + "".join(f'<p class="note"><bdi>{html.escape(n)}</bdi></p>' for n in merged(table.notes))
        + (_downloads(table) if downloads else "")
        + "</figure>\n"
    )


def merged(notes: list[str]) -> list[str]:
    """'a: few pairs.' and 'b: few pairs.' become 'a, b: few pairs.': what holds for many is told once."""
    whose: dict[str, list[str]] = {}
    for note in notes:
        name, found, rest = note.partition(": ")
        whose.setdefault(rest if found else note, []).append(name if found else "")
    return [f"{', '.join(names)}: {rest}" if any(names) else rest for rest, names in whose.items()]


def _quantities(table: Table) -> list[str]:
    """What each column after the first measures, where its cells agree on it."""
    columns = zip(*(cells for _, cells in table.rows if cells is not None))
    found = [{c.quantity for c in column if c.text} for column in columns]
    return [next(iter(f)) if len(f) == 1 else "" for f in found] or [""] * (len(table.columns) - 1)


def _texts(table: Table) -> list[bool]:
    """Columns of words or sentences, which stand on the left."""
    columns = zip(*(cells for _, cells in table.rows if cells is not None))
    found = [[c.text for c in column] for column in columns] or [["0"]] * (len(table.columns) - 1)
    return [not any(map(NUMBER.match, filter(None, t))) or max(map(len, t)) > TEXT_COLUMN for t in found]


def _groups(table: Table) -> str:
    if not table.groups:
        return ""
    spans = "".join(f'<th colspan="{w}" scope="colgroup">{html.escape(g)}</th>' for g, w in table.groups)
    return f"<tr><td></td>{spans}</tr>"


def _head(title: str, quantity: str, left: bool) -> str:
    tag = ' class="left"' if left else ""
    tag += f' data-q="{html.escape(quantity, quote=True)}"' if quantity else ""
    return f'<th scope="col"{tag}>{html.escape(title)}</th>'


def _row(
    table: Table, first: str, cells: list[TableCell] | None, looks: list[tuple[str, bool]], book: TrialBook | None
) -> str:
    if cells is None:
        head = f'<th colspan="{len(table.columns)}" scope="rowgroup"><span><bdi>{html.escape(first)}</bdi></span></th>'
        return f'<tr class="section">{head}</tr>'
    places = book.shared(cells) if book is not None else ""
    tds = "".join(
        _cell(c, q, left, None if places and q and c.quantity == q else book) for c, (q, left) in zip(cells, looks)
    )
    tag = f' data-t="{places}"' if places else ""
    if book is None and "data set" in table.columns:  # without trials a row itself says what filters ask for
        tag = f' data-d="{html.escape(cells[table.columns.index("data set") - 1].text, quote=True)}"'
        tag += f' data-m="{html.escape(first, quote=True)}"' if table.columns[0] == "method" else ""
    return f'<tr{tag}><th scope="row">{html.escape(first)}</th>{tds}</tr>\n'


def _cell(cell: TableCell, quantity: str, left: bool, book: TrialBook | None) -> str:
    text = html.escape(cell.text)
    text = f"<b>{text}</b>" if cell.best and text else text
    text = f'<a href="{html.escape(cell.link, quote=True)}">{text}</a>' if cell.link else text
    if cell.worse:
        text += '<sup class="star" title="significantly worse than the best">*</sup>'
    if cell.verdict:
        badge = f'<span class="verdict {cell.verdict.replace(" ", "-")}">{html.escape(cell.verdict)}</span>'
        text = f"{text} {badge}" if text else badge
    tags = ""
    if cell.trials and book is not None and (places := book.ranges(cell.trials)):
        tags = f' data-t="{places}"'
        if cell.quantity != quantity:
            tags += f' data-q="{html.escape(cell.quantity, quote=True)}"'
    if len(cell.text) > TEXT_COLUMN:
        tags += ' class="wide long"' if len(cell.text) > LONG else ' class="wide"'
    elif left:
        tags += ' class="left"'
    return f"<td{tags}>{text}</td>"


def _downloads(table: Table) -> str:
    """Links that hold the file, so that they work from a file and without script."""
    files = (("CSV", "text/csv", to_csv(table)), ("TeX", "text/x-tex", to_latex(table)))
    links = " ".join(_file(f"{table.name}.{ending.lower()}", ending, kind, text) for ending, kind, text in files)
    return f'<p class="files">Download: {links}</p>'


def _file(name: str, title: str, kind: str, text: str) -> str:
    content = base64.b64encode(text.encode("utf-8", "backslashreplace")).decode()
    return (
        f'<a download="{html.escape(name, quote=True)}" href="data:{kind};charset=utf-8;base64,{content}">{title}</a>'
    )
