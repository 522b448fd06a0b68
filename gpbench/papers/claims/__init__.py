"""The papers' statements as code: one file per paper, one function per line of published/claims.csv.

A function bears the claim's id, gets the `Evidence` of one or several results folders and returns a `Finding`; it
raises `Missing` when rows it needs are absent. Thresholds are those of the column how_to_check.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from ..printed_numbers import Claim
from .evidence import Evidence
from .findings import Finding, Missing


def function(claim: Claim):
    return getattr(import_module(f"{__name__}.{claim.paper}"), claim.id)


def evaluate(claim: Claim, evidence: Evidence) -> Finding:
    """True or False with the numbers that decided it, or undecided (holds is None) with what is missing.

    The finding says how many trials stood behind the series it looked at, and whether they rest on stand-ins.
    """
    evidence.used.clear()
    try:
        finding = function(claim)(evidence)
    except Missing as missing:
        finding = Finding(None, f"needs {missing}")
    return replace(finding, trials=evidence.used.trials, stands_for=evidence.used.stands_for)
