"""Working sets, caches and the count of kernel rows."""

from __future__ import annotations

import numpy as np
import pytest

from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.selection.criteria import nlgpp, post_backfitting, posterior, random
from gpbench.gp.selection.greedy import Path
from gpbench.gp.selection.pools import WithoutRows, WorkingSet
from gpbench.gp.selection.state import GreedyState
from gpbench.methods.stop_rules.patience import Patience
from tests.helpers.watched_pool import Watched


def setup(rng, n=80, store=0, size=12):
    X = rng.normal(size=(n, 2))
    kernel = ArdSE(np.log([1.0, 0.5, 0.5]), dims=2)
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=n)
    return GreedyState(kernel.diag(X), y, 0.05, size), KernelRows(kernel, X, store)


def watch(rng, criterion, size=12, **options):
    state, rows = setup(rng, size=size, store=options.pop("store", 0))
    pool = Watched(WorkingSet(rows, criterion.needs, np.random.default_rng(1), **options))
    return Path(state, criterion, pool, rows).grow(size), pool.steps, rows


@pytest.mark.parametrize("criterion", [posterior.criterion, post_backfitting.criterion], ids=lambda c: c.name)
def test_the_best_losers_stay_and_the_rest_is_fresh(rng, criterion):
    path, steps, _ = watch(rng, criterion, fresh=10, retained=15)
    for (index, scores), (after, _), chosen in zip(steps, steps[1:], path.state.pivots):
        losers = sorted((-s, j) for j, s in zip(index, scores) if j != chosen and np.isfinite(s))
        best = {j for _, j in losers[:15]}
        assert best <= set(after)
        assert len(after) == len(set(after)) == len(best) + 10


def test_a_cache_filled_at_the_start_keeps_its_size(rng):
    _, steps, rows = watch(rng, post_backfitting.criterion, fresh=10, retained=15, first=25)
    assert [len(index) for index, _ in steps] == [25] * 12
    assert rows.evaluated == 25 + 11 * 10


def test_a_path_may_start_with_the_basis_of_the_one_before(rng):
    previous = np.arange(30, 55)
    _, steps, _ = watch(rng, post_backfitting.criterion, fresh=10, retained=15, first=previous)
    assert steps[0][0] == previous.tolist()


def test_without_a_cache_every_candidate_costs_one_kernel_row(rng):
    _, _, rows = watch(rng, nlgpp.criterion, fresh=10)
    assert rows.evaluated == 12 * 10


def test_retained_candidates_cost_no_kernel_rows(rng):
    _, _, rows = watch(rng, nlgpp.criterion, fresh=10, retained=15)
    assert rows.evaluated == 12 * 10


def test_stored_rows_are_not_evaluated_again_and_change_nothing(rng):
    state = rng.bit_generator.state
    with_store, _, rows = watch(rng, nlgpp.criterion, fresh=20, store=80)
    rng.bit_generator.state = state
    without, _, all_rows = watch(rng, nlgpp.criterion, fresh=20)
    assert rows.evaluated <= 80 < all_rows.evaluated
    np.testing.assert_array_equal(with_store.state.pivots, without.state.pivots)


def test_the_store_holds_no_more_rows_than_it_may(rng):
    _, rows = setup(rng, store=5)
    for j in range(20):
        rows(j)
    rows(np.arange(15, 20))
    assert rows.evaluated == 20
    rows(3)
    assert rows.evaluated == 21


def test_a_stored_row_that_loses_its_place_to_another_of_the_same_request_is_still_given(rng):
    _, rows = setup(rng, store=2)
    rows(np.array([0, 1]))
    index = np.array([7, 8, 0, 1])
    np.testing.assert_allclose(rows(index), rows.kernel(rows.X[index], rows.X), rtol=1e-12)
    assert rows.evaluated == 4


def test_criteria_that_need_no_rows_evaluate_one_per_basis_vector(rng):
    state, rows = setup(rng)
    Path(state, random.criterion, WithoutRows(rng), rows).grow(12)
    assert rows.evaluated == 12 == len(set(state.pivots.tolist()))


def test_random_choice_is_uniform(rng):
    counts = np.zeros(80)
    for _ in range(300):
        state, rows = setup(np.random.default_rng(0), size=8)
        Path(state, random.criterion, WithoutRows(rng), rows).grow(8)
        counts[state.pivots] += 1
    expected = 300 * 8 / 80
    assert ((counts - expected) ** 2 / expected).sum() < 130  # chi-square, 79 degrees of freedom: p < 3e-4


def test_the_pool_may_run_dry(rng):
    path, steps, _ = watch(rng, posterior.criterion, size=80, fresh=30, retained=20)
    assert path.state.size + path.state.dependent() == 80
    assert len(steps[-1][0]) < 30


def test_patience_counts_inclusions_without_a_new_minimum(rng):
    state, rows = setup(rng, size=70)
    pool = WorkingSet(rows, nlgpp.criterion.needs, rng, 20)
    path = Path(state, nlgpp.criterion, pool, rows).grow(70, Patience(patience=5).stops)
    assert path.state.size == path.minimum() + 5 < 70
    assert path.measures[path.minimum() - 1] == min(path.measures)


def test_a_cache_that_never_holds_a_loser_costs_nothing_per_candidate(rng):
    state, rows = setup(rng, n=200, size=30)
    pool = WorkingSet(rows, nlgpp.criterion.needs, np.random.default_rng(1), fresh=1, retained=5)
    trace = Path(state, nlgpp.criterion, pool, rows).grow(30).recorder.trace
    assert "seconds_per_fresh_candidate" in trace[24] and "seconds_per_cached_candidate" not in trace[24]


@pytest.mark.parametrize("retained", [0, 15])
def test_what_a_candidate_costs_is_told_every_25_steps_fresh_and_retained_apart(rng, retained):
    state, rows = setup(rng, n=200, size=60)
    pool = WorkingSet(rows, nlgpp.criterion.needs, np.random.default_rng(1), fresh=10, retained=retained)
    trace = Path(state, nlgpp.criterion, pool, rows).grow(60).recorder.trace
    told = {row["size"]: {k for k in row if k.startswith("seconds_per")} for row in trace}
    kinds = {"seconds_per_candidate", "seconds_per_fresh_candidate"}
    kinds |= {"seconds_per_cached_candidate"} if retained else set()
    assert {size: keys for size, keys in told.items() if keys} == {25: kinds, 50: kinds}
    for row in (trace[24], trace[49]):
        assert 0 < min(row[k] for k in kinds) <= row["seconds_per_candidate"] <= max(row[k] for k in kinds)
