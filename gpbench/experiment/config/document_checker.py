"""Check parts of a document; collect every fault with its position instead of stopping at the first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError

from gpbench.errors import ConfigError, DataError
from gpbench.text import is_name, nearest

from .yaml_document import Document, Fault, Keys, Mark, fail

_EXPECTED = {  # pydantic's error types in the words of a config
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "bool_type": "expected true or false",
    "string_type": "expected text",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
    "model_attributes_type": "expected a mapping",
    "none_required": "expected null",
}


def shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else text[:37] + "..."


def wording(error: dict) -> str:
    """One pydantic error as a phrase, without the value."""
    if error["type"] in _EXPECTED:
        return _EXPECTED[error["type"]]
    if error["type"] == "literal_error":
        return f"expected {error['ctx']['expected']}"
    message = error["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    return message[0].lower() + message[1:]


class Reader:
    def __init__(self, document: Document):
        self.document = document
        self.faults: list[Fault] = list(document.faults)
        self.of_data: list[Fault] = []  # faults of files that the document names
        self.files: dict[int, tuple[dict, Any]] = {}  # by `id`: entries of the user's files, and what was read
        self._above_refused = {r[:i] for r in document.refused for i in range(len(r) + 1)}

    def fault(self, keys: Keys, message: str, on: str = "value", of_data: bool = False) -> None:
        """Record a fault at a key or value, unless the YAML reader has reported one there."""
        if any(keys[:i] in self.document.refused for i in range(len(keys) + 1)):
            return
        known = keys
        while known not in self.document.marks and known:
            known, on = known[:-1], "value"
        mark = self.document.marks.get(known) or Mark("config", None, None)
        line, col = getattr(mark, on) or (None, None)
        (self.of_data if of_data else self.faults).append(Fault(mark.origin, line, col, message))

    def unknown_key(self, keys: Keys, valid: Iterable[str], what: str = "", sure: bool = True) -> None:
        """Report an unknown key. `sure=False`: `valid` may be incomplete, so report only a likely misspelling."""
        hint = nearest(str(keys[-1]), sorted(valid)) if valid else ""
        if sure or "did you mean" in hint:
            self.fault(keys, f"unknown key '{keys[-1]}'{what and f' ({what})'}{hint}", on="key")

    def attempt(self, keys: Keys, call: Callable, *args) -> Any:
        """The call's result, or None and a fault if it raises a ConfigError (an unknown name, say)."""
        try:
            return call(*args)
        except ConfigError as e:
            self.fault(keys, str(e))
            return None

    def validate(self, kind: Any, data: Any, keys: Keys) -> Any:
        """`data` as a pydantic model or annotated type, or None and faults.

        Validated as JSON, so that a list may stand for a tuple while text still cannot stand for a number.
        """
        try:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                return kind.model_validate_json(json.dumps(data), strict=True)
            return TypeAdapter(kind).validate_json(json.dumps(data), strict=True)
        except ValidationError as e:
            self.pydantic(e, lambda loc: (*keys, *loc), getattr(kind, "model_fields", {}))
            return None

    def pydantic(self, error: ValidationError, where: Callable[[tuple], Keys], fields: dict, partial=False) -> None:
        """Report every error of a validation.

        `where` maps pydantic's location to the document, for data that comes from several places; `partial` data may
        lack required keys.
        """
        found = [(self.located(where(e["loc"]), e["type"]), e) for e in error.errors(include_url=False)]
        # the intended branch of a union fails deepest inside the value
        above = {k[:i] for k, _ in found for i in range(len(k))}
        found = [(k, e) for k, e in found if k not in above]
        phrases: dict[Keys, list[str]] = {}
        for keys, e in found:
            if e["type"] == "extra_forbidden":
                self.unknown_key(keys, _keys_at(fields, e["loc"][:-1]))
            elif e["type"] != "missing":
                phrases.setdefault(keys, []).append(wording(e))
            elif not partial:
                self.fault(keys[:-1], f"'{keys[-1]}' is missing")
        values = {keys: e["input"] for keys, e in found}
        for keys, wordings in phrases.items():
            said, value = " or ".join(dict.fromkeys(wordings)), values[keys]
            got = "" if f"'{value}'" in said and "did you mean" in said else f", got {shown(value)}"
            self.fault(keys, f"'{_name(keys)}': {said}{got}")

    def located(self, keys: Keys, kind: str) -> Keys:
        """Pydantic's location without the branches of unions, which are not part of the document."""
        known: Keys = ()
        for k in keys:
            known = (*known, k) if (*known, k) in self.document.marks else known
        return (*known, keys[-1]) if kind == "missing" else known

    def refused_in(self, keys: Keys) -> bool:
        return keys in self._above_refused

    def mapping(self, data: Any, keys: Keys, what: str) -> dict | None:
        if isinstance(data, dict):
            return data
        self.fault(keys, f"{what}: expected a mapping, got {shown(data)}")
        return None

    def finish(self) -> None:
        """Raise one error that lists every fault: a DataError if only the data are wrong, else a ConfigError."""
        try:
            fail([*self.faults, *self.of_data])
        except ConfigError as e:
            raise e if self.faults else DataError.of_lines(str(e).split("\n")) from None


def label_of(reader: Reader, data: dict, keys: Keys, default: str) -> str:
    label = data.get("label", default)
    if not isinstance(label, str) or not label.strip() or len(label) > 60 or not label.isprintable():
        reader.fault((*keys, "label"), f"'label': expected up to 60 printable characters, got {shown(label)}")
        return default
    return label


def _keys_at(fields: dict, place: tuple) -> set[str]:
    """Valid keys of the mapping at pydantic's location, as far as its classes are known."""
    for step in place:
        if step in fields:  # else an item's number, or a branch of a union
            fields = {name: f for model in _models(fields[step].annotation) for name, f in model.model_fields.items()}
    return {f.alias or name for name, f in fields.items()}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if parts := get_args(annotation):
        yield from (model for part in parts for model in _models(part))
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation


def _name(keys: Keys) -> str:
    """The last key of a location, with an item's number in a list: d_max[2]."""
    index = f"[{keys[-1]}]" if keys and isinstance(keys[-1], int) else ""
    text = next((k for k in reversed(keys) if isinstance(k, str)), "config")
    return text + index


def check_name(reader: Reader, name: Any, keys: Keys, what: str) -> bool:
    ok = is_name(name)
    if not ok:
        reader.fault(keys, f"{what} {shown(name)}: a name is made of a-z 0-9 _ . - and does not begin with . or -")
    return ok
