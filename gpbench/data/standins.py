"""Facts about a data set by its name, for reports: what it stands for, and whether trials share its rows."""

from __future__ import annotations

import re
from functools import cache

from gpbench import catalog
from gpbench.errors import ConfigError

SAME = "same rows"


@cache
def stands_for(name: str) -> tuple[str, str]:
    """(published name, kind) of a data set; an unknown name stands for itself."""
    try:
        declared = catalog.find("dataset", name).stands_for
    except ConfigError:
        declared = None
    return declared or (name, SAME)


@cache
def shares_rows(name: str) -> bool:
    """Whether repetitions split the same rows; False if each has its own rows (Friedman)."""
    try:
        return not catalog.find("dataset", name).per_trial
    except ConfigError:
        return True


@cache
def title_of(name: str) -> str:
    """A data set in words, for captions: its short title, and its name where the two differ."""
    try:
        whole = catalog.find("dataset", name).title
    except ConfigError:
        return name
    short = re.split(r": | \(|, \d", whole)[0]
    same = re.sub(r"\W", "", short).lower() == re.sub(r"\W", "", name).lower()
    stands = f"stand-in for {twin_of(name)}" if twin_of(name) else ""
    aside = ", ".join(filter(None, ["" if same or not short else name, stands]))
    return f"{short or name} ({aside})" if aside else short or name


def twin_of(name: str) -> str:
    """The published data set that a stand-in replaces (kin40k for kin40k-sim), else empty."""
    published, _ = stands_for(name)
    return published if published != name else ""


def kind_of(name: str) -> str:
    """simulated, own recipe or subset; empty for the paper's own rows or recipe."""
    _, kind = stands_for(name)
    return "" if kind == SAME else kind
