"""What a data set stands for when it is not the published one: declared at its source (`Source.stands_for`)."""

from __future__ import annotations

from functools import cache

from gpbench import catalog
from gpbench.errors import ConfigError

SAME = "same rows"


@cache
def stands_for(name: str) -> tuple[str, str]:
    """(published name, kind) of a data set by its name; a name that no source has stands for itself."""
    try:
        declared = catalog.find("dataset", name).stands_for
    except ConfigError:
        declared = None
    return declared or (name, SAME)


def twin_of(name: str) -> str:
    """The published data set that a stand-in replaces (kin40k for kin40k-sim), else empty: it never counts as that."""
    published, _ = stands_for(name)
    return published if published != name else ""


def kind_of(name: str) -> str:
    """simulated, own recipe or subset; empty for the paper's own rows or recipe."""
    _, kind = stands_for(name)
    return "" if kind == SAME else kind
