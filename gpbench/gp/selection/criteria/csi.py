"""Cholesky with side information: greedy pivots that explain the kernel matrix and the targets together.

Bach and Jordan (2005), [bach], as [cao] compares to it. The approximation V'V of K is judged by

    trade_off |y - V'V-fit of y|^2 / |y|^2 + (1 - trade_off) tr(K - V'V) / tr K

and the gain of every candidate is estimated from z look-ahead steps of the Cholesky factorisation, those with the
largest residual: the information pivots of variant OI, on a QR factorisation without noise. All rows are candidates at
every step (the pool `WithoutRows`), so the state is that factorisation with its look-ahead.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.linalg.cholqr import CholQR
from gpbench.gp.linalg.pivoted import DEPENDENT

from ..criterion import Criterion
from ..greedy import Path
from ..lookahead import Lookahead
from ..pools import WithoutRows
from ..swap import OptimisedPivots


class SidedState:
    """Pivots so far, and z more that are looked at ahead; grows by `append` in O(nm + nz)."""

    def __init__(self, kdiag, y, capacity: int, rows: KernelRows, z: int):
        self.factor, self.information = CholQR(kdiag, y, 0.0, capacity), OptimisedPivots(z, None)
        self.lookahead = Lookahead(self.factor, rows, z)
        self.information.begin(self.lookahead)
        self.energy = float(y @ y) or 1.0  # targets that are all zero leave the choice to the kernel

    @property
    def capacity(self) -> int:
        return len(self.factor.w)

    @property
    def size(self) -> int:
        return self.factor.size

    def eligible(self) -> np.ndarray:
        """Rows that may be proposed   (n,) bool; those that depend on the pivots have no score."""
        free = np.ones(len(self.factor.y), dtype=bool)
        free[self.factor.pivots] = False
        return free

    def append(self, j: int, k, z=None) -> None:
        step = self.factor.insert(self.factor.propose(j, k))
        followed = self.lookahead.inserted(step, self.information.keep_removed)
        self.information.after(self.lookahead, True, followed)

    @property
    def unexplained_target(self) -> float:
        return float(self.factor.resid @ self.factor.resid) / self.energy

    @property
    def unexplained_kernel(self) -> float:
        return float(self.factor.residual.sum() / self.factor.kdiag.sum())


def gains(state: SidedState, candidates, trade_off: float) -> np.ndarray:
    """Estimated decrease of the criterion by each candidate, nan where there is none; O(zn) for all rows."""
    fit, norm2, trace = state.lookahead.statistics()
    explained = np.where(norm2 > DEPENDENT * trace, fit / np.maximum(norm2, 1e-300), 0.0)
    decrease = trade_off * explained / state.energy + (1 - trade_off) * trace / state.factor.kdiag.sum()
    return decrease[candidates.index]


def measure(state: SidedState, trade_off: float) -> float:
    return trade_off * state.unexplained_target + (1 - trade_off) * state.unexplained_kernel


def criterion(trade_off: float = 0.99) -> Criterion:
    score, value = partial(gains, trade_off=trade_off), partial(measure, trade_off=trade_off)
    return Criterion("csi", score, value, exact=False, also=("unexplained_target", "unexplained_kernel"))


def begin(kdiag, y, rows: KernelRows, size: int, z: int, trade_off: float, *recorded) -> Path:
    """An empty path up to `size` pivots; what is recorded of it is said as in `Path`."""
    return Path(SidedState(kdiag, y, size, rows, z), criterion(trade_off), WithoutRows(), rows, *recorded)
