"""Checks the rule of variant AA of [cao] for the number of information pivots, for the trace of `cholqr`."""

from __future__ import annotations

from gpbench.gp.selection.swap import RandomPivots, Swap
from gpbench.methods.base import Method


def along(method: Method, swaps: list[Swap], information: RandomPivots, **seen) -> dict[str, int]:
    if method.variant != "aa":
        return {}
    return {"pivot_rule_violations": sum(not grows_and_shrinks(s, information.limit) for s in swaps)}


def grows_and_shrinks(swap: Swap, z: int) -> bool:
    """Whether the number of information pivots doubles after a rejection and decreases by one after an acceptance."""
    return swap.next_pivots == (max(1, swap.pivots - 1) if swap.accepted else min(z, 2 * swap.pivots))
