"""The kind of each column of a person's table, found from its cells; `ColumnRule` says what is done to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..shards import LARGEST
from . import date_format, number_format
from .column_rules import (
    FEWEST_GAPS,
    GAP_SHARE,
    ColumnRule,
    _cells,
    distinct,
    fold,
    is_gap,
    marked_cells,
    plain_numbers,
)
from .csv_words import SHOWN, Say, called
from .date_format import in_words
from .number_format import Hints, NumberFormat
from .table_text import RawColumn

CHOSEN = ("number", "date", "dmy", "mdy", "ymd", "time", "category", "boolean", "id", "text", "drop")
LEVELS = 50  # a text column with more levels is left out
FEW = 20  # levels that a short table may have, however rarely each occurs
SHOWN_LEVELS = 5
_ID = re.compile(r"(.*[ _.-])?(id|index|no|nr|number|row|key|uuid|guid|unnamed: 0|column 1)", re.IGNORECASE)
_REPEATED_ID = re.compile(r"(.*[ _.-])?id|.*[a-z]I[Dd]", re.IGNORECASE)
_TIME = re.compile(
    r".*(time|date|day|week|month|year|hour|minute|second|step|epoch|period|age|tag|datum|jahr|zeit|distance|depth).*|[txn]",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")
_YES_NO = (
    ("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("off", "on"), ("nein", "ja"), ("non", "oui"),
    ("no", "si"), ("no", "sí"), ("nee", "ja"), ("nej", "ja"), ("absent", "present"), ("not ok", "ok"),
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """What the user says about the whole table and about single columns."""

    missing: str = "auto"  # auto, median, drop, refuse
    levels: int = LEVELS
    chosen: Mapping[str, str] = field(default_factory=dict)  # column -> one of CHOSEN
    given: Hints = field(default_factory=Hints)


@dataclass
class Draft:
    """A column's rule with what the table still has to decide about it."""

    rule: ColumnRule
    sure: str = ""  # the decimal sign, where the column shows it
    question: str = ""  # why the column cannot be read: a sentence with the remedy
    doubt: bool = False  # two readings as numbers; other columns may decide
    codes: np.ndarray | None = None  # (n,) numbers of the levels, to find copies
    names: bool = False  # whole numbers that name things and repeat: levels


def draft(column: RawColumn, options: Options, hints: Hints, say: Say, use: str = "input") -> Draft:
    """The rule of one column."""
    chosen = options.chosen.get(column.name, "")
    rule = ColumnRule(column.name, "text", use)
    if chosen == "drop":
        return Draft(replace(rule, use="left out", facts=("left out by choice",)))
    if column.days is not None:
        return _dates(rule, column, np.asarray(column.days, dtype=float), "", options)
    if chosen in ("", "number") and (column.values is not None or _plainly(column, hints)):
        made = _numbers(rule, column, NumberFormat(), options, chosen, say)
        return _as_levels(made, rule, column, options, say)
    as_text(column)
    cells, codes = distinct(column.cells)
    empty = np.array([is_gap(c) for c in cells], dtype=bool)
    if empty.all():
        return Draft(replace(rule, kind="empty", use="left out", facts=("no cell has a value",)))
    counts = np.bincount(codes, minlength=len(cells))
    cells, counts = [c.strip() for c, e in zip(cells, empty) if not e], counts[~empty]
    if chosen in ("", "number") and (chosen or not number_format.are_codes(cells)):
        needed = 1e-9 if chosen else number_format.NEARLY_ALL
        if (found := number_format.detect(cells, counts, hints, needed)) is not None and not _compact(cells, chosen):
            made = _numbers(rule, column, found.format, options, chosen, say)
            return _as_levels(_with_doubt(made, found, column, say), rule, column, options, say)
        if chosen:
            return Draft(rule, question=_refused(column, "number", "numbers", say))
    if chosen in ("", "date", "time", *date_format.ORDERS):
        order = chosen if chosen in date_format.ORDERS else None
        if (day := date_format.detect(cells, counts, order)) is not None:
            return _found_date(rule, column, day, options, say)
        if chosen:
            return Draft(rule, question=_refused(column, chosen, "dates or times", say))
    return _texts(rule, column, options, chosen, say)


def as_text(column: RawColumn) -> None:
    """Cells of a numeric column of a data frame as a csv has them."""
    if not column.cells:
        column.cells = [None if np.isnan(v) else f"{v:.15g}" for v in np.asarray(column.values, dtype=float)]
    column.values = None


def _as_levels(made: Draft, rule: ColumnRule, column: RawColumn, options: Options, say: Say) -> Draft:
    """The draft, or the same column as levels where its whole numbers name things."""
    if not made.names:
        return made
    as_text(column)
    return _texts(rule, column, options, "", say)


# -- numbers -----------------------------------------------------------------------------------------------------------


def _plainly(column: RawColumn, hints: Hints) -> bool:
    """Reads a column of plain numbers and gaps at once; false for another text, a code, groups by dots."""
    if hints.decimal == "," or hints.thousands == ".":
        return False
    if (values := plain_numbers(column.cells)) is None:
        return False
    sample = [c.strip() for c in column.cells[:1000] if not is_gap(c)]
    if (
        not sample
        or number_format.are_codes(sample)
        or _compact(sample, "")
        or (all(_WHOLE.fullmatch(c) for c in sample if "." in c) and any("." in c for c in sample))
    ):
        return False
    column.values = values
    return True


def _compact(cells: list[str], chosen: str) -> bool:
    """Eight digits that all are dates."""
    if chosen == "number" or not all(len(c) in (8, 14) for c in cells[:50]):
        return False
    found = date_format.detect(cells, np.ones(len(cells)))
    return found is not None and found.format.style == "compact"


def _numbers(rule: ColumnRule, column: RawColumn, how: NumberFormat, options: Options, chosen: str, say: Say) -> Draft:
    rule = replace(rule, kind="number", number=how)
    told = marked_cells(column) if column.values is None else ()
    values, odd = rule.values(column)
    large = np.abs(values) > LARGEST
    if large.any():
        i = int(np.argmax(large))
        return Draft(rule, question=f"{called(rule.name)}, row {i + 1}: {values[i]:g} is too large; correct it")
    if not chosen and (gaps := number_format.sentinels(values)):
        rule = replace(rule, number=replace(how, gaps=gaps))
        values = np.where(np.isin(values, gaps), np.nan, values)
    present = values[np.isfinite(values)]
    if not len(present):
        return Draft(replace(rule, kind="empty", use="left out", facts=("no cell has a value",)))
    facts = [f"{present.min():.6g} to {present.max():.6g}{' ' + how.shown if how.shown else ''}", *_written(how)]
    if rule.number.gaps:
        facts.append(f"{', '.join(f'{g:g}' for g in rule.number.gaps)} stands for a missing value")
    if odd.any():
        facts.append(f"{_cells(column, odd)} cannot be read: missing")
    column.values = values
    rule = replace(rule, low=float(present.min()), high=float(present.max()))
    rule, missing = _gaps(rule, np.isnan(values), options)
    draft = Draft(replace(rule, facts=(*facts, *told, *missing)), sure="." if _has_point(column, how) else "")
    return draft if rule.use != "input" or chosen else _useless(draft, values, present, say)


def _has_point(column: RawColumn, how: NumberFormat) -> bool:
    return how.plain and any(
        isinstance(c, str) and "." in c and not _WHOLE.fullmatch(c.strip()) for c in column.cells[:1000]
    )


def _written(how: NumberFormat) -> list[str]:
    told = []
    if how.decimal == ",":
        told.append("decimal comma")
    if how.thousands:
        told.append(f"thousands separated by '{how.thousands}'")
    if len(how.units) > 1:
        told.append("units " + ", ".join(f"{u or 'none'} x {f:g}" for u, f in zip(how.units, how.factors)))
    elif how.units:
        told.append(f"unit {how.shown} taken off")
    return told


def _useless(draft: Draft, values: np.ndarray, present: np.ndarray, say: Say) -> Draft:
    """Constants and ids are left out."""
    rule = draft.rule
    if present.min() == present.max() and len(present) > 1:
        if rule.gap_input:
            return draft
        draft.rule = replace(rule, kind="constant", use="left out", facts=(f"every cell is {present[0]:g}",))
        return draft
    whole = len(present) > 2 and np.array_equal(present, np.round(present))
    if not whole:
        return draft
    keep = say("column", f"{rule.name}=number")
    if len(present) == len(values) and len(np.unique(present)) == len(present):
        running = float(np.ptp(present)) == len(present) - 1 and not _TIME.fullmatch(rule.name)
        if running or _ID.fullmatch(rule.name):
            facts = (("a running number" if running else "another whole number in every row") + f"; {keep} keeps it",)
            draft.rule = replace(rule, kind="id", use="id", facts=facts)
    elif _REPEATED_ID.fullmatch(rule.name):
        draft.names = True
    return draft


def _with_doubt(made: Draft, found: number_format.Found, column: RawColumn, say: Say) -> Draft:
    made.sure = found.sure
    if found.other is None:
        return made
    made.doubt = True
    a, b = found.format.value(found.example), found.other.value(found.example)
    if made.rule.use == "target":
        row = column.cells.index(found.example) + 1
        two = f"{say('decimal', found.other.decimal)} or {say('thousands', found.format.thousands)}"
        made.question = (
            f"{called(column.name)}, row {row}: '{found.example}' is {a:g} or {b:g}, and no cell tells; give {two}"
        )
    else:
        made.rule = replace(made.rule, facts=(*made.rule.facts, f"'{found.example}' is read as {a:g}, not {b:g}"))
    return made


# -- dates -------------------------------------------------------------------------------------------------------------


def _found_date(rule: ColumnRule, column: RawColumn, day: date_format.FoundDate, options: Options, say: Say) -> Draft:
    if day.other is not None or day.clash is not None:
        return Draft(replace(rule, kind="date"), question=date_format.two_orders(column.name, column.cells, day, say))
    kind = "time" if day.format.style in date_format.OF_A_DAY else "date"
    rule = replace(rule, kind=kind, date=day.format)
    values, odd = rule.values(column)
    draft = _dates(rule, column, values, day.format.shown, options)
    if odd.any():
        draft.rule = replace(draft.rule, facts=(*draft.rule.facts, f"{_cells(column, odd)} cannot be read: missing"))
    return draft


def _dates(rule: ColumnRule, column: RawColumn, values: np.ndarray, order: str, options: Options) -> Draft:
    kind = rule.kind if rule.kind == "time" else "date"
    present = values[np.isfinite(values)]
    if not len(present):
        return Draft(replace(rule, kind="empty", use="left out", facts=("no cell has a value",)))
    low, high = float(present.min()), float(present.max())
    shown = (f"{low:.4g} to {high:.4g} hours",) if kind == "time" else (f"{in_words(low)} to {in_words(high)}",)
    first = 0.0 if kind == "time" else low
    column.days = values
    if kind == "time":
        column.days, column.values = None, None
    rule = replace(rule, kind=kind, first=first, low=low - first, high=high - first)
    if low == high and len(present) > 1:
        return Draft(replace(rule, kind="constant", use="left out", facts=("every cell is the same",)))
    rule, told = _gaps(rule, np.isnan(values), options)
    facts = (*shown, *((order,) if order else ()), *told)
    return Draft(replace(rule, facts=facts))


# -- texts -------------------------------------------------------------------------------------------------------------


def _texts(rule: ColumnRule, column: RawColumn, options: Options, chosen: str, say: Say) -> Draft:
    cells, codes = distinct(column.cells)
    folded: dict[str, int] = {}
    at = np.array([-1 if is_gap(c) else folded.setdefault(fold(c), len(folded)) for c in cells], dtype=int)
    codes = at[codes]
    gaps, present = codes < 0, int((codes >= 0).sum())
    counts = np.bincount(codes[~gaps], minlength=len(folded))
    levels = _labels(cells, at, len(folded))
    if len(levels) == 1 and not chosen:
        return _one_level(rule, levels, gaps, options)
    mixed = len({c.strip() for c, k in zip(cells, at) if k >= 0}) - len(levels)
    what = "1 spelling differs" if mixed == 1 else f"{mixed} spellings differ"
    spelt = (f"{what} in case or spaces only",) if mixed > 0 else ()
    if chosen in ("id", "text"):
        use = "id" if chosen == "id" else "left out"
        return Draft(replace(rule, kind=chosen, use=use, facts=("by choice",)))
    if len(levels) == present > 2 and chosen != "category":
        long = np.mean([len(level) for level in levels]) > SHOWN
        if long and not _ID.fullmatch(rule.name):
            return Draft(_left_out(rule, f"another text in every row, such as '{levels[0][:SHOWN]}'", say))
        facts = (f"another text in every row, such as '{levels[0][:SHOWN]}'",)
        return Draft(replace(rule, kind="id", use="id", facts=facts))
    if chosen not in ("category", "boolean") and len(levels) > min(options.levels, max(FEW, present // 2)):
        what = number_format.partly([c.strip() for c, j in zip(cells, at) if j >= 0])
        return Draft(_left_out(rule, f"{len(levels):,} different texts in {present:,} rows{what}", say))
    order = np.argsort([level.casefold() for level in levels], kind="stable")
    shares = [
        f"{levels[j][:SHOWN]} {counts[j] / present:.0%}" for j in np.argsort(-counts, kind="stable")[:SHOWN_LEVELS]
    ]
    more = f" and {len(levels) - SHOWN_LEVELS} more" if len(levels) > SHOWN_LEVELS else ""
    pair = next((p for p in _YES_NO if {fold(level) for level in levels} == set(p)), None)
    boolean = chosen == "boolean" or (pair is not None and chosen == "")
    if boolean and pair is not None:
        order = sorted(range(2), key=lambda j: fold(levels[j]) == pair[1])
    kind = "boolean" if boolean and len(levels) <= 2 else "category"
    rule = replace(rule, kind=kind, levels=tuple(levels[j] for j in order))
    rule, told = _gaps(rule, gaps, options)
    facts = (f"{len(levels)} levels: {', '.join(shares)}{more}", *spelt, *told)
    return Draft(replace(rule, facts=facts), codes=codes)


def _labels(cells: list[str], at: np.ndarray, count: int) -> list[str]:
    """The first spelling of each level."""
    found = [""] * count
    for cell, j in zip(cells, at):
        if j >= 0 and not found[j]:
            found[j] = " ".join(cell.split())
    return found


def _one_level(rule: ColumnRule, levels: list[str], gaps: np.ndarray, options: Options) -> Draft:
    share = float(gaps.mean())
    if share < GAP_SHARE or rule.use != "input":
        return Draft(replace(rule, kind="constant", use="left out", facts=(f"every cell is '{levels[0][:SHOWN]}'",)))
    facts = (f"'{levels[0][:SHOWN]}' in {1 - share:.0%} of the rows, the others are empty",)
    return Draft(replace(rule, kind="boolean", levels=tuple(levels), facts=facts))


def _left_out(rule: ColumnRule, why: str, say: Say) -> ColumnRule:
    keep = say("column", f"{rule.name}=category")
    return replace(rule, kind="text", use="left out", facts=(f"{why}; {keep} makes an input of each",))


def _gaps(rule: ColumnRule, gaps: np.ndarray, options: Options) -> tuple[ColumnRule, tuple[str, ...]]:
    """How missing cells are encoded, and what is told about them."""
    if not gaps.any():
        return rule, ()
    share = float(gaps.mean())
    shown = f"{share:.1%} missing" if share >= 0.001 else f"{int(gaps.sum())} missing"
    if rule.use != "input" or options.missing in ("drop", "refuse"):
        return rule, (shown,)
    if rule.kind in ("category", "boolean"):
        if options.missing == "median":
            return rule, (f"{shown}: none of the levels",)
        return replace(rule, missing_level=True), (f"{shown}: a level of its own",)
    known = options.missing == "auto" and share >= GAP_SHARE and gaps.sum() >= FEWEST_GAPS
    return replace(rule, gap_input=known), (f"{shown}: median",)


def _refused(column: RawColumn, kind: str, what: str, say: Say) -> str:
    i = next((i for i, c in enumerate(column.cells) if not is_gap(c)), 0)
    cell = str(column.cells[i]).strip()[:SHOWN]
    wanted = f"none of the {what} that {say('column', f'{column.name}={kind}')} expects"
    remedy = f"take another kind, such as {say('column', f'{column.name}=category')}"
    return f"{called(column.name)}, row {i + 1}: '{cell}' is {wanted}; {remedy}"
