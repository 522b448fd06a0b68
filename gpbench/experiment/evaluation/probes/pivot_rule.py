"""Does the variant AA of [cao] keep its rule for the number of information pivots? For the trace of `cholqr`."""

from __future__ import annotations

from gpbench.gp.selection.swap import RandomPivots, Swap
from gpbench.methods.base import Method


def along(method: Method, swaps: list[Swap], information: RandomPivots, **seen) -> dict[str, int]:
    if method.variant != "aa":
        return {}
    return {"pivot_rule_violations": sum(not grows_and_shrinks(s, information.limit) for s in swaps)}


def grows_and_shrinks(swap: Swap, z: int) -> bool:
    """Was the number of information pivots doubled after a rejection, and one taken away after an acceptance?"""
    return swap.next_pivots == (max(1, swap.pivots - 1) if swap.accepted else min(z, 2 * swap.pivots))
