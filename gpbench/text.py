"""Text that comes from outside (an exception, a file name, a cell) on its way to a terminal, a file or a table."""

from __future__ import annotations

import re
from collections.abc import Iterable

# control characters, halves of surrogate pairs, and the marks that turn the direction of writing
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


NAME = r"^[a-z0-9_][a-z0-9_.-]{0,99}$"  # never starts with a dot, so it cannot leave the results folder
SIMILAR = 0.65  # share of letters in common from which on a word may be a misspelling of another


def is_name(name) -> bool:
    """Whether a text can name a config, a method, a kernel or a data set."""
    return isinstance(name, str) and bool(re.match(NAME, name)) and not name.endswith("\n")


def is_python_file(name) -> bool:
    """Whether an adapter is the user's own file rather than the name of a library."""
    return isinstance(name, str) and name.endswith(".py")


def similar(word: str, valid: Iterable[str], most: int = 1) -> list[str]:
    """Words that may have been meant; none between words that have little in common."""
    import difflib

    known = {w.lower(): w for w in sorted(set(valid), reverse=True)}
    return [known[w] for w in difflib.get_close_matches(word.lower(), list(known), n=most, cutoff=SIMILAR)]


def nearest(word: str, valid: Iterable[str], otherwise: str = "valid:") -> str:
    """'; did you mean ...?', or the list of what is valid."""
    valid = list(dict.fromkeys(valid))
    if near := similar(word, valid):
        return f"; did you mean '{near[0]}'?"
    return f"; {otherwise} {', '.join(valid)}"


def suggestion(word: str, valid: Iterable[str], otherwise: str, most: int = 3) -> str:
    """'; did you mean this or that?', or `otherwise` if nothing is similar."""
    near = similar(word, valid, most)
    return f"; did you mean {' or '.join(near)}?" if near else otherwise


def duration(seconds: float) -> str:
    """A time for people: 12 s, 3 min, 2 h 05 min."""
    if seconds < 60:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    hours, rest = divmod(round(seconds / 60), 60)
    return f"{hours} h {rest:02d} min"


_TIME = re.compile(r"\s*(\d+(?:\.\d*)?)\s*(s|m|min|h|)\s*")
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "": 1}


def seconds(text: str) -> float | None:
    """Seconds of a time such as 90s, 10m or 1h; None if the text is not a time."""
    found = _TIME.fullmatch(text)
    return float(found[1]) * _UNITS[found[2]] if found and float(found[1]) > 0 else None


def counted(number: int, what: str) -> str:
    """1 row, 2 rows."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def printable(text: str, keep: str = "") -> str:
    """The text with everything that a terminal would obey, or UTF-8 cannot hold, written out: \\x1b, \\udc80."""
    return _UNSAFE.sub(lambda m: m[0] if m[0] in keep else m[0].encode("unicode_escape").decode(), text)


def one_line(error: BaseException, most: int = 300) -> str:
    """An exception's message on one line of printable text; also when its own `__str__` is broken."""
    try:
        message = str(error)
    except Exception as e:
        message = f"(no message: {type(e).__name__})"
    return printable(" ".join(message.split()))[:most]


_RISKY = re.compile(r"'*[=+\-@\t\r]")  # with the quotes before it, so that undoing takes off exactly one
_VALUE = r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?"
_NUMBER = re.compile(
    rf"{_VALUE}( ± {_VALUE})?(\*(few)?)?( \([\w ]+\))?|[-+]?(inf|nan)", re.IGNORECASE
)  # -0.3 ± 0.1* (close)


def csv_cell(text: str) -> str:
    """A leading = + - or @ would make a spreadsheet run the cell; numbers keep their sign. `plain_cell` undoes it."""
    return "'" + text if _RISKY.match(text) and not _NUMBER.fullmatch(text) else text


def plain_cell(text: str) -> str:
    return text[1:] if text[:1] == "'" and text == csv_cell(text[1:]) else text
