"""Swaps of `cholqr` for claims and Figure 1 of [cao]: whether F falls, and the quality of the ranking."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from gpbench.gp.selection.swap import Swap
from gpbench.methods.base import Method

from . import FinishedFit


def along(method: Method, swaps: list[Swap], **seen) -> dict[str, float]:
    """Statistics of the swaps of an epoch; ranks if every candidate was evaluated exactly (`exact_ranking`)."""
    if not swaps:
        return {}
    rise = [(s.after - s.before) / abs(s.before) for s in swaps]
    found = {
        "worst_accepted": max((r for r, s in zip(rise, swaps) if s.accepted), default=0.0),
        "worst_rejected": max((abs(r) for r, s in zip(rise, swaps) if not s.accepted), default=0.0),
    }
    if judged := [ranks(s) for s in swaps if s.decreases is not None]:
        found["rank_correlation"], found["rank_of_proposal"] = (float(np.median(r)) for r in zip(*judged))
    return found


def ranks(swap: Swap) -> tuple[float, int]:
    """Spearman's correlation of estimated and exact decreases, and the exact rank of the estimated best (1: it is)."""
    estimated, exact = swap.decreases
    best = np.argmax(estimated)
    return float(spearmanr(estimated, exact).statistic), 1 + int((exact > exact[best]).sum())


def after(sight: FinishedFit) -> dict[str, list[float]]:
    """Figure 1: both decreases of every candidate in the first swap of the last epoch that has them."""
    found = next((s.decreases for s in sight.fitted.shown.get("swaps", ()) if s.decreases is not None), None)
    names = "estimated_decrease", "exact_decrease"
    return {} if found is None else {name: values.tolist() for name, values in zip(names, found)}
