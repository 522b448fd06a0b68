"""Swaps of CholQR in units of one matrix-vector product over V and one over Q; Titsias' steps, batched and one by one.

A swap is: remove, rank all n candidates, evaluate the best exactly, insert. It should stay below 4 units with 16
information pivots and 10 with 128. `renewed` also draws the information pivots anew once in five swaps, as in use.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.cholqr import CholQR
from gpbench.gp.selection.criteria import free_energy
from gpbench.gp.selection.greedy import Path
from gpbench.gp.selection.lookahead import Lookahead
from gpbench.gp.selection.pools import OneByOne, WorkingSet
from gpbench.gp.selection.swap import Energy, RandomPivots, swaps

from .selection import NOISE, N, random_basis, setting
from .timing import Case

M, SWAPS = 512, 20


class KeptPivots(RandomPivots):
    """Information pivots that are drawn anew only when they must be."""

    def after(self, lookahead, accepted, followed):
        if not followed:
            self.begin(lookahead)


def exchanges():
    y, rows = setting()
    pivots, x = np.random.default_rng(1).permutation(N)[:M], np.ones(N)
    for z in (16, 128):
        for name, kind in (("", KeptPivots), (", renewed", RandomPivots)):
            factor = CholQR.build(rows(pivots), pivots, rows.kernel.diag(rows.X), y, NOISE)
            rng, lookahead = np.random.default_rng(2), Lookahead(factor, rows, z)
            chosen = kind(z, rng)
            chosen.begin(lookahead)

            def run(factor=factor, chosen=chosen, lookahead=lookahead, rng=rng):
                points = rng.permutation(factor.pivots)[:SWAPS]
                return list(swaps(factor, rows, points, Energy(), chosen, lookahead))

            def unit(factor=factor):
                return [(factor.chol.rows @ x, factor.Q @ x) for _ in range(SWAPS)]

            yield Case(f"cholqr: {SWAPS} swaps, n={N}, m={M}, z={z}{name}", run, unit)


def titsias(m: int = 100, candidates: int = 512):
    """Batched scoring should be at least five times faster than one by one."""
    y, rows = setting()
    for name, kind in (("batched", WorkingSet), ("one by one", OneByOne)):
        state, criterion = random_basis(rows, y, m, m + 20), free_energy.criterion
        going = Path(state, criterion, kind(rows, criterion.needs, np.random.default_rng(1), candidates), rows)
        step = lambda: going.grow(state.size + 1)  # noqa: B023, E731
        yield Case(f"titsias-{candidates}: step {name}, n={N}, m={m}", step, (m, N, candidates))


ENTRIES = (exchanges, titsias)
