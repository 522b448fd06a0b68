"""Greedy selection by the variational bound."""

import numpy as np
import pytest

from gpbench.methods.titsias import Titsias
from tests.helpers.problems import curved
from tests.oracles import cholqr as oracle


def test_each_step_takes_the_candidate_that_lowers_the_free_energy_most():
    p = curved(n=70, schedule="fixed")
    fitted = Titsias(d_max=5, candidates=70).fit(p, np.random.default_rng(0))
    K, chosen = p.gp.kernel(p.X), []
    for j, row in zip(fitted.pivots, fitted.trace):
        energies = {i: oracle.energy(K, [*chosen, i], p.y, p.gp.noise) for i in range(70) if i not in chosen}
        assert energies[j] == pytest.approx(min(energies.values()), rel=1e-9)
        chosen.append(j)
        assert row["measure"] == pytest.approx(energies[j], rel=1e-8)


def test_scoring_one_by_one_chooses_the_same_points_as_scoring_together():
    p = curved(schedule="fixed")
    batched, single = (
        Titsias(d_max=12, candidates=16, cost_model=how).fit(p, np.random.default_rng(4))
        for how in ("batched", "one-by-one")
    )
    np.testing.assert_array_equal(batched.pivots, single.pivots)
    assert batched.kernel_rows == single.kernel_rows


def test_selection_starts_again_after_each_adaptation_of_the_free_energy():
    p = curved(schedule="interleaved", evaluations=15, rounds=2, optimiser="cg")
    fitted = Titsias(d_max=10).fit(p, np.random.default_rng(0))
    rounds = [row["round"] for row in fitted.trace]
    assert rounds == sorted(rounds) and len(set(rounds)) >= 2
    first, last = (next(r for r in rows if r["size"] == 10) for rows in (fitted.trace, fitted.trace[::-1]))
    assert last["measure"] < first["measure"]
