"""How numbers are written: "mean ± std" in the unit of a table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd


def mean_std(values: pd.Series, factor: float = 1.0, decimals: int | None = None, plus_minus: str = " ± ") -> str:
    """'mean ± std' of values: empty without values, std (n - 1) from two values on, a constant alone."""
    values = values.dropna() * factor
    if values.empty:
        return ""
    mean, std = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else np.nan
    if decimals is None:
        decimals = digits(std if std > 0 else abs(mean) / 10)
    if not std > 0 and mean == round(mean):
        return f"{mean:.0f}"
    return f"{mean:.{decimals}f}" + ("" if np.isnan(std) else f"{plus_minus}{std:.{decimals}f}")


def digits(spread: float) -> int:
    """Decimals that show two digits of the spread."""
    if not spread > 0 or not math.isfinite(spread):
        return 2
    return int(np.clip(1 - math.floor(math.log10(spread)), 0, 6))


def seconds(values: pd.Series) -> str:
    values = values.dropna()
    return "" if values.empty else f"{values.mean():.3g}"
