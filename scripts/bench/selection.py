"""Greedy selection: scoring a working set, whole steps, cached candidates, paths.

The unit of a criterion is its own matrix products, (n x m)(m x 59) each (nlml and nlpp one, loo-cve and gpe two, nlgpp
three), timed as one square product of as many operations.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.selection.candidates import Candidates
from gpbench.gp.selection.criteria import evidence, gpe, info_gain, loo_cve, nlgpp, post_backfitting, posterior, random
from gpbench.gp.selection.greedy import Path
from gpbench.gp.selection.pools import FRESH, WithoutRows, WorkingSet
from gpbench.gp.selection.state import GreedyState

from .timing import Case

N, M, NOISE = 10_000, 500, 0.05
PRODUCTS = {evidence: 1, posterior: 1, loo_cve: 2, gpe: 2, nlgpp: 3}
MORE = 40  # basis vectors that timed steps may add to M


def square(operations: float) -> tuple[int, int, int]:
    side = round((operations / 2) ** (1 / 3))
    return side, side, side


def setting() -> tuple[np.ndarray, KernelRows]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 8))
    y = np.sin(X @ rng.normal(size=8)) + np.sqrt(NOISE) * rng.normal(size=N)
    return y, KernelRows(ArdSE(np.log([1.0] + [2.0] * 8), dims=8), X)


def path(rows: KernelRows, y, criterion, pool, capacity: int) -> Path:
    return Path(GreedyState(rows.kernel.diag(rows.X), y, NOISE, capacity), criterion, pool, rows)


def random_basis(rows: KernelRows, y, m: int, capacity: int) -> GreedyState:
    return path(rows, y, random.criterion, WithoutRows(np.random.default_rng(2)), capacity).grow(m).state


def steps():
    """Scoring should stay below 1.45, a step with kernel rows and append below 2.2, 1.9 and 1.8 (1, 2, 3 products)."""
    y, rows = setting()
    for module, products in PRODUCTS.items():
        criterion, state = module.criterion, random_basis(rows, y, M, M + MORE)
        J = np.flatnonzero(state.eligible())[:FRESH]
        K, unit = rows(J), square(products * 2.0 * N * M * FRESH)
        score = lambda: criterion.score(state, Candidates(state, J, K, criterion.needs))  # noqa: B023, E731
        yield Case(f"{criterion.name}: score {FRESH}, n={N}, m={M}", score, unit, 1.0)
        going = Path(state, criterion, WorkingSet(rows, criterion.needs, np.random.default_rng(1)), rows)
        yield Case(f"{criterion.name}: step, n={N}, m={M}", lambda: going.grow(state.size + 1), unit, 1.0)  # noqa: B023


def cached(kept: int = 200):
    """A retained candidate costs O(n) whatever the basis, a fresh one O(nm) ([sundararajan] section 4)."""
    (y, rows), criterion, index = setting(), nlgpp.criterion, np.arange(kept)
    for m in (50, 400):
        state, unit = random_basis(rows, y, m, m), square(2.0 * N * kept * 50)
        old = Candidates(state, index, rows(index), criterion.needs)
        follow = lambda: (old.follow(state), criterion.score(state, old))  # noqa: B023, E731
        anew = lambda: criterion.score(state, Candidates(state, index, old.K, old.needs))  # noqa: B023, E731
        yield Case(f"nlgpp: {kept} retained candidates, m={m}", follow, unit)
        yield Case(f"nlgpp: {kept} fresh candidates, m={m}", anew, unit)


def paths(d_max: int = 300):
    """Whole paths of [keerthi]: how DMAX compares with INFO is claim K12."""
    (y, rows), score = setting(), post_backfitting.criterion

    def pursuit(retained, first):
        pool = WorkingSet(rows, score.needs, np.random.default_rng(3), FRESH, retained, first)
        return path(rows, y, score, pool, d_max).grow(d_max)

    runs = {
        "info": lambda: path(rows, y, info_gain.criterion, WithoutRows(), d_max).grow(d_max),
        "kappa": lambda: pursuit(0, 0),
        "dmax": lambda: pursuit(d_max - FRESH, d_max),
    }
    for name, run in runs.items():
        yield Case(f"{name}: path, n={N}, d_max={d_max}", run, (d_max, N, d_max))


ENTRIES = (steps, cached, paths)
