"""The incremental state and the scores of candidates against the dense definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.selection.candidates import Candidates
from gpbench.gp.selection.criteria import (
    entropy,
    evidence,
    free_energy,
    gpe,
    info_gain,
    loo_cve,
    nlgpp,
    post_backfitting,
    posterior,
)
from gpbench.gp.selection.greedy import Path
from gpbench.gp.selection.pools import Everything, WithoutRows, WorkingSet
from gpbench.gp.selection.state import GreedyState
from tests.helpers.watched_pool import Watched
from tests.oracles import selection as oracle

SCORED = [c.criterion for c in (evidence, posterior, loo_cve, gpe, nlgpp, post_backfitting, info_gain, entropy)]
EXACT = [c for c in SCORED if c.exact]
NOISE = 0.05


def problem(seed=0, n=40, noise=NOISE):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + np.sqrt(noise) * rng.normal(size=n)
    kernel = ArdSE(np.log([1.3, 0.7, 0.9]), dims=2)
    return X, y, kernel, kernel(X)


def run(criterion, size=8, approximation="dtc", cache=0, fresh=10, pool=None, seed=0, n=40):
    X, y, kernel, K = problem(seed, n)
    rows = KernelRows(kernel, X)
    state = GreedyState(K.diagonal(), y, NOISE, size, approximation, criterion.name == "ivm")
    if pool is None:
        pool = WorkingSet(rows, criterion.needed(approximation), np.random.default_rng(seed), fresh, cache)
    watched = Watched(pool)
    return Path(state, criterion, watched, rows).grow(size), watched, K, y


@pytest.mark.parametrize("approximation", ["dtc", "fitc"])
@pytest.mark.parametrize("with_z", [False, True])
def test_state_equals_the_dense_definition_after_every_append(approximation, with_z, rng):
    _, y, _, K = problem()
    state, u = GreedyState(K.diagonal(), y, NOISE, 12, approximation), []
    for j in rng.permutation(len(y))[:12].tolist():
        z = Candidates(state, [j], K[[j]].copy(), frozenset({"z"})).z[0] if with_z else None
        state.append(j, K[j], z)
        u.append(j)
        lam = oracle.noise_of(K, u, NOISE, approximation)
        kept = np.s_[: len(u)]
        np.testing.assert_allclose(state.lam, lam, atol=1e-10)
        np.testing.assert_allclose(state.mean, oracle.mean_at_data(K, y, u, lam), atol=1e-9)
        np.testing.assert_allclose(state.eta, oracle.leverage(K, y, u, lam), atol=1e-9)
        np.testing.assert_allclose(state.residual, (K - oracle.low_rank(K, u)).diagonal(), atol=1e-9)
        np.testing.assert_allclose(state.chol.U[kept, kept].T @ state.chol.U[kept, kept], K[np.ix_(u, u)], atol=1e-10)
        np.testing.assert_allclose(state.log_evidence(), oracle.log_evidence(K, y, u, lam), atol=1e-8)


@pytest.mark.parametrize("cache", [0, 7])
@pytest.mark.parametrize("approximation", ["dtc", "fitc"])
@pytest.mark.parametrize("criterion", EXACT, ids=lambda c: c.name)
def test_every_score_is_the_gain_by_refitting_and_the_best_one_is_taken(criterion, approximation, cache):
    path, watched, K, y = run(criterion, 6, approximation, cache)
    u = []
    for chosen, (index, scores) in zip(path.state.pivots.tolist(), watched.steps):
        true = [oracle.gain(criterion.name, K, y, u, j, NOISE, approximation) for j in index]
        np.testing.assert_allclose(scores, true, atol=1e-8)
        assert true[index.index(chosen)] >= max(true) - 1e-8
        u.append(chosen)
    assert len(index) == 10 + cache


@pytest.mark.parametrize("criterion", [*EXACT, free_energy.criterion], ids=lambda c: c.name)
def test_measure_after_every_step_equals_the_dense_definition_and_falls_by_the_score(criterion):
    path, _, K, y = run(criterion, 8, cache=5)
    lam = np.full(len(y), NOISE)
    u = path.state.pivots.tolist()
    before = oracle.measure(criterion.name, K, y, [], lam, NOISE, "dtc")
    for k, (row, measure) in enumerate(zip(path.recorder.trace, path.measures), start=1):
        assert measure == pytest.approx(oracle.measure(criterion.name, K, y, u[:k], lam, NOISE, "dtc"), abs=1e-8)
        assert before - measure == pytest.approx(row["score"], abs=1e-8)
        before = measure


@pytest.mark.parametrize("approximation", ["dtc", "fitc"])
@pytest.mark.parametrize("criterion", EXACT[2:], ids=lambda c: c.name)
def test_leave_one_out_measures_equal_actual_refits(criterion, approximation):
    path, _, K, y = run(criterion, 7, approximation)
    u = path.state.pivots.tolist()
    lam = oracle.noise_of(K, u, NOISE, approximation)
    expected = oracle.measure(criterion.name, K, y, u, lam, NOISE, approximation)
    assert path.measures[-1] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("direction", ["new-old", "old-new"])
def test_information_gain_is_the_divergence_of_the_two_posteriors(direction):
    path, watched, K, y = run(info_gain.directions[direction], 6, pool=WithoutRows())
    u = []
    for chosen, (index, scores) in zip(path.state.pivots.tolist(), watched.steps):
        true = [oracle.information_gain(K, y, u, j, NOISE, direction) for j in index]
        np.testing.assert_allclose(scores, true, atol=1e-7)
        assert sorted([*index, *u]) == list(range(len(y)))
        u.append(chosen)


def test_entropy_is_that_of_the_posterior_given_the_targets_of_the_basis():
    path, watched, K, _ = run(entropy.criterion, 6, pool=WithoutRows())
    u = []
    for chosen, (index, scores) in zip(path.state.pivots.tolist(), watched.steps):
        np.testing.assert_allclose(scores, [oracle.entropy_gain(K, u, j, NOISE) for j in index], atol=1e-8)
        u.append(chosen)


@pytest.mark.parametrize("cache", [0, 7])
def test_post_backfitting_is_the_one_dimensional_optimum_of_the_full_posterior(cache):
    path, watched, K, y = run(post_backfitting.criterion, 6, cache=cache)
    u = []
    for chosen, (index, scores) in zip(path.state.pivots.tolist(), watched.steps):
        np.testing.assert_allclose(scores, [oracle.backfitting_gain(K, y, u, j, NOISE) for j in index], atol=1e-8)
        u.append(chosen)


@pytest.mark.parametrize("criterion", EXACT, ids=lambda c: c.name)
def test_scoring_all_rows_finds_the_dense_optimum_at_every_step(criterion):
    X, y, kernel, K = problem(3, 70)  # more rows than one block of candidates
    rows, size = KernelRows(kernel, X, store=70), 3
    state = GreedyState(K.diagonal(), y, NOISE, size)
    path = Path(state, criterion, Everything(rows, criterion.needs), rows).grow(size)
    u = []
    for chosen in path.state.pivots.tolist():
        open_ = [j for j in range(len(y)) if j not in u]
        true = {j: oracle.gain(criterion.name, K, y, u, j, NOISE, "dtc") for j in open_}
        assert true[chosen] >= max(true.values()) - 1e-8
        u.append(chosen)
    assert rows.evaluated == len(y)  # the store keeps them all


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(12, 60),
    noise=st.floats(1e-3, 1.0),
    length=st.floats(0.2, 1.5),
    which=st.sampled_from(range(len(EXACT))),
)
def test_cached_candidates_score_as_if_proposed_afresh(seed, n, noise, length, which):
    criterion, rng = EXACT[which], np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), rng.normal(size=n)
    kernel = ArdSE(np.log([1.0, length, length, length]), dims=3)
    K = kernel(X)
    state = GreedyState(K.diagonal(), y, noise, 6)
    J = rng.permutation(n)
    kept = Candidates(state, J[6:], K[J[6:]].copy(), criterion.needs)
    for j in J[:6]:
        state.append(int(j), K[j])
        kept.follow(state)
        live = state.eligible()[kept.index]
        afresh = Candidates(state, kept.index, K[kept.index].copy(), criterion.needs)
        conditioned = live & (state.residual[kept.index] > 1e-4)  # d^2 = c - |z|^2 keeps 8 digits only above
        got, want = (criterion.score(state, c)[conditioned] for c in (kept, afresh))
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), copies=st.integers(1, 5), which=st.sampled_from(range(len(EXACT) + 1)))
def test_duplicated_inputs_are_survived_and_never_chosen_twice(seed, copies, which):
    rng = np.random.default_rng(seed)
    distinct = rng.normal(size=(8, 1))
    X = np.tile(distinct, (copies + 1, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=len(X))
    kernel = ArdSE(np.log([1.0, 0.3]), dims=1)
    criterion = [*EXACT, post_backfitting.criterion][which]
    rows = KernelRows(kernel, X)
    state = GreedyState(kernel.diag(X), y, 0.01, len(X))
    path = Path(state, criterion, WorkingSet(rows, criterion.needs, rng, 6, 4), rows).grow(len(X))
    chosen = X[state.pivots[: state.size], 0]
    assert len(np.unique(chosen)) == len(chosen) <= 8
    assert np.isfinite(path.measures).all()
    assert state.size + state.dependent() == len(X)
