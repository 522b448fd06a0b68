"""What was done to each column of a person's table. The rules are part of a saved model and read new tables alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gpbench.errors import DataError
from gpbench.text import counted

from .csv_words import SHOWN, called
from .date_format import DateFormat, in_words
from .number_format import NumberFormat, is_marked
from .table_text import RawColumn, RawTable

KINDS = ("number", "date", "time", "category", "boolean", "text", "id", "constant", "empty", "copy")
GAPS = {  # spellings of a missing cell, in lower case
    "", "na", "n/a", "n.a.", "n.a", "nan", "null", "none", "nil", "nat", "<na>", "#n/a", "#na", "?", "-", "--", "---",
    ".", "..", "...", "*", "missing", "unknown", "not available", "not known", "n.d.", "k.a.", "(blank)", "(null)",
    "\\n", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "\u2013", "\u2014",
}  # fmt: skip
GAP_SHARE, FEWEST_GAPS = 0.01, 5  # from this share and number on, a 0/1 input tells which rows have a gap
HOURS = 24.0  # of a day: a larger time is a duration
EXAMPLES = 3  # odd cells that are shown


@dataclass(frozen=True)
class ColumnRule:
    """One column: its kind, its use, and what `predict` needs to read it again."""

    name: str
    kind: str  # one of KINDS
    use: str  # input, left out, id, target, weight, noise
    number: NumberFormat | None = None
    date: DateFormat | None = None
    levels: tuple[str, ...] = ()  # as shown; compared without regard to case and spaces
    missing_level: bool = False  # a level for missing cells
    fill: float | None = None  # of a missing number: the median of the training rows
    gap_input: bool = False  # a 0/1 input for missing cells
    first: float = 0.0  # first date: the input counts the days since then
    low: float | None = None  # smallest and largest number of the fit
    high: float | None = None
    facts: tuple[str, ...] = ()  # what decided, as sentences
    warning: str = ""

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs that the column becomes."""
        if self.use != "input":
            return []
        if self.kind == "category":
            return [f"{self.name}={level}" for level in self.levels] + self._missing()
        if self.kind == "boolean":
            return [f"{self.name}={self.levels[-1]}", *self._missing()]
        return [self.name] + ([f"{self.name} is missing"] if self.gap_input else [])

    def _missing(self) -> list[str]:
        return [f"{self.name}=missing"] if self.missing_level else []

    @property
    def becomes(self) -> str:
        """What the column is made into, in words."""
        if self.use != "input":
            return {"id": "left out; copied to predictions"}.get(self.use, self.use)
        count = len(self.inputs)
        if self.kind == "category":
            return f"{count} 0/1 input{'s' if count > 1 else ''}, one for each level"
        what = {
            "boolean": f"0/1 input, 1 = {self.levels[-1] if self.levels else ''}",
            "time": "hours" if self._lasts else "hours since midnight",
        }.get(self.kind, f"days since {in_words(self.first)[:10]}" if self.kind == "date" else "one input")
        return what + (", and a 0/1 input for gaps" if self.gap_input or self._missing() else "")

    @property
    def _lasts(self) -> bool:
        """Whether a time is a duration, no time of a day."""
        return (self.date is not None and self.date.style == "duration") or (self.high or 0.0) > HOURS

    # -- reading new cells --------------------------------------------------------------------------------------------

    def encode(self, column: RawColumn) -> tuple[np.ndarray, list[str], np.ndarray]:
        """(n, inputs) with NaN for numbers without a fill, what was new, and which rows could not be read."""
        if self.kind in ("category", "boolean"):
            return self._encode_levels(column)
        values, odd = self.values(column)
        gaps = np.isnan(values)
        told = self._new_numbers(values, gaps, odd, column)
        filled = np.where(gaps, np.nan if self.fill is None else self.fill, values)
        block = np.column_stack([filled, gaps.astype(float)]) if self.gap_input else filled[:, None]
        return block, told, odd

    def values(self, column: RawColumn) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the cells (NaN for gaps), and which cells are neither a gap nor a number."""
        if self.kind == "date" and column.days is not None:
            return np.asarray(column.days, dtype=float) - self.first, np.zeros(len(column.cells), dtype=bool)
        if column.values is not None and self.kind == "number":
            values = np.array(column.values, dtype=float)
            if self.number is not None and self.number.gaps:
                values[np.isin(values, self.number.gaps)] = np.nan
            return values, np.zeros(len(values), dtype=bool)
        if self.kind == "number" and self.number.plain and (values := plain_numbers(column.cells)) is not None:
            return values, np.zeros(len(values), dtype=bool)
        read = self.number.value if self.kind == "number" else self.date.value
        values, codes = distinct(column.cells)
        empty = np.array([is_gap(c) for c in values], dtype=bool)
        found = np.array([np.nan if gap else read(c) for c, gap in zip(values, empty)], dtype=float)
        sentinel = self.number.gaps if self.number is not None else ()
        odd = np.isnan(found) & ~empty
        if sentinel and odd.any():
            plain = NumberFormat(self.number.decimal, self.number.thousands, self.number.units, self.number.factors)
            odd &= ~np.array([plain.value(c) in sentinel for c in values], dtype=bool)
        found = found - self.first if self.kind == "date" else found
        return found[codes], odd[codes]

    def _new_numbers(self, values, gaps, odd, column: RawColumn) -> list[str]:
        told, name = [], called(self.name)
        if odd.any():
            told.append(f"{name}: {_count(odd, 'cell')} cannot be read, taken as missing: {_cells(column, odd)}")
        if (empty := gaps & ~odd).any() and self.fill is not None:
            told.append(f"{name}: {_count(empty, 'cell')} missing; the median of the fit is used")
        if self.low is not None and (beyond := (values < self.low) | (values > self.high)).any():
            ends = [in_words(v + self.first) if self.kind == "date" else f"{v:.6g}" for v in (self.low, self.high)]
            told.append(f"{name}: {_count(beyond, 'row')} outside the range of the fit, {ends[0]} to {ends[1]}")
        return told

    def _encode_levels(self, column: RawColumn) -> tuple[np.ndarray, list[str], np.ndarray]:
        cells, codes = distinct(column.cells)
        place = {fold(level): j for j, level in enumerate(self.levels)}
        at = np.array([-2 if is_gap(c) else place.get(fold(c), -1) for c in cells], dtype=int)[codes]
        if self.kind == "boolean":
            block = (at == len(self.levels) - 1).astype(float)[:, None]
        else:
            block = (at[:, None] == np.arange(len(self.levels))).astype(float)
        if self.missing_level:
            block = np.column_stack([block, (at == -2).astype(float)])
        told, name = [], called(self.name)
        if (new := at == -1).any():
            told.append(
                f"{name}: {_count(new, 'row')} of no level of the fit, taken as none of them: {_cells(column, new)}"
            )
        if (gaps := at == -2).any() and not self.missing_level and len(self.levels) > 1:
            told.append(f"{name}: {_count(gaps, 'cell')} missing; taken as none of the levels")
        return block, told, np.zeros(len(at), dtype=bool)


@dataclass(frozen=True)
class Reading:
    """The rules of a whole table, in the order of its columns."""

    columns: tuple[ColumnRule, ...]
    missing: str = "auto"  # auto, median, drop or refuse: what is done about missing cells
    encoding: str = ""  # of the file, where the user gave it
    sep: str = ""  # between the fields, where the user gave it
    separator: str = ""  # as found in the training file

    def rule(self, name: str) -> ColumnRule:
        return next(c for c in self.columns if c.name == name)

    @property
    def used(self) -> list[ColumnRule]:
        return [c for c in self.columns if c.use == "input"]

    @property
    def inputs(self) -> list[str]:
        return [name for c in self.used for name in c.inputs]

    @property
    def ids(self) -> list[str]:
        """Columns that are copied to the predictions."""
        return [c.name for c in self.columns if c.use == "id"]

    @property
    def numbers(self) -> np.ndarray:
        """(inputs,) True for inputs that are numbers or dates, false for 0/1 inputs of levels and gaps."""
        found = []
        for c in self.used:
            found += [c.kind not in ("category", "boolean") and k == 0 for k in range(len(c.inputs))]
        return np.array(found, dtype=bool)

    def encode(self, source, table: RawTable) -> tuple[np.ndarray, list[str], np.ndarray]:
        """(n, inputs) with NaN where no median is known, what was new, and the rows with cells that cannot be read."""
        have = set(table.names)
        if absent := [c.name for c in self.used if c.name not in have]:
            names = ", ".join(repr(name) for name in absent[:5]) + (", ..." if len(absent) > 5 else "")
            raise DataError(f"{source}: has no column {names}, which the model was fitted to")
        at = {c.name: c for c in table.columns}
        blocks, told = [], []
        odd = np.zeros(table.n, dtype=bool)
        for rule in self.used:
            block, new, unread = rule.encode(at[rule.name])
            blocks.append(block)
            told += [f"{source}: {line}" for line in new]
            odd |= unread
        return np.hstack(blocks) if blocks else np.empty((table.n, 0)), told, odd

    def filled(self, medians: np.ndarray) -> Reading:
        """The same with the medians of the training rows for missing numbers, unless their rows are left out."""
        if self.missing in ("drop", "refuse"):
            return self
        at = dict(zip(self.inputs, medians))
        columns = tuple(
            replace(c, fill=float(at[c.name])) if c.use == "input" and c.name in at and np.isfinite(at[c.name]) else c
            for c in self.columns
        )
        return replace(self, columns=columns)


@dataclass(frozen=True)
class ColumnNote:
    """One line of what was done to the columns, for a page or a terminal."""

    name: str
    kind: str
    becomes: str
    facts: tuple[str, ...] = field(default=())
    warning: str = ""


def column_notes(reading: Reading) -> list[ColumnNote]:
    """What was done to each column, in the order of the table; the target is among them."""
    return [ColumnNote(c.name, c.kind, c.becomes, c.facts, c.warning) for c in reading.columns]


# -- cells -------------------------------------------------------------------------------------------------------------


def is_gap(cell: str | None) -> bool:
    return cell is None or cell.strip().lower() in GAPS


def _plain_number(cell: str) -> float:
    """The number, NaN for a gap; ValueError for another text, and for what only Python reads as a number."""
    try:
        if "_" not in cell:
            return float(cell)
    except (ValueError, TypeError):
        pass
    if is_gap(cell):
        return np.nan
    raise ValueError(cell)


def plain_numbers(cells: list) -> np.ndarray | None:
    """Cells that are plain numbers and gaps; None where one is another text."""
    try:
        found = np.array([_plain_number(c) for c in cells], dtype=float)
    except ValueError:
        return None
    return None if np.isinf(found).any() else found


def fold(cell: str) -> str:
    """What two spellings of a level have in common: neither case nor spaces count, and 1.0 is 1."""
    text = " ".join(str(cell).split()).casefold()
    return text[:-2] if text.endswith(".0") and text[:-2].lstrip("-").isdigit() else text


def distinct(cells: list) -> tuple[list[str], np.ndarray]:
    """Distinct cells in the order of their first row, and for each row the number of its cell."""
    places: dict = {}
    codes = np.fromiter((places.setdefault(c, len(places)) for c in cells), dtype=np.int64, count=len(cells))
    return [("" if c is None else c) for c in places], codes


def _count(rows: np.ndarray, what: str) -> str:
    return counted(int(rows.sum()), what)


def marked_cells(column: RawColumn) -> tuple[str, ...]:
    """What is told about numbers with a sign such as < or *."""
    cells, codes = distinct(column.cells)
    rows = np.array([not is_gap(c) and is_marked(c) for c in cells], dtype=bool)[codes]
    return (f"{_cells(column, rows)} read without the sign",) if rows.any() else ()


def _cells(column: RawColumn, rows: np.ndarray, most: int = EXAMPLES) -> str:
    """'much' (row 3), 'x' (row 9) and 4 more."""
    shown, seen = [], set()
    for i in np.flatnonzero(rows):
        cell = str(column.cells[i]).strip()
        if cell not in seen and len(shown) < most:
            seen.add(cell)
            shown.append(f"'{cell[:SHOWN]}' (row {i + 1})")
    rest = int(rows.sum()) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")
