"""Dates and times as people write them: one order of day, month and year for a whole column, never guessed.

A date becomes days since 1970-01-01 (the column's rule subtracts its first date), a time of day hours since midnight.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

import numpy as np

from .csv_words import Say, called

ORDERS = ("dmy", "mdy", "ymd")
WORDS = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}
NEARLY_ALL = 0.95
MISTYPED, CLEAR = 0.01, 0.2  # share of cells that contradict an order, and that only this order reads
EPOCH = datetime.date(1970, 1, 1).toordinal()
CENTURY = 69  # two-digit years from 69 on are of the last century, as POSIX has it
_MONTHS = (  # first letters in English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish
    ("jan", "ene", "gen"), ("feb", "fév", "fev"), ("mar", "mär", "mrz", "maa", "mrt"), ("apr", "avr", "abr"),
    ("may", "mai", "maj", "mei", "mag"), ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aoû", "aou", "ago"),
    ("sep", "set"), ("oct", "okt", "out", "ott"), ("nov",), ("dec", "dez", "déc", "dic"),
)  # fmt: skip
_MONTH = {word: i for i, words in enumerate(_MONTHS, start=1) for word in words}
OF_A_DAY = ("time", "duration")  # styles of hours, not of days
_TIME = (
    r"(?P<h>\d{1,2}):(?P<min>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<frac>\d+))?)?\s*(?P<half>[ap]\.?m\.?)?"
    r"\s*(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})?"
)
_AFTER = rf"(?:(?:\s*,\s*|\s+|t){_TIME})?"
_YEAR = r"(?P<y>\d{4}|\d{2})"
_DAY = r"(?:[^\W\d_]{2,9}\.?,?\s+)?"
_PARTS = {  # style -> pattern; `split` is three numbers whose order is to be found
    "ymd": re.compile(rf"(?P<y>\d{{4}})([-/. ])(?P<m>\d{{1,2}})\2(?P<d>\d{{1,2}})\.?{_AFTER}", re.IGNORECASE),
    "split": re.compile(
        rf"{_DAY}(?P<a>\d{{1,2}})([-/. ])(?P<b>\d{{1,2}})\2{_YEAR}{_AFTER}", re.IGNORECASE
    ),
    "named": re.compile(
        rf"{_DAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[-. /]*(?P<name>[^\W\d_]{{3,10}})[-., /]+{_YEAR}{_AFTER}",
        re.IGNORECASE,
    ),
    "month named": re.compile(
        rf"{_DAY}(?P<name>[^\W\d_]{{3,10}})[-. /]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}}){_AFTER}",
        re.IGNORECASE,
    ),
    "month": re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})"),
    "month year": re.compile(r"(?P<name>[^\W\d_]{3,10})[-. ]+(?P<y>\d{4})"),
    "compact": re.compile(
        r"(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})(?:[t ]?(?P<h>\d{2})(?P<min>\d{2})(?P<s>\d{2})?)?",
        re.IGNORECASE,
    ),
    "quarter": re.compile(r"(?P<y>\d{4})[- /]?q(?P<quarter>[1-4])", re.IGNORECASE),
    "time": re.compile(_TIME, re.IGNORECASE),
    "duration": re.compile(
        r"(?=\d)(?:(?P<days>\d+)\s*d(?:ays?)?\b[\s,]*)?(?:(?P<h>\d+)\s*(?:h|hrs?|hours?|std)\.?[\s,]*)?"
        r"(?:(?P<min>\d+)\s*(?:m|min|mins|minutes?|')\.?[\s,]*)?(?:(?P<s>\d+)(?:\.(?P<frac>\d+))?\s*(?:s|secs?|seconds?)\.?)?",
        re.IGNORECASE,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class DateFormat:
    """How the cells of one column are read as dates or times."""

    style: str  # a key of the patterns
    order: str = ""  # of `split`: dmy, mdy, or ymd with two digits for the year

    @property
    def shown(self) -> str:
        if self.style == "split":
            return WORDS[self.order]
        if self.style in ("named", "month named", "month year"):
            return "month named"
        return {"ymd": "year first", "compact": "yearmonthday", "time": "hours and minutes"}.get(self.style, self.style)

    def value(self, cell: str) -> float:
        """Days since 1970-01-01, hours of a time; NaN if the cell is none in this format."""
        m = _PARTS[self.style].fullmatch(cell.strip())
        return np.nan if m is None else _value(self.style, self.order, m.groupdict())


def _value(style: str, order: str, g: dict) -> float:
    hours = 0.0 if style == "duration" else _hours(g)
    if style in OF_A_DAY:
        return hours if style == "time" else _duration(g)
    try:
        y, m, d = _ymd(style, order, g)
        day = datetime.date(y, m, d).toordinal() - EPOCH
    except ValueError:
        return np.nan
    return float(day) if hours == 0.0 else day + hours / 24.0


def _ymd(style: str, order: str, g: dict) -> tuple[int, int, int]:
    if style == "split":
        a, b, c = g["a"], g["b"], g["y"]
        y, m, d = {"dmy": (c, b, a), "mdy": (c, a, b), "ymd": (a, b, c)}[order]
        if order == "ymd" and len(c) > 2:
            raise ValueError(c)
        return _year(y), int(m), int(d)
    if style == "quarter":
        return int(g["y"]), 3 * int(g["quarter"]) - 2, 1
    month = _month(g["name"]) if g.get("name") else int(g["m"])
    return _year(g["y"]), month, int(g.get("d") or 1)


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) > 2 else year + (1900 if year >= CENTURY else 2000)


def _month(name: str) -> int:
    name = name.casefold()
    found = _MONTH.get(name[:4]) or _MONTH.get(name[:3])
    if found is None:
        raise ValueError(name)
    return found


def _duration(g: dict) -> float:
    days, hours, minutes, seconds = (float(g[key] or 0) for key in ("days", "h", "min", "s"))
    return 24 * days + hours + minutes / 60 + (seconds + float(f"0.{g['frac'] or 0}")) / 3600


def _hours(g: dict) -> float:
    if not g.get("h"):
        return 0.0
    hour, minute, second = int(g["h"]), int(g["min"]), int(g["s"] or 0) + float(f"0.{g.get('frac') or 0}")
    half = (g.get("half") or "").casefold()[:1]
    if minute > 59 or second >= 61 or (half and not 1 <= hour <= 12):
        return np.nan
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    zone = (g.get("zone") or "").replace(":", "")
    shift = 0.0
    if zone[:1] in ("+", "-"):
        shift = (int(zone[1:3]) + int(zone[3:5]) / 60) * (1 if zone[0] == "+" else -1)
    return hour + minute / 60 + second / 3600 - shift


@dataclass(frozen=True)
class FoundDate:
    """The format of a column of dates; `other` is a second order that no row rules out."""

    format: DateFormat
    other: DateFormat | None = None
    example: str = ""
    clash: tuple[str, str] | None = None  # a cell that is day first only, and one that is month first only


def detect(cells: list[str], counts: np.ndarray, order: str | None = None) -> FoundDate | None:
    """The format of distinct `cells`, each occurring `counts` times; None if too few of them are dates."""
    counts, total = np.asarray(counts, dtype=float), float(np.sum(counts))
    sample = cells[:20]
    for style, pattern in _PARTS.items():
        if sum(pattern.fullmatch(c.strip()) is not None for c in sample) < 0.5 * len(sample):
            continue
        matches = [pattern.fullmatch(c.strip()) for c in cells]
        if style == "split":
            if (found := _order(cells, matches, counts, order)) is not None:
                return found
            continue
        values = np.array([np.nan if m is None else _value(style, "", m.groupdict()) for m in matches])
        if style == "compact" and (len(cells) < 3 or not np.isfinite(values).all()):
            continue  # eight digits are dates only if each of them is one
        if counts[np.isfinite(values)].sum() >= NEARLY_ALL * total:
            return FoundDate(DateFormat(style))
    return None


def _order(cells, matches, counts, given: str | None) -> FoundDate | None:
    read = {}
    for order in ORDERS:
        values = np.array([np.nan if m is None else _value("split", order, m.groupdict()) for m in matches])
        read[order] = values
    fits = {order: float(counts[np.isfinite(v)].sum()) for order, v in read.items()}
    total = float(counts.sum())
    if given is not None:
        return FoundDate(DateFormat("split", given)) if fits[given] > 0 else None
    one = np.isfinite(read["dmy"]) | np.isfinite(read["mdy"])  # cells that are a date in one order at least
    whole = float(counts[one].sum())
    if whole < NEARLY_ALL * total:
        return FoundDate(DateFormat("split", "ymd")) if fits["ymd"] >= NEARLY_ALL * total else None
    possible = [
        order
        for order, other in (("dmy", "mdy"), ("mdy", "dmy"))
        if fits[order] == whole or (whole - fits[order] <= MISTYPED * whole and whole - fits[other] >= CLEAR * whole)
    ]
    if len(possible) == 1:
        return FoundDate(DateFormat("split", possible[0]))
    if not possible:
        if fits["ymd"] == total:
            return FoundDate(DateFormat("split", "ymd"))
        day = next(c for c, a, b in zip(cells, read["dmy"], read["mdy"]) if np.isfinite(a) and not np.isfinite(b))
        month = next(c for c, a, b in zip(cells, read["dmy"], read["mdy"]) if np.isfinite(b) and not np.isfinite(a))
        return FoundDate(DateFormat("split", "dmy"), clash=(day, month))
    differ = np.flatnonzero(read["dmy"] != read["mdy"])
    differ = [i for i in differ if np.isfinite(read["dmy"][i])]
    if not differ:
        return FoundDate(DateFormat("split", "dmy"))
    return FoundDate(DateFormat("split", "dmy"), DateFormat("split", "mdy"), cells[differ[0]])


def in_words(days: float) -> str:
    """2021-03-04, with the time where it is not midnight."""
    whole = int(np.floor(days + 1e-9))
    text = datetime.date.fromordinal(whole + EPOCH).isoformat() if 1 <= whole + EPOCH <= 3652059 else f"day {whole}"
    minutes = round((days - whole) * 1440)
    return text if minutes <= 0 else f"{text} {minutes // 60:02d}:{minutes % 60:02d}"


def two_orders(name: str, cells: list, day: FoundDate, say: Say) -> str:
    """Why a column is refused: both readings of a cell, or a row of each order."""
    remedy = f"give {say('column', f'{name}=dmy')} or {say('column', f'{name}=mdy')}"
    rows = {str(c).strip(): i + 1 for i, c in reversed(list(enumerate(cells)))}
    if day.clash is not None:
        first, second = day.clash
        both = f"'{first}' (row {rows[first]}) has the day first, '{second}' (row {rows[second]}) the month"
        return f"{called(name)}: {both}; {remedy}: the other rows are then missing"
    a, b = (in_words(f.value(day.example))[:10] for f in (day.format, day.other))
    where = f"{called(name)}, row {rows[day.example]}"
    return f"{where}: '{day.example}' is {a} (day first) or {b} (month first), and no row tells; {remedy}"
