"""Noise of single rows: the common variance times a known factor, plus a known variance.

A weight w is the factor 1/w; a known measurement error is an added variance. Every inference routine takes
`rows: RowNoise | None`; None means that all rows share `gp.noise`. Where a routine gets the first rows only, it uses
the first entries. A new row has the factor 1 and no added variance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .model import GP


@dataclass(frozen=True)
class RowNoise:
    factor: np.ndarray  # (n,) > 0
    added: np.ndarray  # (n,) >= 0, variances

    @classmethod
    def of(cls, n: int, weight=None, variance=None) -> RowNoise | None:
        """From weights (> 0) and known variances (>= 0) of n rows; None where neither is given."""
        if weight is None and variance is None:
            return None
        factor = np.ones(n) if weight is None else 1 / np.asarray(weight, dtype=float)
        return cls(factor, np.zeros(n) if variance is None else np.array(variance, dtype=float))

    def __getitem__(self, rows) -> RowNoise:
        return RowNoise(self.factor[rows], self.added[rows])

    def variances(self, noise: float) -> np.ndarray:
        return noise * self.factor + self.added

    def slope(self, dvariances) -> float:
        """dF/dnoise from dF/d variances (n,)."""
        return float(self.factor[: len(dvariances)] @ dvariances)


def variances(gp: GP, rows: RowNoise | None, which=slice(None)):
    """Noise variances of the rows `which`: one number where all share it."""
    return gp.noise if rows is None else rows[which].variances(gp.noise)


def with_variances(gp: GP, rows: RowNoise | None, n: int) -> GP:
    """The GP whose `noise` is that of each of the first n rows, as sparse.py takes it."""
    return gp if rows is None else replace(gp, noise=rows[:n].variances(gp.noise))
