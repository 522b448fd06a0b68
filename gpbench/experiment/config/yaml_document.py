"""YAML read strictly and with positions.

The values of YAML 1.2 only: `true`/`false` (yes, no, on, off stay text), decimal numbers without leading zeros, no .nan
or .inf. Tags, anchors and aliases are refused altogether, so nothing can be constructed and nothing can expand.
Built from PyYAML's events: no recursion, so depth is bounded by a counter and not by the stack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gpbench.errors import ConfigError
from gpbench.system import named_pipes

MAX_BYTES, MAX_DEPTH, MAX_LISTED = 1_000_000, 50, 50

Keys = tuple  # where a value stands: ("methods", 1, "cache")

_NUMBER = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?", re.ASCII)
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+(\.\d*)?([eE][-+]?\d+)?|[-+]?0[xXoObB][0-9a-fA-F_]+", re.ASCII)
_NOT_FINITE = re.compile(r"[-+]?\.(inf|nan)", re.IGNORECASE)
_CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass(frozen=True)
class Fault:
    origin: str  # a file, or the --set option as typed
    line: int | None
    col: int | None
    message: str

    def __str__(self):
        place = f"{self.origin}:{self.line}:{self.col}" if self.line else self.origin
        visible = "".join(c if c.isprintable() else repr(c)[1:-1] for c in self.message)  # one fault, one line
        return f"{place}: {visible}"


@dataclass(frozen=True)
class Mark:
    """Where a key and its value stand, 1-based; an item of a list has the same position for both."""

    origin: str
    key: tuple[int, int] | None
    value: tuple[int, int] | None


@dataclass
class Document:
    data: Any
    marks: dict[Keys, Mark]
    faults: list[Fault] = field(default_factory=list)
    refused: set[Keys] = field(default_factory=set)  # values already complained about; they stand for something neutral


class _Fatal(Exception):
    """A fault after which the rest of the text cannot be read."""


def fail(faults: list[Fault]) -> None:
    """Raise one ConfigError that lists every fault in the order of the text."""
    if not faults:
        return
    unique = sorted(set(faults), key=lambda p: (p.line is None, p.line or 0, p.col or 0, p.message))
    lines = [str(p) for p in unique[:MAX_LISTED]]
    if len(unique) > MAX_LISTED:
        lines.append(f"{unique[0].origin}: and {len(unique) - MAX_LISTED} more problems")
    raise ConfigError.of_lines(lines)


class _Builder:
    """Plain data from parser events, one frame per open collection."""

    def __init__(self, origin: str, positioned: bool):
        self.origin, self.positioned = origin, positioned
        self.document = Document(None, {})
        self.frames: list[dict] = []
        self.documents = 0

    def fault(self, mark, message: str, keys: Keys | None = None) -> None:
        line, col = (mark.line + 1, mark.column + 1) if self.positioned else (None, None)
        self.document.faults.append(Fault(self.origin, line, col, message))
        if keys is not None:
            self.document.refused.add(keys)

    def event(self, event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.fault(event.start_mark, "a second document starts here; a config is one document")
                raise _Fatal
        elif isinstance(event, yaml.CollectionEndEvent):
            self.frames.pop()
        elif isinstance(event, yaml.NodeEvent):
            self.node(event)

    def node(self, event) -> None:
        frame = self.frames[-1] if self.frames else None
        if frame and frame["mapping"] and frame["key"] is None:
            self.key(frame, event)
            return
        keys, key_mark = self.place(frame, event)
        if keys is not None:
            position = (event.start_mark.line + 1, event.start_mark.column + 1)
            key = (key_mark.line + 1, key_mark.column + 1)
            self.document.marks[keys] = Mark(self.origin, *((key, position) if self.positioned else (None, None)))
        value = self.value(event, keys)
        if frame is None:
            self.document.data = value
        elif not frame["mapping"]:
            frame["data"].append(value)
        elif keys is not None:
            frame["data"][keys[-1]] = value
        if frame and frame["mapping"]:
            frame["key"] = None

    def place(self, frame, event) -> tuple[Keys | None, Any]:
        """The keys that lead to this node (None below a refused key) and the mark of its own key."""
        if frame is None:
            return (), event.start_mark
        if frame["mapping"]:
            return (None if frame["key"] is _SKIP else frame["key"]), frame["key_mark"]
        keys = None if frame["keys"] is None else (*frame["keys"], len(frame["data"]))
        return keys, event.start_mark

    def key(self, frame, event) -> None:
        frame["key_mark"] = event.start_mark
        if not isinstance(event, yaml.ScalarEvent):
            self.fault(event.start_mark, "a key must be plain text")
            raise _Fatal
        name, parent = event.value, frame["keys"]
        keys = None if parent is None else (*parent, name)
        self.refuse_node(event, None)
        if not event.style and not isinstance(self.plain(name, event.start_mark, None), str):
            self.fault(event.start_mark, f"the key '{name}' must be text, not a number, null, true or false")
            keys = None
        elif name in frame["seen"]:
            self.fault(event.start_mark, f"duplicate key '{name}' (first on line {frame['seen'][name]})")
            keys = None
        frame["seen"].setdefault(name, event.start_mark.line + 1)
        frame["key"] = keys if keys is not None else _SKIP

    def value(self, event, keys) -> Any:
        self.refuse_node(event, keys)
        if isinstance(event, yaml.ScalarEvent):
            if any("\ud800" <= c <= "\udfff" for c in event.value):
                self.fault(event.start_mark, "half of a surrogate pair is not a character", keys)
                return ""
            return event.value if event.style else self.plain(event.value, event.start_mark, keys)
        if isinstance(event, yaml.AliasEvent):
            return None
        if len(self.frames) >= MAX_DEPTH:
            self.fault(event.start_mark, f"nested more than {MAX_DEPTH} deep")
            raise _Fatal
        mapping = isinstance(event, yaml.MappingStartEvent)
        data: Any = {} if mapping else []
        self.frames.append({"mapping": mapping, "data": data, "keys": keys, "key": None, "seen": {}})
        return data

    def refuse_node(self, event, keys) -> None:
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            self.fault(event.start_mark, "anchors and aliases (&, *) are refused; write the value out", keys)
        elif event.tag is not None:
            self.fault(event.start_mark, f"the YAML tag '{event.tag}' is refused; write a plain value", keys)

    def plain(self, text: str, mark, keys) -> Any:
        """Value of an unquoted scalar."""
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _LEADING_ZERO.fullmatch(text):
            message = (
                f"'{text}' is ambiguous: write a decimal number without leading zeros, or quote it to make it text"
            )
            self.fault(mark, message, keys)
            return 1
        if _NOT_FINITE.fullmatch(text):
            self.fault(mark, f"'{text}' is not a finite number", keys)
            return 1.0
        if not _NUMBER.fullmatch(text):
            return text
        whole = text.lstrip("+-").isdigit()
        value = float(text)
        if abs(value) >= (2.0**63 if whole else float("inf")):
            self.fault(mark, f"the number {text[:30]} is too large", keys)
            return 1
        return int(text) if whole else value


_SKIP: Any = ("<refused>",)  # stands for "a key was read, but nothing may be stored under it"


def parse(text: str, origin: str, positioned: bool = True) -> Document:
    """Plain data with the position of every value. Problems are collected; only those that end the reading raise."""
    builder = _Builder(origin, positioned)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.event(event)
    except _Fatal:
        fail(builder.document.faults)
    except yaml.reader.ReaderError as e:
        before = text[: e.position]
        line, col = before.count("\n") + 1, e.position - before.rfind("\n")
        place = (line, col) if positioned else (None, None)
        fail([*builder.document.faults, Fault(origin, *place, f"the character {e.character!r} is not allowed")])
    except yaml.MarkedYAMLError as e:
        builder.fault(e.problem_mark or e.context_mark, _explain(e))
        fail(builder.document.faults)
    except (ValueError, OverflowError):  # PyYAML passes on impossible \U escapes and directives unchecked
        place = (1, 1) if positioned else (None, None)
        fail([*builder.document.faults, Fault(origin, *place, "an escape or directive that cannot be read")])
    return builder.document


def _explain(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "cannot be read"
    if "block end" in problem or "mapping values are not allowed" in problem:
        return f"bad indentation or a missing quote, comma or colon before this place ({problem})"
    return f"not valid YAML: {problem}" + (f" {error.context}" if error.context else "")


def read(path: str | Path) -> Document:
    """The document of a file; a file that cannot be one is a ConfigError."""
    origin = str(path)
    text = _text(path, origin)
    tabs = []
    for number, line in enumerate(text.split("\n"), start=1):
        indent = line[: len(line) - len(line.lstrip())]
        if "\t" in indent and line.strip() and not line.lstrip().startswith("#"):
            tabs.append(Fault(origin, number, indent.index("\t") + 1, "a tab in the indentation; use spaces"))
    fail(tabs)
    document = parse(text, origin)
    if document.data is None and not document.faults:
        fail([Fault(origin, 1, 1, "the file is empty; see docs/reference/config.md for what a config holds")])
    if not isinstance(document.data, dict):
        mark = document.marks.get((), Mark(origin, (1, 1), (1, 1)))
        fail([*document.faults, Fault(origin, *mark.value, "a config is a mapping of `key: value` lines")])
    return document


def _text(path, origin: str) -> str:
    try:
        named_pipes.refuse(path)
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except IsADirectoryError:
        raise ConfigError(f"{origin}: is a directory; give the config file itself") from None
    except FileNotFoundError:
        raise ConfigError(f"{origin}: no such file") from None
    except (OSError, ValueError) as e:
        raise ConfigError(f"{origin}: cannot be read ({getattr(e, 'strerror', None) or e})") from None
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"{origin}:1:1: larger than {MAX_BYTES} bytes; that is not a config")
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as e:
        before = raw[: e.start]
        line, col = before.count(b"\n") + 1, e.start - before.rfind(b"\n")
        raise ConfigError(f"{origin}:{line}:{col}: the byte 0x{raw[e.start]:02x} is not UTF-8 text") from None


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
