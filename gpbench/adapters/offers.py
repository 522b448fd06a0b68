"""What a config may ask of an adapter of ours: its kernels, options and approximations, from offers.yaml beside it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import yaml

from gpbench.errors import ConfigError, NotApplicable
from gpbench.text import is_python_file

from .environment import OFFERS, Adapter

RESERVED = ("model", "kernel", "d_max", "approx", "warm_up")  # what we tell the adapter ourselves
EVERYWHERE = ("seed",)


@dataclass(frozen=True)
class Offers:
    """None: nobody knows (a user's own adapter); it gets what the config says."""

    name: str
    kernels: Collection[str] | None = None
    options: Collection[str] | None = None
    approx: Collection[str] | None = None

    def refuse_options(self, given: Collection[str]) -> None:
        for key in given:
            if key in RESERVED:
                raise ConfigError(f"{key} is gpbench's own to tell; leave it out")
            if self.options is not None and key not in (*self.options, *EVERYWHERE):
                there = ", ".join((*self.options, *EVERYWHERE))
                raise ConfigError(f"{self.name} has no option {key}; it has {there}")

    def refuse_approx(self, given: str | None) -> None:
        if given is not None and self.approx is not None and given not in self.approx:
            there = f"it has {', '.join(self.approx)}" if self.approx else "leave it out"
            raise ConfigError(f"{self.name} has no approximation {given}; {there}")

    def refuse_kernel(self, kernel: str) -> None:
        if self.kernels is not None and kernel not in self.kernels:
            raise NotApplicable(f"{self.name} has no kernel {kernel}; it has {', '.join(self.kernels)}")


def offers(adapter: Adapter) -> Offers:
    file = adapter.file.parent / OFFERS
    if is_python_file(adapter.name) or not file.is_file():
        return Offers(adapter.name)
    there = yaml.safe_load(file.read_text(encoding="utf-8"))
    kernels, options = there["kernels"].get(adapter.model), there["options"][adapter.model]
    return Offers(adapter.name, kernels, options, there.get("approx", ()))
