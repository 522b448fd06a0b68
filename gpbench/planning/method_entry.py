"""Methods as a config lists them: a name, or a mapping with parameters of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpbench import catalog

from .reader import Reader, check_name
from .yaml_strict import Keys


@dataclass(frozen=True)
class MethodEntry:
    method: str
    label: str
    settings: dict  # kernel and hyperparameters of this method alone
    params: dict
    keys: Keys

    @property
    def cls(self) -> type:
        return catalog.find("method", self.method)


def method_name(reader: Reader, data: Any, keys: Keys) -> tuple[dict, type | None]:
    """A method entry as a mapping, and the method's class."""
    name_keys = keys if isinstance(data, str) else (*keys, "method")
    data = {"method": data} if isinstance(data, str) else reader.mapping(data, keys, "method")
    if data is None:
        return {}, None
    if "external" in data and "method" not in data:  # {external: gpboost} is a method of its own to the reader
        data = {"method": "external", **data}
    if "method" not in data:
        reader.problem(keys, "methods: 'method' is missing")
        return data, None
    if not check_name(reader, data["method"], name_keys, "method"):
        return data, None
    return data, reader.attempt(name_keys, catalog.find, "method", data["method"])


def usual_label(data: dict, name: str) -> str:
    """The method's name; of another library's model its own."""
    return " ".join(str(data[k]) for k in ("external", "approx") if data.get(k)) or name
