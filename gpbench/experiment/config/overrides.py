"""`--set key=value`: values from the command line, put into the document before it is checked."""

from __future__ import annotations

from typing import Any

from gpbench.errors import ConfigError

from .yaml_document import Document, Mark, parse


def override(document: Document, text: str) -> None:
    """Put one `--set a.b=value` into the document; its faults name the option instead of a line."""
    origin = f"--set {text}"
    key, equals, value = text.partition("=")
    keys = tuple(int(k) if k.isdigit() else k for k in key.strip().split("."))
    if not equals or "" in keys:
        raise ConfigError(f"{origin}: expected key=value, e.g. trials=3 or split.n_train=200")
    given = parse(value, origin, positioned=False)
    place: Any = document.data
    for i, k in enumerate(keys):
        inside = isinstance(place, list) and isinstance(k, int) and k < len(place)
        if not inside and not (isinstance(place, dict) and isinstance(k, str)):
            raise ConfigError(f"{origin}: '{'.'.join(map(str, keys[:i]))}' has no part '{k}'")
        if i < len(keys) - 1:
            if isinstance(place, dict) and k not in place:
                place[k] = {}
                document.marks[keys[: i + 1]] = Mark(origin, None, None)
            place = place[k]
    place[keys[-1]] = given.data
    below = [m for m in document.marks if m[: len(keys)] == keys]
    for m in below:
        del document.marks[m]
    document.marks |= {(*keys, *m): mark for m, mark in given.marks.items()} or {keys: Mark(origin, None, None)}
    document.refused |= {(*keys, *r) for r in given.refused}
    document.faults += given.faults
