"""What became of each column, as lines of text: name, kind, what it becomes, and the facts that decide."""

from __future__ import annotations

from gpbench.text import counted

from .column_rules import ColumnNote, column_notes
from .csv_columns import Look

WIDTH = 30  # characters of a name
LINES = 40  # a table of more columns is told in groups


def explained(source: str, looked: Look, most: int | None = LINES) -> list[str]:
    """One line for each column; with `most`, plain numbers of a wide table share a line."""
    notes = column_notes(looked.encoding)
    inputs = len(looked.encoding.inputs)
    head = f"{source}: {counted(len(looked.y), 'row')}, {counted(len(notes), 'column')}, {counted(inputs, 'input')}"
    lines = [f"{head}; what becomes of each column:"]
    shown = notes if most is None or len(notes) <= most else _odd_ones(notes, most)
    names = max(len(_cut(n.name)) for n in shown) if shown else 0
    made = max(len(n.becomes) for n in shown) if shown else 0
    for n in shown:
        facts = "; ".join(n.facts)
        lines.append(f"  {_cut(n.name):<{names}}  {n.kind:<8}  {n.becomes:<{made}}  {facts}".rstrip())
    if len(shown) < len(notes):
        rest = [n for n in notes if n not in shown]
        kinds = ", ".join(f"{sum(n.kind == k for n in rest)} of kind {k}" for k in dict.fromkeys(n.kind for n in rest))
        lines.append(f"  and {len(rest)} more columns: {kinds} (--explain lists all)")
    return lines


def _odd_ones(notes: list[ColumnNote], most: int) -> list[ColumnNote]:
    """The target and the columns that are more than plain numbers, first."""
    plain = [n for n in notes if n.kind == "number" and n.becomes == "one input" and len(n.facts) == 1]
    odd = [n for n in notes if n not in plain][: most - 5]
    kept = {n.name for n in odd} | {n.name for n in plain[: most - len(odd)]}
    return [n for n in notes if n.name in kept]


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."
