"""Predictive variances that agree with leave-one-out residuals, where that raises the density of rows not used."""

from __future__ import annotations

import numpy as np

SURE = 2.0  # standard errors by which both halves must gain


def variance_factor(residual, var) -> float:
    """The factor by which residuals correct all variances; 1 unless it helps rows that did not determine it.

    Each half of the rows, in random order, gives a factor, which must raise the mean log density of the other half by
    more than SURE standard errors.
    """
    squares = residual**2 / var  # expected to be 1 each
    halves = squares[::2], squares[1::2]
    for given, other in (halves, halves[::-1]):
        if len(other) < 2 or not given.mean() > 0:
            return 1.0
        gain = gains(float(given.mean()), other)
        if not gain.mean() > SURE * gain.std(ddof=1) / np.sqrt(len(gain)):
            return 1.0
    return float(squares.mean())


def gains(factor: float, squares) -> np.ndarray:
    """What a factor of the variance adds to each log density, for standardised squared residuals."""
    return 0.5 * squares * (1 - 1 / factor) - 0.5 * np.log(factor)


def told(factor: float) -> tuple[str, ...]:
    """A note of the factor, if there is one."""
    return () if factor == 1.0 else (f"variances are scaled by {factor:.3g}, as leave-one-out residuals ask",)
