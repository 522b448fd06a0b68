"""Objectives: what is maximised, as a function of (factor, y, extra) alone, one file each.

An objective of a `Factor` (gp/linalg/factor.py) returns (F, dF/dS, dF/dextra): F is always to be MAXIMISED, so what a
paper minimises is -F; dF/dS comes in the factor's structure (gp/linalg/structured.py); `extra` is the variance of a
predictive density besides what S holds (r = K - Q for the leave-one-out densities of DTC, else None).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

Name = Literal["evidence", "loo-cve", "nlgpp", "gpe"]
Value = tuple[float, Any, Any]  # F, dF/dS, dF/dextra


def find(name: Name) -> Callable[..., Value]:
    """The function of that name: `loo-cve` is loo_cve in loo_cve.py."""
    stem = name.replace("-", "_")
    found: Callable[..., Value] = getattr(import_module(f"gpbench.gp.objectives.{stem}"), stem)
    return found
