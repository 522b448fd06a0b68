"""The papers' statements as code: one file per paper, one function per line of published/claims.csv.

A function bears the claim's id, gets the `Evidence` of one or several results folders and returns a `Finding`; it
raises `Missing` when rows it needs are absent. Thresholds are those of the column how_to_check.
"""

from __future__ import annotations

from importlib import import_module

from ..published import Claim
from .vocabulary import Evidence, Finding, Missing


def function(claim: Claim):
    return getattr(import_module(f"{__name__}.{claim.paper}"), claim.id)


def evaluate(claim: Claim, evidence: Evidence) -> Finding:
    """holds / fails with the numbers that decided it, or undecided (holds is None) with what is missing."""
    try:
        return function(claim)(evidence)
    except Missing as missing:
        return Finding(None, f"needs {missing}")
