"""Read the methods of a config: a name, or a mapping with parameters."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gpbench import catalog
from gpbench.methods.base import LEARNING_KEYS
from gpbench.text import is_python_file

from .document_checker import Reader, check_name
from .sections import Hyperparameters
from .yaml_document import Keys


@dataclass(frozen=True)
class MethodEntry:
    method: str
    label: str
    settings: dict  # kernel and hyperparameters of this method alone
    params: dict
    keys: Keys

    @cached_property
    def cls(self) -> type:
        return catalog.find("method", self.method)


def recommended(tasks: set[str], learned: bool) -> list[dict]:
    """Methods of a config that lists none (docs/how-to/choosing.md); `learned`: the config sets hyperparameters."""
    from gpbench.methods.auto import usual_learning

    task = "classification" if "classification" in tasks else "regression"
    return [{"method": "auto"} | ({} if learned else {"hyperparameters": usual_learning(task)})]


def method_name(reader: Reader, data: Any, keys: Keys) -> tuple[dict, type | None]:
    """A method entry as a mapping, and the method's class."""
    name_keys = keys if isinstance(data, str) else (*keys, "method")
    data = {"method": data} if isinstance(data, str) else reader.mapping(data, keys, "method")
    if data is None:
        return {}, None
    if "external" in data and "method" not in data:  # {external: gpboost} needs no `method`
        data = {"method": "external", **data}
    if "method" not in data:
        reader.fault(keys, "methods: 'method' is missing")
        return data, None
    if not check_name(reader, data["method"], name_keys, "method"):
        return data, None
    return data, reader.attempt(name_keys, catalog.find, "method", data["method"])


def with_adapter_found(params: dict, folder: Path) -> dict:
    """Find a user's adapter file relative to the config's folder, else to the working directory, as for a csv file."""
    if is_python_file(params.get("external")) and (beside := folder / params["external"]).is_file():
        return params | {"external": os.path.normpath(beside)}
    return params


def usual_label(data: dict, name: str) -> str:
    """The method's name, or the name of another library's model."""
    return " ".join(str(data[k]) for k in ("external", "approx") if data.get(k)) or name


def refuse_idle(reader: Reader, cls: type, data: dict, params: dict, keys: Keys) -> None:
    """Report settings of an entry that its method does not use."""
    name = usual_label(data, cls.name)
    for key in sorted(k for k in cls.idle(params) & params.keys() if params[k] is not None):
        reader.fault((*keys, key), f"'{key}': {name} takes no notice of it", on="key")
    if cls.learns_itself and "hyperparameters" in data:
        reader.fault((*keys, "hyperparameters"), f"'hyperparameters': {name} learns its own; leave them out", on="key")


def refuse_idle_keys(reader: Reader, learned: dict, methods: Collection[type], keys: Keys) -> None:
    """Report keys of a schedule that none of its methods uses."""
    written = {k for k in Hyperparameters.model_fields if (*keys, k) in reader.document.marks}
    resolved = {"optimiser", "restarts", "prior"} <= written  # config.resolved.yaml writes every default
    usual = Hyperparameters(schedule=learned["schedule"]).plain() if resolved and learned else {}
    for key in written & set(LEARNING_KEYS) & learned.keys():
        started = "from" in learned and key in ("optimiser", "restarts")  # the full-GP fit before it uses them
        heeded = any(m.heeds is None or key in m.heeds.get(learned["schedule"], LEARNING_KEYS) for m in methods)
        if not started and not heeded and learned[key] != usual.get(key):
            who = " and ".join(dict.fromkeys(m.name for m in methods))
            verb = "takes" if len(methods) == 1 else "take"
            message = f"'{key}': {who} {verb} no notice of it with `schedule: {learned['schedule']}`"
            reader.fault((*keys, key), message, on="key")
