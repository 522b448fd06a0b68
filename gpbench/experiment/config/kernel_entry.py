"""Read kernels of a config into one plain form, and check what depends on the kernel itself."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

import numpy as np

from gpbench import catalog
from gpbench.gp.kernels.auto import Auto
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.kernels.build import COLUMNS, COMBINED, build_kernel, how_to_write, inputs_needed, names_in, options_of
from gpbench.gp.kernels.on_columns import fault
from gpbench.gp.kernels.patterns import NO_SUPPORT

from .document_checker import Reader, check_name, shown
from .yaml_document import Keys


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
            reader.fault((*keys, how), f"'{how}': expected a list of two or more kernels, got {shown(parts)}")
            return None
        built = [kernel(reader, part, (*keys, how, i)) for i, part in enumerate(parts)]
        return None if None in built else {how: built}
    if "name" not in data:
        reader.fault(keys, "kernel: 'name' is missing")
        return None
    if not check_name(reader, data["name"], (*keys, "name"), "kernel"):
        return None
    if data["name"] in COMBINED:
        reader.fault((*keys, "name"), how_to_write(data["name"]))
        return None
    cls = reader.attempt((*keys, "name"), catalog.find, "kernel", data["name"])
    return cls and _kernel_options(reader, cls, data, keys)


def _kernel_options(reader: Reader, cls: type, data: dict, keys: Keys) -> dict | None:
    options = options_of(cls)
    spec, before = {"name": cls.name}, len(reader.faults)
    for key in data.keys() - options.keys() - {"name", COLUMNS}:
        reader.unknown_key((*keys, key), [*options, COLUMNS, "name"])
    if COLUMNS in data:
        if why := fault(data[COLUMNS]) or ("" if not cls.objects else f"columns: {cls.name} takes whole objects"):
            reader.fault((*keys, COLUMNS), f"kernel: {why}")
        spec[COLUMNS] = data[COLUMNS]
    for key, (kind, default) in options.items():
        if key in data:
            spec[key] = reader.validate(kind, data[key], (*keys, key))
        elif default is Parameter.empty:
            reader.fault(keys, f"kernel {cls.name}: '{key}' is missing")
        else:
            spec[key] = default
    return spec if len(reader.faults) == before else None


def _example(spec: dict) -> Kernel | None:
    """The described kernel; None if it cannot be evaluated on two vectors (molecules, graphs)."""
    try:
        return build_kernel(spec, np.eye(max(2, inputs_needed(spec))))
    except Exception:
        return None


def check_support(reader: Reader, method: str, spec: dict, keys: Keys) -> None:
    """Report a kernel without compact support in a method that needs sparse matrices."""
    example = _example(spec)
    if example is not None and not example.compact:
        reader.fault(keys, f"{method}: the kernel ({' with '.join(names_in(spec))}) has {NO_SUPPORT}")


def check_auto(reader: Reader, method: type, spec: dict, learned: dict, keys: Keys) -> None:
    """Report `kernel: auto` where no full GP is fitted that could choose."""
    if Auto.name in names_in(spec) and method.usual_kernel != Auto.name and "from" not in learned:
        reader.fault(keys, "kernel: 'auto' is chosen by a full GP: give `hyperparameters: {from: full-gp}`")


def check_values(reader: Reader, values: dict, spec: dict, keys: Keys, task: str) -> None:
    """Given values must be exactly the kernel's parameters and the noise; classifiers have no noise."""
    idle = {"noise"} if task == "classification" else set()  # without effect; committed configs have it
    for name in sorted(check_parameters(reader, values, spec, keys) - values.keys() - idle):
        reader.fault(keys, f"values: '{name}' of the kernel is missing")


def check_parameters(reader: Reader, given: dict, spec: dict, keys: Keys) -> set[str]:
    """Report given names that are not parameters of the kernel or the noise; returns all valid names."""
    example = _example(spec)
    if example is None:
        return set()
    known = {n.split("[")[0] for n in example.names} | {"noise"}
    for name in given.keys() - known:
        reader.unknown_key((*keys, name), known)
    return known
