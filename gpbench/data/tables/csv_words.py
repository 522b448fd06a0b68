"""Words for faults of a user's table: names of fields, rows and columns, and remedies.

`in_config` words a remedy for a config (`drop: [id]`), `as_option` for a command line (`--drop id`).
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable

import numpy as np

Say = Callable[..., str]  # key of a config's {csv: ...}, values -> how it is given
SHOWN = 40  # characters of a cell in a message
NEARLY_ALL = 0.9
_MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
_FORMS = {  # of numbers written as text; the group in brackets is the same in nearly all fields
    "thousands separated?": re.compile(r"[+-]?[1-9]\d{0,2}(?:[,.' \u00a0\u202f]\d{3})+(?:[.,]\d+)?()"),
    "decimal comma?": re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?()"),
    "a unit?": re.compile(r"[+-]?\d[\d.,]*\s*([%°€$£¥]\w?|[^\W\d_]{1,8}(?:/[^\W\d_]{1,4})?\d?)|([€$£¥])\s*\d[\d.,]*"),
}


def in_config(key: str, *values: str) -> str:
    """`drop: [id, name]`, `missing: drop`; without values only the key."""
    if not values:
        return f"`{key}`"
    if key == "column":
        return f"columns: {{{': '.join(_yaml(part) for part in values[0].rsplit('=', 1))}}}"
    listed = key in ("drop", "inputs")
    return f"{key}: [{', '.join(map(_yaml, values))}]" if listed else f"{key}: {' | '.join(values)}"


def as_option(key: str, *values: str) -> str:
    """`--drop id --drop name`, `--missing drop`; without values only the option."""
    if key in ("drop", "inputs", "column", "decimal", "thousands", "sep", "encoding") and values:
        return " ".join(f"--{key} {shlex.quote(value)}" for value in values)
    return " ".join([f"--{key}", *filter(None, ["|".join(values)])])


def in_python(key: str, *values: str) -> str:
    """Remedies for a data frame, whose columns its owner converts."""
    if key == "column" and values:
        name, _, kind = values[0].rpartition("=")
        return {
            "category": f"X[{name!r}].astype('category')", "number": f"pandas.to_numeric(X[{name!r}])",
            "dmy": f"pandas.to_datetime(X[{name!r}], dayfirst=True)", "mdy": f"pandas.to_datetime(X[{name!r}])",
        }.get(kind, f"another type of X[{name!r}]")  # fmt: skip
    return f"X.drop(columns={list(values)})" if key == "drop" and values else f"`{key}`"


def _yaml(text: str) -> str:
    return text if re.fullmatch(r"[^\W\d]([\w .-]*\w)?", text) else json.dumps(text, ensure_ascii=False)


def called(name: str) -> str:
    return f"column '{name}'" if name else "the column without a name"


class Row(list):
    """Fields of one row, and the line of the file where it begins."""

    line: int


def place(rows: list[Row], i: int) -> str:
    """Row i (the first below the header is row 1), with its line if blank lines precede it."""
    line = getattr(rows[i], "line", i + 2)
    return f"row {i + 1}" if line == i + 2 else f"row {i + 1} (line {line})"


def absent_cell(cell: str) -> bool:
    return cell.lower() in _MISSING


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python's float takes 1_000


def number_form(texts: list[str]) -> str:
    """A question about the number format of these texts; empty if they do not look like numbers."""
    matches = [(name, form.fullmatch(text)) for text in texts for name, form in _FORMS.items()]
    found = Counter((name, m.groups()) for name, m in matches if m)
    (name, _), count = found.most_common(1)[0] if found else (("", ()), 0)
    return name if texts and count >= NEARLY_ALL * len(texts) else ""


def unfit(cell: str, form: str = "") -> str:
    """Why the text of a field is not a usable number."""
    if not is_number(cell):
        return f"'{cell[:SHOWN]}' is text, not a number" + (f" ({form})" if form else "")
    return f"{cell} is {'too large' if np.isfinite(float(cell)) else 'not finite'}"
