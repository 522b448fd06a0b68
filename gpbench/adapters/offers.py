"""What a config may ask of an adapter of ours: its kernels, options and approximations, from offers.yaml beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from gpbench.errors import ConfigError, NotApplicable
from gpbench.text import is_python_file

from .environment import OFFERS, Adapter

# What we tell the adapter ourselves
RESERVED = ("model", "kernel", "ard", "d_max", "approx", "warm_up", "task", "classes")
EVERYWHERE = {"seed": "whole"}
WANTED = {"count": "a whole number from 1", "whole": "a whole number from 0", "rate": "a positive number",
          "flag": "true or false"}  # fmt: skip


def _fits(kind: str | list[str], value: Any) -> bool:
    if isinstance(kind, list):
        return value in kind
    if isinstance(value, bool) or kind == "flag":
        return isinstance(value, bool) and kind == "flag"
    if kind == "rate":
        return isinstance(value, (int, float)) and 0 < value < float("inf")
    return isinstance(value, int) and value >= (kind == "count")


@dataclass(frozen=True)
class Offers:
    """None if unknown (a user's own adapter): it gets what the config says."""

    name: str
    model: str = ""
    kernels: Collection[str] | None = None
    options: Mapping[str, str | list[str]] | None = None  # by name one of WANTED, or the values there are
    approx: Collection[str] | None = None
    sized: bool = True  # whether d_max means anything to it
    task: str = "regression"  # or classification
    isotropic: bool = False  # whether it takes one length-scale for all inputs, too

    def refuse_options(self, given: Mapping[str, Any]) -> None:
        there = None if self.options is None else {**self.options, **EVERYWHERE}
        for key, value in given.items():
            if key in RESERVED:
                raise ConfigError(f"{key} is gpbench's own to tell; leave it out")
            if there is not None and key not in there:
                raise ConfigError(f"{self.name} has no option {key}; it has {', '.join(there)}")
            if there is not None and not _fits(there[key], value):
                kind = there[key]
                wanted = f"one of {', '.join(kind)}" if isinstance(kind, list) else WANTED[kind]
                raise ConfigError(f"{key}: {value!r} is not {wanted}")

    def refuse_approx(self, given: str | None) -> None:
        if given is None or self.approx is None:
            return
        if given not in self.approx:
            there = f"it has {', '.join(self.approx)}" if self.approx else "leave it out"
            raise ConfigError(f"{self.name} has no approximation {given}; {there}")
        if self.name.endswith(f"-{self.model}") and given != self.model:
            library = self.name.removesuffix(f"-{self.model}")
            raise ConfigError(f"{self.name} is {self.model}; for {given} write external: {library}-{given}")

    def refuse_kernel(self, kernel) -> None:
        if self.kernels is None:
            return
        if kernel.name not in self.kernels:
            raise NotApplicable(f"{self.name} has no kernel {kernel.name}; it has {', '.join(self.kernels)}")
        if not getattr(kernel, "ard", True) and not self.isotropic:
            raise NotApplicable(f"{self.name} has one length-scale per input; ard: false is not offered")


def offers(adapter: Adapter) -> Offers:
    file = adapter.file.parent / OFFERS
    if is_python_file(adapter.name) or not file.is_file():
        return Offers(adapter.name)
    there = yaml.safe_load(file.read_text(encoding="utf-8"))
    kernels, options = there["kernels"].get(adapter.model), there["options"][adapter.model]
    sized = adapter.model in there["sized"]
    task = there.get("tasks", {}).get(adapter.model, "regression")
    isotropic = adapter.model in there.get("isotropic", ())
    return Offers(adapter.name, adapter.model, kernels, options, there.get("approx", ()), sized, task, isotropic)
