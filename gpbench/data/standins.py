"""What reports ask of a data set by its name: what it stands for (`Source.stands_for`), do trials share its rows."""

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


@cache
def shares_rows(name: str) -> bool:
    """Do trials re-split the same rows? Not where each draws its own (Friedman)."""
    try:
        return not catalog.find("dataset", name).per_trial
    except ConfigError:
        return True


def twin_of(name: str) -> str:
    """The published data set that a stand-in replaces (kin40k for kin40k-sim), else empty: it never counts as that."""
    published, _ = stands_for(name)
    return published if published != name else ""


def kind_of(name: str) -> str:
    """simulated, own recipe or subset; empty for the paper's own rows or recipe."""
    _, kind = stands_for(name)
    return "" if kind == SAME else kind
