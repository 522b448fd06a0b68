"""The parts of a config whose keys depend on names: data sets, methods, kernels. Each is brought to one plain form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import Any

import numpy as np

from gpbench import catalog
from gpbench.kernels.base import NO_SUPPORT, Kernel
from gpbench.kernels.build import COMBINED, build_kernel, names_in, options_of

from .reader import Reader, shown
from .sections import NAME, SPLITS, Hyperparameters, Scale
from .yaml_strict import Keys

CSV_KEYS = ("csv", "target", "task")


@dataclass(frozen=True)
class DatasetEntry:
    alternatives: tuple[dict, ...]  # {"name": ..., options} or {"csv": path, "target": ...}; the first at hand is used
    task: str
    settings: dict  # split, scale, ... of this data set alone
    params: dict  # method parameters of this data set alone
    keys: Keys  # where it stands in the document

    @property
    def names(self) -> list[str]:
        return [a.get("name") or a["csv"] for a in self.alternatives]

    @property
    def n_train(self) -> int | None:
        """Training rows where the entry itself says how many."""
        return (self.settings.get("split") or {}).get("n_train") or self.alternatives[0].get("n_train")


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


def check_name(reader: Reader, name: Any, keys: Keys, what: str) -> bool:
    ok = isinstance(name, str) and bool(re.match(NAME, name)) and not name.endswith("\n")
    if not ok:
        reader.problem(keys, f"{what} {shown(name)}: a name is made of a-z 0-9 _ . - and does not begin with . or -")
    return ok


# -- kernels ---------------------------------------------------------------------------------------------------------


def kernel(reader: Reader, data: Any, keys: Keys) -> dict | None:
    """`ard-se`, {name, bias, options}, {sum: [...]} or {product: [...]}, with every option filled in."""
    if isinstance(data, str):
        data = {"name": data}
    data = reader.mapping(data, keys, "kernel")
    if data is None:
        return None
    how = next((h for h in COMBINED if h in data), None)
    if how:
        for other in set(data) - {how}:
            reader.unknown_key((*keys, other), [how])
        parts = data[how]
        if not isinstance(parts, list) or len(parts) < 2:
            reader.problem((*keys, how), f"'{how}': expected a list of two or more kernels, got {shown(parts)}")
            return None
        built = [kernel(reader, part, (*keys, how, i)) for i, part in enumerate(parts)]
        return None if None in built else {how: built}
    if "name" not in data:
        reader.problem(keys, "kernel: 'name' is missing")
        return None
    if not check_name(reader, data["name"], (*keys, "name"), "kernel"):
        return None
    if data["name"] in COMBINED:
        reader.problem((*keys, "name"), f"write {{{data['name']}: [...]}} with the kernels it is made of")
        return None
    cls = reader.attempt((*keys, "name"), catalog.find, "kernel", data["name"])
    return cls and _kernel_options(reader, cls, data, keys)


def _kernel_options(reader: Reader, cls: type, data: dict, keys: Keys) -> dict | None:
    options = options_of(cls)
    spec, before = {"name": cls.name}, len(reader.problems)
    for key in data.keys() - options.keys() - {"name"}:
        reader.unknown_key((*keys, key), [*options, "name"])
    for key, (kind, default) in options.items():
        if key in data:
            spec[key] = reader.validate(kind, data[key], (*keys, key))
        elif default is Parameter.empty:
            reader.problem(keys, f"kernel {cls.name}: '{key}' is missing")
        else:
            spec[key] = default
    return spec if len(reader.problems) == before else None


# -- settings that a data set or a method may override ---------------------------------------------------------------


def split(reader: Reader, data: Any, keys: Keys) -> dict | None:
    """{} stands for `default`: the published split, else 90 % of the rows at random."""
    if data == "default":
        return {}
    data = reader.mapping(data, keys, "split")
    if data is None:
        return None
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in SPLITS:
        where, got = ((*keys, "kind"), f"got {shown(kind)}") if "kind" in data else (keys, "'kind' is missing")
        reader.problem(where, f"split: 'kind' is one of {', '.join(SPLITS)}; {got}")
        return None
    found = reader.validate(SPLITS[kind], data, keys)
    return found and found.plain()


def scale(reader: Reader, data: Any, keys: Keys) -> dict | None:
    if data == "none":
        data = {"inputs": "none", "target": "none"}
    found = reader.validate(Scale, data, keys)
    return found and found.plain()


def hyperparameters(reader: Reader, data: Any, keys: Keys) -> dict | None:
    found = reader.validate(Hyperparameters, data, keys)
    if found is None:
        return None
    for key, message in found.faults():
        reader.problem((*keys, key), message, on="key")
    for name, value in (found.values or {}).items():
        given = value if isinstance(value, list) else [value]
        if not given or any(v < 0 or (v == 0 and name != "bias") for v in given):
            reader.problem((*keys, "values", name), f"'{name}': must be greater than 0, got {shown(value)}")
    for name, pair in (found.bounds or {}).items():
        if pair[0] >= pair[1]:
            reader.problem((*keys, "bounds", name), f"'{name}': expected [lowest, highest], got {shown(pair)}")
    return found.plain()


def without_idle_bias(settings: dict) -> dict:
    """`bias: 0` among the given values of a kernel without bias says nothing, so it must not enter a trial's id."""
    given, spec = settings["hyperparameters"] or {}, settings["kernel"]
    values = given.get("values") or {}
    if spec is None or values.get("bias") != 0 or "bias" in names_in(spec):
        return settings
    return settings | {"hyperparameters": given | {"values": {k: v for k, v in values.items() if k != "bias"}}}


def _example(spec: dict) -> Kernel | None:
    """The described kernel; None where it cannot be tried on two vectors (molecules, graphs): it shows when it runs."""
    try:
        return build_kernel(spec, np.eye(2))
    except Exception:
        return None


def check_support(reader: Reader, method: str, spec: dict, keys: Keys) -> None:
    """A method on sparse matrices needs a kernel that makes them."""
    example = _example(spec)
    if example is not None and not example.compact:
        reader.problem(keys, f"{method}: the kernel ({' with '.join(names_in(spec))}) has {NO_SUPPORT}")


def check_values(reader: Reader, values: dict, spec: dict, keys: Keys) -> None:
    """Given values must be exactly the kernel's parameters and the noise."""
    for name in sorted(check_parameters(reader, values, spec, keys) - values.keys()):
        reader.problem(keys, f"values: '{name}' of the kernel is missing")


def check_parameters(reader: Reader, given: dict, spec: dict, keys: Keys) -> set[str]:
    """All parameters of the kernel and the noise, none else among the given; empty where the kernel is not known."""
    example = _example(spec)
    if example is None:
        return set()
    known = {n.split("[")[0] for n in example.names} | {"noise"}
    for name in given.keys() - known:
        reader.unknown_key((*keys, name), known)
    return known


# -- data sets -------------------------------------------------------------------------------------------------------


def alternative(reader: Reader, data: Any, keys: Keys, folder: Path) -> tuple[dict, str, set[str]] | None:
    """One data set: its plain form, its task, and the keys that are its own options."""
    if isinstance(data, str):
        data = {"name": data}
        name_keys = keys
    else:
        data = reader.mapping(data, keys, "dataset")
        name_keys = (*keys, "name")
    if data is None:
        return None
    if "csv" in data:
        return _csv(reader, data, keys, folder)
    if "name" not in data:
        reader.problem(keys, "dataset: one of 'name', 'csv' or 'first_of' is missing")
        return None
    if not check_name(reader, data["name"], name_keys, "dataset"):
        return None
    cls = reader.attempt(name_keys, catalog.find, "dataset", data["name"])
    if cls is None:
        return None
    own = {k: v for k, v in data.items() if k in cls.model_fields}
    source = reader.validate(cls, own, keys)
    plain = {"name": cls.name, **(source.model_dump(mode="json") if source else {})}
    return plain, cls.task, {"name", *cls.model_fields}


def _csv(reader: Reader, data: dict, keys: Keys, folder: Path) -> tuple[dict, str, set[str]] | None:
    for key in ("csv", "target"):
        if not isinstance(data.get(key), str) or not data[key]:
            missing = f"'{key}' is missing" if key not in data else f"'{key}': expected text, got {shown(data[key])}"
            reader.problem((*keys, key), missing)
            return None
    task = data.get("task", "regression")
    if task not in ("regression", "classification"):
        reader.problem((*keys, "task"), f"'task': expected regression or classification, got {shown(task)}")
        return None
    path = next((p for p in (Path(data["csv"]), folder / data["csv"]) if p.is_file()), None)
    if path is None:
        reader.problem((*keys, "csv"), f"no file {data['csv']}, neither here nor beside the config")
        return None
    plain = {"csv": str(path), "target": data["target"]}
    return plain | {"task": task}, task, set(CSV_KEYS)


def first_of(reader: Reader, data: dict, keys: Keys, folder: Path) -> tuple[list[dict], str, set[str]] | None:
    items = data["first_of"]
    if not isinstance(items, list) or not items:
        reader.problem((*keys, "first_of"), f"'first_of': expected a list of data sets, got {shown(items)}")
        return None
    found = []
    for i, item in enumerate(items):
        place = (*keys, "first_of", i)
        one = alternative(reader, item, place, folder)
        if one and isinstance(item, dict):
            for key in item.keys() - one[2]:
                reader.unknown_key((*place, key), one[2])
        found.append(one)
    if None in found:
        return None
    tasks = {task for _, task, _ in found}
    if len(tasks) > 1:
        reader.problem((*keys, "first_of"), "'first_of': all data sets must be of one task")
    return [plain for plain, _, _ in found], found[0][1], {"first_of"}


def usual_label(data: dict, name: str) -> str:
    """The method's name; of another library's model its own."""
    return " ".join(str(data[k]) for k in ("external", "approx") if data.get(k)) or name


def label_of(reader: Reader, data: dict, keys: Keys, default: str) -> str:
    label = data.get("label", default)
    if not isinstance(label, str) or not label.strip() or len(label) > 60 or not label.isprintable():
        reader.problem((*keys, "label"), f"'label': expected up to 60 printable characters, got {shown(label)}")
        return default
    return label


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
