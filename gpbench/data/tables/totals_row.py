"""Rows at the end of a table that sum up the others: they are no cases, and are left out and told."""

from __future__ import annotations

from .column_rules import fold
from .table_text import RawColumn, RawTable

MOST = 3  # rows at the end, such as a total, a mean and a number of rows
FEWEST_ROWS = 5
_WORDS = {
    "total", "totals", "grand total", "sub total", "subtotal", "sum", "sums", "overall", "average", "mean", "avg",
    "median", "summe", "gesamt", "gesamtsumme", "insgesamt", "mittelwert", "durchschnitt", "somme", "moyenne",
    "total général", "suma", "promedio", "media", "totale", "totali", "totaal", "gemiddelde", "summa", "σ", "∑",
}  # fmt: skip


def without_totals(source, table: RawTable) -> RawTable:
    """The table without such rows; a word that also names rows above is a level, not a total."""
    last = range(table.n - 1, max(FEWEST_ROWS, table.n - MOST) - 1, -1)
    found: list[int] = []
    for i in last:
        if not any(_is_total(column, i) for column in table.columns):
            break
        found.append(i)
    if not found:
        return table
    n = table.n - len(found)
    word = next(c.cells[n].strip() for c in table.columns if _is_total(c, n))
    lines = ", ".join(str(i + 1) for i in reversed(found))
    what = f"row {lines}, '{word}', sums up the others and is" if len(found) == 1 else (
        f"rows {lines}, from '{word}' on, sum up the others and are"
    )  # fmt: skip
    columns = [
        RawColumn(c.name, c.cells[:n], *(None if v is None else v[:n] for v in (c.values, c.days)))
        for c in table.columns
    ]
    told = [*table.told, f"{source}: {what} left out"]
    return RawTable(columns, table.lines[:n], told, [*table.skipped, *table.lines[n:]], table.separator)


def _is_total(column: RawColumn, i: int) -> bool:
    if not column.cells or not _sums_up(column.cells[i]):
        return False
    word = _plain(column.cells[i])
    return not any(_plain(cell) == word for cell in column.cells[: max(FEWEST_ROWS, len(column.cells) - MOST)])


def _sums_up(cell: str | None) -> bool:
    return cell is not None and _plain(cell) in _WORDS


def _plain(cell: str | None) -> str:
    return "" if cell is None else fold(cell).strip(" :.")
