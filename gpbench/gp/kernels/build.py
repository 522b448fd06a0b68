"""From a kernel's description in a config to the kernel, and the options such a description may hold.

A description is `{"name": ..., "bias": ..., "columns": [...], options of the kernel's create}`, `{"sum": [...]}` or
`{"product": [...]}`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

import numpy as np

from gpbench import catalog
from gpbench.versions import essential_arguments

from .auto import CHOICES, Auto
from .base import Kernel
from .bias import Bias
from .combine import Product, Sum
from .on_columns import OnColumns, checked, fault

COLUMNS = "columns"  # inputs that a kernel looks at; without it all
COMBINED = {"sum": Sum, "product": Product}


def how_to_write(name: str) -> str:
    """How a config writes a kernel made of others; its name alone does not describe it."""
    return f"write {{{name}: [...]}} with the kernels it is made of, for example {{{name}: [ard-se, linear]}}"


def build_kernel(spec: dict, X) -> Kernel:
    """The described kernel for inputs like X, at neutral starting values."""
    for how, combine in COMBINED.items():
        if how in spec:
            return combine([build_kernel(part, X) for part in spec[how]])
    options = {k: v for k, v in spec.items() if k not in ("name", "bias", COLUMNS)}
    cls = catalog.find("kernel", spec["name"])
    if COLUMNS in spec:
        columns = checked(spec[COLUMNS], np.shape(X)[1])
        kernel = OnColumns(cls.create(X[:, columns], **options), columns)
    else:
        kernel = cls.create(X, **options)
    return Sum([kernel, Bias.create(X)]) if spec.get("bias") else kernel


def alternatives(spec: dict) -> list[dict]:
    """Descriptions that `auto` chooses among; the description itself where it names no `auto`."""
    return [_with_auto_as(name, spec) for name in CHOICES] if Auto.name in names_in(spec) else [spec]


def _with_auto_as(name: str, spec: dict) -> dict:
    for how in COMBINED:
        if how in spec:
            return {how: [_with_auto_as(name, part) for part in spec[how]]}
    return spec | {"name": name} if spec["name"] == Auto.name else spec


def options_of(cls: type[Kernel]) -> dict[str, tuple[Any, Any]]:
    """What a description may hold besides the name: option -> (type, default); Parameter.empty means required.

    These are the arguments of the kernel's `create` after X, and `bias`, which every kernel but the bias itself takes.
    """
    hints = get_type_hints(cls.create)
    parameters = list(inspect.signature(cls.create).parameters.values())[1:]
    options = {p.name: (hints.get(p.name, Any), p.default) for p in parameters if p.kind is not p.VAR_KEYWORD}
    return options if cls is Bias else options | {"bias": (bool, False)}


def named_columns(spec: dict) -> list[str]:
    """Names of inputs in a description, in the order in which they occur."""
    parts = [part for how in COMBINED for part in spec.get(how, ())]
    given = spec.get(COLUMNS)
    own = [c for c in given if isinstance(c, str)] if isinstance(given, (list, tuple)) else []
    return own + [name for part in parts for name in named_columns(part)]


def with_positions(spec: dict, places: Mapping[str, Sequence[int]]) -> dict:
    """The description with the positions of named inputs; a category has one for each level."""
    for how in COMBINED:
        if how in spec:
            return {how: [with_positions(part, places) for part in spec[how]]}
    if not isinstance(spec.get(COLUMNS), (list, tuple)):
        return spec
    found = [c for name in spec[COLUMNS] for c in (places.get(name, [name]) if isinstance(name, str) else [name])]
    return {**spec, COLUMNS: found}


def fault_of_columns(spec: dict, inputs: int) -> str:
    """Why a description asks for inputs that are not there; empty if it does not."""
    parts = [part for how in COMBINED for part in spec.get(how, ())]
    own = fault(spec[COLUMNS], inputs) if COLUMNS in spec else ""
    return next(filter(None, [own, *(fault_of_columns(part, inputs) for part in parts)]), "")


def inputs_needed(spec: dict) -> int:
    """Inputs that a description names at least."""
    parts = [part for how in COMBINED for part in spec.get(how, ())]
    own = [c + 1 for c in spec.get(COLUMNS) or () if isinstance(c, int)]
    return max([1, *own, *map(inputs_needed, parts)])


def is_compact(spec: dict) -> bool:
    """Whether the described kernel is zero beyond some distance."""
    if "sum" in spec:
        return all(map(is_compact, spec["sum"]))
    if "product" in spec:
        return any(map(is_compact, spec["product"]))
    return catalog.find("kernel", spec["name"]).compact and not spec.get("bias")


def essential_options(spec: dict) -> dict:
    """A description as far as it enters a trial's id (gpbench/versions.py)."""
    for how in COMBINED:
        if how in spec:
            return {how: [essential_options(part) for part in spec[how]]}
    return essential_arguments(catalog.find("kernel", spec["name"]).create, spec)


def classes_in(spec: dict) -> list[type[Kernel]]:
    """Classes of every kernel in a description, those that combine the others included."""
    for how, combine in COMBINED.items():
        if how in spec:
            return [combine, *(cls for part in spec[how] for cls in classes_in(part))]
    named = [catalog.find("kernel", n) for n in names_in(spec)]
    return [*named, Sum] if spec.get("bias") else named


def names_in(spec: dict) -> list[str]:
    """Catalog names of every kernel in a description."""
    parts = spec.get("sum") or spec.get("product")
    if parts:
        return [n for part in parts for n in names_in(part)]
    return [spec["name"], "bias"] if spec.get("bias") else [spec["name"]]
