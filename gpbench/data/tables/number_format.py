"""Numbers as people write them: decimal comma, thousands separators, currency, per cent, one unit for a column.

`detect` finds the one format of a column from its distinct cells; the format is part of a saved model.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

FORMATS = (  # (decimal, thousands), the plain one first
    (".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"),
)  # fmt: skip
NEARLY_ALL = 0.95  # of the present cells have to be numbers; the others are told and taken as missing
TRIMMED = 30  # cells with three digits after a dot, beside whole numbers: thousands, not decimals that end by chance
_SENTINELS = (-99.0, -999.0, -9999.0, -99999.0, -999.25, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
_MARKS = re.compile(
    r"^(?:[<>]=?|[≤≥~≈]|ca\.)\s*(?=[-+\d.,])|(?<=[\d.,])\s*[*†‡]{1,3}$", re.IGNORECASE
)  # bounds, footnotes
MOST_MARKED = 0.5  # of the cells: where more have a mark, the column is of texts such as '<5' and '>5'
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'", "\u2212": "-", "\u2013": "-"})
_SIGN = "$€£¥₹₽₩₺฿₫₴₦₱₪"
_CODES = "usd|eur|gbp|chf|jpy|cny|inr|rub|sek|nok|dkk|pln|czk|huf|cad|aud|nzd|brl|mxn|zar|krw|try|sgd|hkd|rs|kr|fr"
_CELL = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[-+])?\s*(?P<before>(?:[a-z]{{0,3}}[{_SIGN}]|(?:{_CODES})\.?(?=[\s\d-])))?\s*"
    r"(?P<sign2>[-+])?\s*(?P<digits>\d[\d.,']*(?: \d{3}(?!\d)[\d.,']*)*|[.,]\d+)(?P<power>e[-+]?\d+)?"
    r"\s*(?P<unit>[^\W\d_][^\d()]{0,14}(?:[23]|/1\d*\s?[^\W\d_]{1,3})?|[%‰°µμΩ"
    + _SIGN
    + r"][^\d()]{0,8})?\s*(?P<minus>-)?(?P<close>\))?",
    re.IGNORECASE,
)
_SCALES = (  # units of one quantity: the first is what a mixed column is read in
    {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237, "oz": 0.028349523125},
    {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "km": 1e3, "in": 0.0254, "ft": 0.3048, "mi": 1609.344},
    {"s": 1.0, "sec": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0, "hr": 3600.0, "hrs": 3600.0},
    {"l": 1.0, "ml": 1e-3, "cl": 1e-2, "dl": 0.1},
    {"w": 1.0, "kw": 1e3},
    {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "mio": 1e6, "mn": 1e6, "bn": 1e9},
)


@dataclass(frozen=True)
class NumberFormat:
    """How the cells of one column are read as numbers."""

    decimal: str = "."
    thousands: str = ""
    units: tuple[str, ...] = ()  # as written, folded; the first is the common one
    factors: tuple[float, ...] = ()  # each cell times the factor of its unit
    shown: str = ""  # the unit as the table writes it
    gaps: tuple[float, ...] = ()  # numbers that stand for a missing value, such as -999

    @property
    def plain(self) -> bool:
        return (self.decimal, self.thousands, self.units, self.gaps) == (".", "", (), ())

    def value(self, cell: str) -> float:
        """The number, or NaN for a cell that is none in this format."""
        try:
            plain = float(cell) if self.decimal == "." and not self.units and "_" not in cell else None
        except ValueError:
            plain = None
        if plain is not None and not (self.thousands == "." and "." in cell):
            return np.nan if plain in self.gaps else plain
        parts = _parts(cell)
        if parts is None:
            return np.nan
        unit = parts.unit
        if unit and unit not in self.units:
            return np.nan
        number = _number(parts, self.decimal, self.thousands)
        number *= self.factors[self.units.index(unit)] if unit in self.units else 1.0
        return np.nan if number in self.gaps else number


@dataclass(frozen=True)
class _Parts:
    digits: str
    power: str
    negative: bool
    unit: str  # folded
    written: str
    marked: bool  # a sign such as < or * was taken off


def _parts(cell: str) -> _Parts | None:
    plain = cell.translate(_SPACES).strip()
    bare = _MARKS.sub("", plain)
    m = _CELL.fullmatch(bare)
    if m is None or bool(m["open"]) != bool(m["close"]):
        return None
    written = (m["before"] or m["unit"] or "").strip()
    if m["before"] and m["unit"]:
        written = f"{m['before'].strip()} {m['unit'].strip()}"
    negative = bool(m["open"]) or "-" in (m["sign"], m["sign2"], m["minus"])
    return _Parts(m["digits"].strip(" "), m["power"] or "", negative, _folded(written), written, bare != plain)


def _folded(unit: str) -> str:
    return " ".join(unit.replace("²", "2").replace("³", "3").replace("μ", "µ").casefold().split()).strip(".")


_PATTERNS: dict[tuple[str, str], re.Pattern] = {}


def _pattern(decimal: str, thousands: str) -> re.Pattern:
    if (decimal, thousands) not in _PATTERNS:
        d, t = re.escape(decimal), re.escape(thousands)
        lakh = rf"|[1-9]\d?(?:{t}\d\d)+{t}\d{{3}}(?:{d}\d*)?" if thousands == "," else ""
        grouped = rf"[1-9]\d{{0,2}}(?:{t}\d{{3}})+(?:{d}\d*)?{lakh}|" if thousands else ""
        _PATTERNS[decimal, thousands] = re.compile(rf"{grouped}\d+(?:{d}\d*)?|{d}\d+")
    return _PATTERNS[decimal, thousands]


def _number(parts: _Parts, decimal: str, thousands: str) -> float:
    if not _pattern(decimal, thousands).fullmatch(parts.digits):
        return np.nan
    digits = parts.digits.replace(thousands, "") if thousands else parts.digits
    number = float(digits.replace(decimal, ".") + parts.power)
    return -number if parts.negative else number


@dataclass(frozen=True)
class Hints:
    """What the user gave, or other columns of the table show, about the decimal sign."""

    decimal: str | None = None  # given, or shown by cells that can be read in one way only
    thousands: str | None = None
    given: bool = False


@dataclass(frozen=True)
class Found:
    """The format of a column of numbers."""

    format: NumberFormat
    other: NumberFormat | None = None  # a second reading that nothing in the table rules out
    example: str = ""  # a cell that the two readings differ on
    sure: str = ""  # the decimal sign, if cells of this column can be read in one way only


def detect(cells: list[str], counts: np.ndarray, hints: Hints, needed: float = NEARLY_ALL) -> Found | None:
    """The format of distinct `cells`, each occurring `counts` times; None if too few of them are numbers."""
    parsed = [(c, p, k) for c, k in zip(cells, counts) if (p := _parts(c)) is not None]
    total = float(np.sum(counts))
    if not parsed or sum(k for _, _, k in parsed) < needed * total:
        return None
    units = _units(parsed, total, needed)
    if units is None or sum(k for _, p, k in parsed if p.marked) > MOST_MARKED * total:
        return None
    known = dict(units)
    usable = [(c, p, k) for c, p, k in parsed if not p.unit or p.unit in known]
    scores = dict.fromkeys(FORMATS, 0.0)
    for _, p, k in usable:
        for f in FORMATS:
            if _pattern(*f).fullmatch(p.digits):
                scores[f] += k
    allowed = {f: s for f, s in scores.items() if _allowed(f, hints)}
    best = max(allowed.values(), default=0.0)
    if best < needed * total or best == 0.0:
        return None
    equal = [f for f in FORMATS if allowed.get(f) == best]
    written = Counter()
    for _, p, k in usable:
        written[p.written] += k if p.unit else 0
    shown = written.most_common(1)[0][0] if written else ""
    common = {"units": tuple(known), "factors": tuple(known.values()), "shown": shown if any(known) else ""}
    first, second, example = _choose(equal, usable, hints)
    made = NumberFormat(*first, **common)
    other = None if second is None else NumberFormat(*second, **common)
    return Found(made, other, example, _sure(equal, usable))


def _allowed(f: tuple[str, str], hints: Hints) -> bool:
    if not hints.given:
        return True
    return (hints.decimal is None or f[0] == hints.decimal) and (
        hints.thousands is None or f[1] in ("", hints.thousands)
    )


def _units(parsed, total: float, needed: float) -> list[tuple[str, float]] | None:
    """The common unit with factor 1, or units of one quantity with their factors; None where units contradict."""
    counts: Counter = Counter()
    for _, p, k in parsed:
        if p.unit:
            counts[p.unit] += k
    if not counts:
        return []
    bare = total - sum(counts.values())
    ((first, most),) = counts.most_common(1)
    if most + bare >= needed * total:  # misspelt units of a few cells are odd cells
        return (
            [(first, 1.0)]
            if most > bare or not _scale({first, ""})
            else [("", 1.0), (first, _scale({first, ""})[first])]
        )
    words = set(counts) | ({""} if bare else set())
    scale = _scale(words)
    if scale is None and {w.rstrip("s") for w in counts} == {first.rstrip("s")}:
        return [(w, 1.0) for w in counts]
    return None if scale is None else [(w, scale[w] / scale[first]) for w in counts]


def _scale(words: set[str]) -> dict[str, float] | None:
    return next((s for s in _SCALES if words <= s.keys()), None)


def _choose(equal, usable, hints: Hints):
    """(format, a second reading or None, an example on which they differ)."""
    first, signs = equal[0], set("".join(p.digits for _, p, _ in usable))

    def seen(f):
        """The signs of the format that some cell has; two formats with the same ones read every cell alike."""
        return tuple(sign if sign in signs else "" for sign in f)

    differing = [(f, c) for f in equal[1:] if seen(f) != seen(first) and (c := _differ(first, f, usable))]
    if not differing:
        return first, None, ""
    other, example = differing[0]
    group = other[1] or first[1]  # the sign that is a decimal sign in one reading and groups digits in the other
    split, whole = (first, other) if other[1] else (other, first)  # without and with groups
    if hints.decimal is not None or hints.thousands is not None:
        decides = hints.decimal == group if hints.decimal is not None else hints.thousands != group
        return (split if decides else whole), None, ""
    single = [p.digits for _, p, _ in usable if group not in p.digits]
    grouped = len(usable) - len(single)
    if single and all(len(d) <= 3 for d in single) and grouped >= (TRIMMED if group == "." else 1):
        return whole, None, ""
    if group == ".":
        return split, None, ""
    return whole, split, example


def _differ(a, b, usable) -> str:
    for c, p, _ in usable:
        x, y = _number(p, *a), _number(p, *b)
        if np.isfinite(x) and np.isfinite(y) and x != y:
            return c
    return ""


def _sure(equal, usable) -> str:
    """The decimal sign, if the column has a cell with decimals that no grouping explains."""
    signs = {f[0] for f in equal}
    if len(signs) > 1:
        return ""
    (sign,) = signs
    return sign if any(sign in p.digits for _, p, _ in usable) else ""


def is_marked(cell: str | None) -> bool:
    """Whether a sign such as < or * is taken off the number."""
    return cell is not None and _MARKS.search(cell.strip()) is not None


def are_codes(cells: list[str]) -> bool:
    """Digits of one length with leading zeros: a code, not a number."""
    return (
        any(c.startswith("0") and len(c) > 1 for c in cells)
        and all(c.isdigit() for c in cells)
        and len({len(c) for c in cells}) == 1
    )


def sentinels(values: np.ndarray) -> tuple[float, ...]:
    """Numbers such as -999 that occur repeatedly, far from all others."""
    found = []
    present = values[np.isfinite(values)]
    for mark in _SENTINELS:
        count = int((present == mark).sum())
        rest = present[~np.isin(present, [mark, *found])]
        if count < 2 or count > 0.5 * len(present) or len(rest) < 10:
            continue
        low, high = float(rest.min()), float(rest.max())
        far = 2 * (high - low)
        if (mark < 0 and (low - mark > far or low >= 0)) or (mark > 0 and mark - high > far):
            found.append(mark)
    return tuple(found)


def partly(texts: list[str]) -> str:
    """A remark on texts most of which begin as numbers: a text that is none, or the units that contradict."""
    parsed = [_parts(text) for text in texts]
    if sum(p is not None for p in parsed) < 0.5 * len(texts):
        return ""
    odd = next((text for text, p in zip(texts, parsed) if p is None), None)
    units = list(dict.fromkeys(p.written for p in parsed if p is not None and p.unit))
    if odd is not None:
        return f" ('{odd[:40]}' is no number)"
    return f" (several units: {', '.join(units[:3])})" if units else ""
