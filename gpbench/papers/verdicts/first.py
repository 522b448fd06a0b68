"""The first verdict, kept in check.json for comparison: within one printed spread, 5 % or half the last digit.

One printed spread is a spread over runs, not an error of the mean, so it says little (docs/explanations/check.md).
"""

from __future__ import annotations

import pandas as pd

from ..printed_numbers import LOWER_IS_BETTER, Printed

ALSO = {"NLPD": ("nlpd",)}  # it took the nearer of two conventions in every cell


def nearest(cell: Printed, values: dict[str, pd.Series]) -> float:
    """Our mean by the convention that comes nearest."""
    return min((float(v.mean()) for v in values.values()), key=lambda mean: abs(mean - cell.value))


def verdict_of(cell: Printed, ours: float) -> str:
    gap = ours - cell.value
    if abs(gap) <= cell.tolerance * (1 + 1e-9):
        return "reproduced"
    if cell.metric not in LOWER_IS_BETTER:
        return "different"
    return "better" if gap < 0 else "worse"
