"""Cholesky with side information: greedy pivots that explain the kernel matrix and the targets together.

Bach and Jordan (2005), [bach], as [cao] compares to it. The approximation V'V of K is judged by

    trade_off |y - V'V-fit of y|^2 / |y|^2 + (1 - trade_off) tr(K - V'V) / tr K

and the gain of every candidate is estimated from z look-ahead steps of the Cholesky factorisation, those with the
largest residual: the information pivots of variant OI, on a QR factorisation without noise.
"""

from __future__ import annotations

import numpy as np

from gpbench.linalg.cholqr import CholQR
from gpbench.selection.lookahead import Lookahead
from gpbench.selection.swap import OptimisedPivots

RESOLVED = 1e-10  # a column whose part outside the span is below this share of it cannot explain the targets


def gains(lookahead: Lookahead, trade_off: float) -> np.ndarray:
    """Estimated decrease of the criterion by each training row   (n,), nan where there is none; O(zn)."""
    factor = lookahead.factor
    fit, norm2, trace = lookahead.statistics()
    explained = np.where(norm2 > RESOLVED * trace, fit / np.maximum(norm2, 1e-300), 0.0)
    return trade_off * explained / _energy(factor.y) + (1 - trade_off) * trace / factor.kdiag.sum()


def _energy(y) -> float:
    """|y|^2; targets that are all zero leave the choice to the kernel."""
    return float(y @ y) or 1.0


def select(kdiag, y, rows, size: int, z: int = 40, trade_off: float = 0.99) -> tuple[np.ndarray, list[dict]]:
    """At most `size` training rows in order of choice, and the shares of y and K that each left unexplained."""
    factor = CholQR(kdiag, y, 0.0, size)
    lookahead, pivots, trace = Lookahead(factor, rows, z), OptimisedPivots(z, None), []
    pivots.begin(lookahead)
    while factor.size < size:
        estimates = gains(lookahead, trade_off)
        if np.isnan(estimates).all():
            break
        j = int(np.nanargmax(estimates))
        step = factor.insert(factor.propose(j, rows(np.array([j]))[0]))
        pivots.after(lookahead, True, lookahead.inserted(step, pivots.keep_removed))
        trace.append(
            {
                "size": factor.size,
                "unexplained_target": float(factor.resid @ factor.resid) / _energy(y),
                "unexplained_kernel": float(factor.residual.sum() / factor.kdiag.sum()),
            }
        )
    return factor.pivots.copy(), trace
