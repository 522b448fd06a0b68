"""Cells of a person's table: bytes to text, the separator, the header, and rows of one width.

Everything that is repaired (a second column of one name, empty lines at the end, a row of another width) is told.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from gpbench.errors import DataError
from gpbench.system import named_pipes

from .csv_words import SHOWN, Say, is_number

SEPARATORS = (",", ";", "\t", "|")
NAMED = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "\\t": "\t"}
SAMPLE = 50  # rows that the separator and the header line are found with
RAGGED = 0.02  # of the rows: fewer of another width are left out, more are an error
BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass
class RawColumn:
    """One column as it stands in the table: texts, or numbers and times that came as such (a data frame)."""

    name: str
    cells: list  # of text; None for a gap of a data frame
    values: object = None  # (n,) doubles of a numeric column of a data frame, NaN for gaps
    days: object = None  # (n,) days since 1970 of a column of times


@dataclass
class RawTable:
    columns: list[RawColumn]
    lines: list[int]  # line of the file on which each row begins; for a data frame the number of the row
    told: list[str] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)  # lines that have another number of fields
    separator: str = ""

    @property
    def n(self) -> int:
        return len(self.lines)

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.columns]

    def column(self, name: str) -> RawColumn:
        return next(c for c in self.columns if c.name == name)


def decoded(path, content: bytes, encoding: str | None, say: Say) -> tuple[str, list[str]]:
    """The text, and what is told about its encoding."""
    found = encoding or next((name for bom, name in BOMS if content.startswith(bom)), "utf-8")
    try:
        text, told = (
            content.decode(found),
            [] if found.startswith("utf-8") or encoding else [f"{path}: is {found} text"],
        )
    except LookupError as e:
        raise DataError(f"{path}: {say('encoding')}: there is no encoding '{encoding}'; try cp1252 or utf-16") from e
    except UnicodeError as e:
        if encoding is not None or found == "utf-16":
            raise DataError(f"{path}: is not {found} text; give its encoding ({say('encoding', 'cp1252')})") from e
        try:
            text, name = content.decode("cp1252"), "Windows-1252"
        except UnicodeDecodeError:
            text, name = content.decode("latin-1"), "Latin-1"
        told = [f"{path}: is not UTF-8 and is read as {name}; {say('encoding', 'NAME')} names another encoding"]
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        hint = f"is it another kind of file, or UTF-16 ({say('encoding', 'utf-16-le')})?"
        raise DataError(f"{path}: line {line} has a NUL byte, which no table has: {hint}")
    return text, told


def separator_of(path, text: str, given: str | None, say: Say) -> str:
    """The separator that gives the first rows one common width of more than one field."""
    if given is not None:
        found = NAMED.get(given.lower(), given)
        if len(found) != 1:
            raise DataError(f"{path}: {say('sep')}: expected one character such as ';' or tab, got '{given}'")
        return found
    best = (0.0, 0, ",")
    for candidate in SEPARATORS:
        rows = _first_rows(text, candidate)
        width, count = Counter(len(r) for r in rows).most_common(1)[0] if rows else (1, 0)
        if width > 1:
            best = max(best, (round(count / len(rows), 1), width, candidate))
    return best[2]


def _first_rows(text: str, separator: str) -> list[list[str]]:
    found: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            if any(cell.strip() for cell in row):
                found.append(row)
            if len(found) == SAMPLE:
                break
    except csv.Error:
        pass
    return found


def read_text(path, text: str, separator: str, say: Say, strict: bool = True, every: int = 1) -> RawTable:
    """The table; `strict` refuses one of which many rows have another width, which are left out otherwise.

    Of the rows, one in `every` is kept, where the time does not suffice for all.
    """
    if text[:4].lower() == "sep=":  # the first line by which Excel is told the separator
        text = "\n" + text.partition("\n")[2]
    rows, lines = _rows(path, text, separator)
    told: list[str] = []
    start = _header_row(rows)
    if start:
        told.append(f"{path}: the first {start} line(s) with text are not part of the table and are skipped")
    header, rows, lines = [cell.strip() for cell in rows[start]], rows[start + 1 :: every], lines[start + 1 :: every]
    if every > 1:
        told.append(f"{path}: one row in {every} is read, {len(rows)} in all, because of the limit of time")
    if not rows:
        raise DataError(f"{path}: needs a line that names the columns and at least one row below it")
    if header and all(is_number(cell) for cell in header):
        raise DataError(f"{path}: its first line is numbers; add a line that names the columns")
    rows, header = _one_width(rows, header)
    odd = {i for i, row in enumerate(rows) if len(row) != len(header)}
    if strict and len(odd) > max(2, RAGGED * len(rows)):
        raise DataError(f"{path}: {_ragged(rows, lines, header, min(odd), len(odd), separator, say)}")
    skipped = [lines[i] for i in sorted(odd)]
    if odd:
        rows, lines = ([v for i, v in enumerate(each) if i not in odd] for each in (rows, lines))
        if not rows:
            raise DataError(f"{path}: no row has the {len(header)} fields of the header")
        told.append(f"{path}: {_lines(skipped)} of another number of fields left out")
    names, renamed = _unique(header)
    told += [f"{path}: {line}" for line in renamed]
    columns = [RawColumn(name, list(cells)) for name, cells in zip(names, zip(*rows))]
    return RawTable(columns, lines, told, skipped, separator)


def _rows(path, text: str, separator: str) -> tuple[list[list[str]], list[int]]:
    """Every row that has a cell with content, and the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows, lines, begin = [], [], 1
    try:
        for cells in reader:
            if any(cells) and any(cell.strip() for cell in cells):
                rows.append(cells)
                lines.append(begin)
            begin = reader.line_num + 1
    except csv.Error as e:
        quote = ": is a quote not closed?" if "limit" in str(e) else ""
        raise DataError(f"{path}: line {begin}: is no row of separated text ({e}){quote}") from e
    if not rows:
        raise DataError(f"{path}: is empty")
    if rows[-1][-1].count("\n") > SAMPLE or _open_quote(text, lines[-1], separator):
        raise DataError(f'{path}: line {lines[-1]}: a quote (") is opened and never closed')
    return rows, lines


def _open_quote(text: str, line: int, separator: str) -> bool:
    """Whether the last row has an open quote."""
    last = text.splitlines(keepends=True)[line - 1 :]
    try:
        list(csv.reader(last, delimiter=separator, strict=True))
    except csv.Error as e:
        return "unexpected end" in str(e)
    return False


def _header_row(rows: list[list[str]]) -> int:
    """Rows of a title before the header: those of one filled field where the table has more."""
    width = Counter(len(r) for r in rows[:SAMPLE]).most_common(1)[0][0]
    for i, row in enumerate(rows[:10]):
        if width == 1 or sum(bool(cell.strip()) for cell in row) > 1:
            return i
    return 0


def _one_width(rows: list[list[str]], header: list[str]) -> tuple[list[list[str]], list[str]]:
    """Empty fields at the end of rows are taken off or added; a last column without name and content goes."""
    width = len(header)
    used = width
    while used > 1 and not header[used - 1] and not any(len(r) >= used and r[used - 1].strip() for r in rows):
        used -= 1
    header = header[:used]
    for i, row in enumerate(rows):
        if len(row) > used and not any(cell.strip() for cell in row[used:]):
            rows[i] = row[:used]
    return rows, header


def _ragged(rows, lines, header, i: int, count: int, separator: str, say: Say) -> str:
    comma = "" if separator != "," else f"; a comma inside a number needs quotes, or another {say('sep')}"
    more = f" ({count} rows have another number)" if count > 1 else ""
    return f"row {i + 1} (line {lines[i]}) has {len(rows[i])} fields, the header {len(header)}{more}{comma}"


def _lines(lines: list[int], most: int = 5) -> str:
    shown = ", ".join(map(str, lines[:most])) + (", ..." if len(lines) > most else "")
    return f"{len(lines)} row(s) (line {shown})"


def _unique(header: list[str]) -> tuple[list[str], list[str]]:
    """Names that occur once, and what is told about those that did not."""
    names, told, seen = [], [], Counter(header)
    count: Counter = Counter()
    for j, name in enumerate(header, start=1):
        count[name] += 1
        new = name
        if not name:
            new = f"column {j}"
            told.append(f"column {j} has no name and is called '{new}'")
        elif count[name] > 1:
            new = f"{name} ({count[name]})"
            while new in seen:
                new += "'"
            told.append(f"{seen[name]} columns are called '{name[:SHOWN]}'; column {j} is called '{new[:SHOWN]}' here")
        names.append(new)
    return names, told


def file_bytes(path, held=None) -> bytes:
    """The content of a table; `held`: its copy on this machine, which is read in its place."""
    try:
        named_pipes.refuse(path)
        return Path(held or path).read_bytes()
    except FileNotFoundError as e:
        raise DataError(f"{path}: no such file") from e
    except OSError as e:
        raise DataError(f"{path}: cannot be read ({e.strerror})") from e
