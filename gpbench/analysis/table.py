"""A table as markdown, LaTeX (booktabs), CSV, HTML or plain text; each format escapes its special characters."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from gpbench.html import notebook
from gpbench.html.table import table as html_table
from gpbench.text import csv_cell, printable


@dataclass(frozen=True)
class TableCell:
    text: str = ""
    best: bool = False
    worse: bool = False
    few: bool = False  # the mark of `worse` rests on few repetitions
    verdict: str = ""
    trials: tuple[str, ...] = ()  # ids behind a number, and the column of results.csv (or key) it is of: for the page
    quantity: str = ""
    link: str = ""

    @property
    def star(self) -> str:
        return ("*few" if self.few else "*") if self.worse else ""


@dataclass(frozen=True)
class Table:
    """`groups` span the columns after the first; a row is (first column, cells) or (title, None) for a new section.

    On pages the columns `below` stand in a second line under their row, and narrow screens leave out the columns
    `minor` and write those of `told_narrow` into that second line.
    """

    name: str
    title: str
    columns: list[str]
    rows: list[tuple[str, list[TableCell] | None]]
    groups: list[tuple[str, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    below: tuple[str, ...] = ()
    minor: tuple[str, ...] = ()
    told_narrow: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """In a notebook."""
        rows = [first if cells is None else [first, *(_shown(c) for c in cells)] for first, cells in self.rows]
        return notebook.table(self.title, self.columns, rows, self.notes)


def _shown(cell: TableCell) -> str:
    return " ".join(filter(None, [cell.text + cell.star, cell.verdict]))


FORMATS = ("md", "tex", "csv", "html")


def render(table: Table, fmt: str, folder: str = "") -> str:
    """`folder`: name of the results, which makes the label of a LaTeX table unique in a document."""
    if fmt == "tex":
        return to_latex(table, folder)
    writers: dict[str, Callable[[Table], str]] = {
        "md": to_markdown, "csv": to_csv, "html": html_table, "txt": to_text
    }  # fmt: skip
    return writers[fmt](table)


# ---- markdown --------------------------------------------------------------------------------------------------


def escape_markdown(text: str) -> str:
    """One line without control characters, in which Markdown and HTML have no meaning."""
    return printable(re.sub(r"([\\`*_\[\]<>|~])", r"\\\1", text.replace("\n", " ")))


def markdown_code(text: str) -> str:
    """Code for a Markdown page; a text that would end it, or a cell of a table, is written as plain text."""
    return escape_markdown(text) if set(text) & set("`|\n\r") or printable(text) != text else f"`{text}`"


def to_markdown(table: Table) -> str:
    def mark(cell: TableCell) -> str:
        text = escape_markdown(cell.text)
        text = f"**{text}**" if cell.best and text else text
        return text + cell.star.replace("*", "\\*") + (f" ({cell.verdict})" if cell.verdict else "")

    head = table.columns
    if table.groups:
        spans = [name for name, width in table.groups for _ in range(width)]
        head = [head[0]] + [f"{g}: {c}" if g else c for g, c in zip(spans, head[1:])]
    lines = [f"### {escape_markdown(table.title)}", ""]
    lines.append("| " + " | ".join(escape_markdown(c) for c in head) + " |")
    lines.append("|" + "---|" * len(head))
    for first, cells in table.rows:
        if cells is None:
            lines.append(f"| **{escape_markdown(first)}** |" + " |" * (len(head) - 1))
        else:
            lines.append("| " + " | ".join([escape_markdown(first), *map(mark, cells)]) + " |")
    lines += ["", *(f"{escape_markdown(n)}  " for n in table.notes)]
    return "\n".join(lines).rstrip() + "\n"


# ---- LaTeX -----------------------------------------------------------------------------------------------------

_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "±": r"$\pm$", "×": r"$\times$", "−": r"$-$", "⁻": r"$^-$", "²": r"$^2$",
}  # fmt: skip


def escape_latex(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in text.replace("\n", " ").replace("x 1e-2", "× 10⁻²")).replace(
        "10$^-$$^2$", "$10^{-2}$"
    )


def minus(text: str) -> str:
    """A hyphen before a number becomes a minus sign; the one of a range or a name (2-3, bank-32) stays."""
    return re.sub(r"(?<![\w.$}-])-(?=[\d.])", r"$-$", text)


def to_latex(table: Table, folder: str = "") -> str:
    def mark(cell: TableCell) -> str:
        text = minus(escape_latex(cell.text))
        text = rf"\textbf{{{text}}}" if cell.best and text else text
        star = r"$^*$" + r"\textsuperscript{few}" * cell.few if cell.worse else ""
        return text + star + (f" ({escape_latex(cell.verdict)})" if cell.verdict else "")

    width = len(table.columns)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{minus(escape_latex(_caption(table)))}}}",
        rf"\label{{tab:{re.sub('[^a-z0-9-]+', '-', f'{folder}-{table.name}'.lower()).strip('-')}}}",
    ]
    lines += [rf"\begin{{tabular}}{{l{'r' * (width - 1)}}}", r"\toprule"]
    if table.groups:
        heads, rules, start = [], [], 2
        for name, span in table.groups:
            heads.append(rf"\multicolumn{{{span}}}{{c}}{{{escape_latex(name)}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + span - 1}}}")
            start += span
        lines += [" & " + " & ".join(heads) + r" \\", "".join(rules)]
    lines += [" & ".join(escape_latex(c) for c in table.columns) + r" \\", r"\midrule"]
    for i, (first, cells) in enumerate(table.rows):
        if cells is None:
            lines += [r"\midrule"] if i else []
            lines.append(rf"\multicolumn{{{width}}}{{l}}{{\textit{{{escape_latex(first)}}}}} \\")
        else:
            lines.append(" & ".join([escape_latex(first), *map(mark, cells)]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _caption(table: Table) -> str:
    return ". ".join([table.title.rstrip("."), *(n.rstrip(".") for n in table.notes)]) + "."


# ---- CSV -------------------------------------------------------------------------------------------------------


def escape_csv(text: str) -> str:
    """One line; a leading = + - or @ would make a spreadsheet run the cell, but numbers keep their sign."""
    return csv_cell(" ".join("".join(c if c.isprintable() else " " for c in text).split()))


def frame_csv(frame, float_format: str = "%.10g") -> str:
    """A pandas table as csv with its texts escaped."""
    safe = frame.rename(columns=lambda name: csv_cell(str(name)))
    safe = safe.map(lambda value: csv_cell(value) if isinstance(value, str) else value)
    return safe.to_csv(index=False, float_format=float_format, lineterminator="\n")


def to_csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    spans = [name for name, width in table.groups for _ in range(width)] or [""] * (len(table.columns) - 1)
    head = [table.columns[0]] + [f"{g}: {c}" if g else c for g, c in zip(spans, table.columns[1:])]
    writer.writerow([escape_csv(c) for c in ["section", *head]])
    section = ""
    for first, cells in table.rows:
        if cells is None:
            section = first
            continue
        texts = [c.text + c.star + (f" ({c.verdict})" if c.verdict else "") for c in cells]
        writer.writerow([escape_csv(c) for c in [section, first, *texts]])
    return out.getvalue()


# ---- terminal --------------------------------------------------------------------------------------------------


def to_text(table: Table, width: int | None = 100) -> str:
    """Columns in line, best marked by <, significantly worse by *; a long first column is cut to fit a width."""

    def mark(cell: TableCell) -> str:
        return cell.text + (cell.star or " <" * cell.best)

    body = [(first, [mark(c) for c in cells] if cells is not None else None) for first, cells in table.rows]
    widths = [len(c) for c in table.columns]
    for first, cells in body:
        for i, text in enumerate([first, *cells] if cells is not None else []):
            widths[i] = max(widths[i], len(text))
    if width is not None:
        widths[0] = max(8, min(widths[0], width - sum(w + 2 for w in widths[1:])))

    def line(texts):
        first, *rest = texts
        return (
            _cut(first, widths[0]).ljust(widths[0]) + "".join(f"  {t:>{w}}" for t, w in zip(rest, widths[1:]))
        ).rstrip()

    lines = [table.title, line(table.columns)]
    for first, cells in body:
        lines.append(f"-- {first}" if cells is None else line([first, *cells]))
    return "\n".join([*lines, *table.notes]) + "\n"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "~"
