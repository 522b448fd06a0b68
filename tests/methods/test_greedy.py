"""The greedy methods as a user meets them: paths, stop rule, predictions, learning in turns."""

from __future__ import annotations

import copy
import tracemalloc

import numpy as np
import pytest

from gpbench import catalog
from gpbench.errors import NotPositiveDefinite
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning.interleave import Round, interleave, measure_settled, objective_settled
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.methods.dmax import Dmax
from gpbench.methods.families.greedy import GreedyMethod
from gpbench.methods.nlgpp import Nlgpp
from gpbench.methods.nlml import Nlml
from gpbench.methods.nlpp import Nlpp
from tests.oracles import selection as oracle

FIXED = Schedule()
NAMES = ("info", "kappa", "dmax", "sb", "nlpp", "nlml", "loo-cve", "nlgpp", "gpe", "ivm")


def problem(n=120, schedule=FIXED, seed=5, lengthscale=0.8, noise=0.05):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) * np.cos(X[:, 1]) + np.sqrt(noise) * rng.normal(size=n)
    kernel = ArdSE(np.log([1.0, lengthscale, lengthscale]), dims=2)
    return Problem(X, y, GP(kernel, noise), schedule, rng.permutation(n))


def method(name, **params) -> GreedyMethod:
    return catalog.find("method", name)(**params)


@pytest.mark.parametrize("cache", [None, 25])
@pytest.mark.parametrize("name", NAMES)
def test_choosing_twenty_then_thirty_extends_the_prefix(name, cache):
    if cache and "cache" not in catalog.find("method", name).model_fields:
        pytest.skip("scores all rows")
    p, params = problem(), {"cache": cache} if cache else {}
    if name == "dmax":
        params = {"cache": 70}
    short, long = (method(name, d_max=d, **params).fit(p, np.random.default_rng(3)) for d in (20, 30))
    np.testing.assert_array_equal(long.pivots[:20], short.pivots)
    assert len(set(long.pivots.tolist())) == 30


@pytest.mark.parametrize("name", [n for n in NAMES if n != "dmax"])
def test_one_path_serves_every_size_as_separate_fits_do(name):
    p, sizes, Xs = problem(), [5, 12, 20], np.random.default_rng(0).normal(size=(7, 2))
    along = list(method(name, d_max=5).path(p, np.random.default_rng(3), sizes))
    for size, fitted in zip(sizes, along):
        alone = method(name, d_max=size).fit(p, np.random.default_rng(3))
        np.testing.assert_array_equal(fitted.pivots, alone.pivots)
        np.testing.assert_allclose(fitted.predict(Xs).mean, alone.predict(Xs).mean, rtol=0, atol=1e-12)
        assert fitted.kernel_rows == alone.kernel_rows
        assert fitted.n_basis == size == len(fitted.trace)


def test_sizes_that_need_a_path_of_their_own_do_not_depend_on_each_other():
    p, stop = problem(), {"patience": 4, "evaluate": "minimum"}
    both = [f.pivots for f in Nlgpp(stop=stop).path(p, np.random.default_rng(3), [10, 25])]
    one = next(Nlgpp(stop=stop).path(p, np.random.default_rng(3), [25])).pivots
    np.testing.assert_array_equal(both[1], one)


@pytest.mark.parametrize("approximation", ["dtc", "fitc"])
@pytest.mark.parametrize("name", NAMES)
def test_predictions_at_every_size_equal_the_dense_model(name, approximation):
    p, Xs = problem(60), np.random.default_rng(1).normal(size=(9, 2))
    K, Ks, kss = p.gp.kernel(p.X), p.gp.kernel(p.X, Xs), p.gp.kernel.diag(Xs)
    greedy = method(name, d_max=9, approximation=approximation, nugget=0.02)
    for fitted in greedy.path(p, np.random.default_rng(2), [3, 9]):
        u, got = fitted.pivots, fitted.predict(Xs)
        lam = oracle.noise_of(K, u, p.gp.noise, approximation)
        mean, latent = oracle.predict(K, Ks, kss, p.y, u, lam)
        np.testing.assert_allclose(got.mean, mean, atol=1e-8)
        np.testing.assert_allclose(got.var, latent + p.gp.noise, atol=1e-8)
        np.testing.assert_allclose(got.var_latent, oracle.predict(K, Ks, kss, p.y, u, lam, 0.02)[1], atol=1e-8)
        assert fitted.log_evidence == pytest.approx(oracle.log_evidence(K, p.y, u, lam), abs=1e-8)


@pytest.mark.parametrize("approximation", ["dtc", "fitc"])
def test_the_model_at_the_minimum_is_the_model_of_that_prefix(approximation):
    p, Xs = problem(100, noise=0.3), np.random.default_rng(1).normal(size=(9, 2))
    stop = {"patience": 8, "evaluate": "minimum"}
    kept = Nlgpp(d_max=60, stop=stop, approximation=approximation).fit(p, np.random.default_rng(2))
    whole = Nlgpp(d_max=60, stop={**stop, "evaluate": "termination"}, approximation=approximation).fit(
        p, np.random.default_rng(2)
    )
    measures = [row["measure"] for row in kept.trace]
    assert kept.n_basis == int(np.argmin(measures)) + 1 == whole.n_basis - 8
    K = p.gp.kernel(p.X)
    lam = oracle.noise_of(K, kept.pivots, p.gp.noise, approximation)
    mean, latent = oracle.predict(K, p.gp.kernel(p.X, Xs), p.gp.kernel.diag(Xs), p.y, kept.pivots, lam)
    np.testing.assert_allclose(kept.predict(Xs).mean, mean, atol=1e-8)
    np.testing.assert_allclose(kept.predict(Xs).var, latent + p.gp.noise, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_rank_deficient_data_end_the_path_early_and_say_so(name):
    p = problem(60, lengthscale=8.0)  # so smooth that a few rows determine all others
    X = p.X.copy()
    X[30:] = X[:30]
    p = Problem(X, p.y, p.gp, p.schedule, p.order)
    fitted = method(name, d_max=60).fit(p, np.random.default_rng(2))
    got = fitted.predict(X)
    assert fitted.n_basis < 60
    assert f"{60 - fitted.n_basis} training rows depend" in fitted.notes[0]
    assert np.isfinite(got.mean).all() and (got.var > 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_targets_that_are_not_finite_are_refused_in_one_sentence(name):
    p = problem(30)
    bad = Problem(p.X, np.full(30, np.nan), p.gp, p.schedule, p.order)
    if name == "ivm":  # looks at inputs only
        bad = Problem(
            np.full_like(p.X, np.nan), p.y, GP(p.gp.kernel.with_theta([np.nan] * 3), 0.1), p.schedule, p.order
        )
    with pytest.raises(NotPositiveDefinite, match="no training row can be a basis vector"):
        method(name, d_max=5).fit(bad, np.random.default_rng(0))


def test_nlpp_stops_at_its_own_size():
    fitted = Nlpp(d_max=30, size=12).fit(problem(), np.random.default_rng(0))
    assert fitted.n_basis == 12


@pytest.mark.parametrize("objective", ["evidence", "loo-cve", "nlgpp", "gpe"])
def test_learning_in_turns_improves_its_objective(objective):
    start = problem(150, lengthscale=3.0, noise=0.5)
    learning = Problem(start.X, start.y, start.gp, Schedule("interleaved", evaluations=8, rounds=3), start.order)
    greedy = Nlml(d_max=25, objective=objective)
    before, after = (greedy.fit(p, np.random.default_rng(0)) for p in (start, learning))
    K, lam = (f(after) for f in (lambda f: f.gp.kernel(start.X), lambda f: np.full(150, f.gp.noise)))
    name = {"evidence": "nlml"}.get(objective, objective)
    learned = oracle.measure(name, K, start.y, after.pivots, lam, after.gp.noise, "dtc")
    K0, lam0 = start.gp.kernel(start.X), np.full(150, start.gp.noise)
    assert learned < oracle.measure(name, K0, start.y, before.pivots, lam0, start.gp.noise, "dtc")
    assert after.seconds["adapt"] > 0
    rounds = max(row["round"] for row in after.trace)
    learning_rows = after.kernel_rows - (rounds + 1) * 25 * 59  # selection: 59 candidates for each of 25 steps
    assert rounds >= 1
    assert 0 < learning_rows <= rounds * 8 * 25


def test_after_adaptation_dmax_starts_with_the_basis_before(monkeypatch):
    seen = []
    pool = Dmax.pool
    monkeypatch.setattr(Dmax, "pool", lambda self, rows, rng, last: seen.append(last) or pool(self, rows, rng, last))
    p = problem(schedule=Schedule("interleaved", evaluations=3, rounds=1))
    Dmax(d_max=15).fit(p, np.random.default_rng(0))
    assert seen[0] is None
    assert len(seen[1]) == 15


def test_the_rows_dmax_looks_at_include_the_fresh_ones():
    with pytest.raises(ValueError, match="include the 59 fresh ones"):
        Dmax(d_max=15, cache=30)
    assert Dmax(d_max=15, cache=80).retained() == 21
    assert Dmax(d_max=15, cache=30, working_set=20).retained() == 10


def test_turns_end_when_the_measure_settles_and_with_a_selection():
    calls = []
    values = iter([5.0, 3.0, 2.0, 2.0001, 1.0])

    def select(gp, previous):
        calls.append(("select", gp))
        return next(values)

    history = []

    def ended(gp, chosen):
        history.append(Round(np.arange(2), np.zeros(1), chosen, np.nan))
        return len(history) > 1 and measure_settled(history, 1e-3)

    gp, chosen, rounds = interleave(0, select, lambda gp, chosen: calls.append(("adapt", gp)) or gp + 1, ended, 10)
    assert (gp, chosen, rounds) == (3, 2.0001, 3)
    assert [what for what, _ in calls] == ["select"] + ["adapt", "select"] * 3


def rounds_of(bases, parameters, objectives):
    return [Round(np.array(b), np.array([p]), 0.0, f) for b, p, f in zip(bases, parameters, objectives, strict=True)]


def test_a_round_that_makes_the_selection_worse_is_taken_back_and_is_the_last():
    measures = {0: 5.0, 1: 3.0, 2: 4.0}
    found = interleave(0, lambda gp, before: gp, lambda gp, _: gp + 1, lambda gp, _: False, 10)
    assert found == (10, 10, 10)
    worse = lambda before, after: measures[after] > measures[before]  # noqa: E731
    assert interleave(0, lambda gp, before: gp, lambda gp, _: gp + 1, lambda gp, _: False, 10, worse) == (1, 1, 1)


def test_ivm_ends_when_neither_basis_nor_parameters_move():
    same = rounds_of([[1, 2], [2, 1]], [0.0, 1e-4], [np.inf, -5.0])
    assert objective_settled(same, 1e-3)
    assert not objective_settled(rounds_of([[1, 2], [2, 3]], [0.0, 1e-4], [np.inf, -5.0]), 1e-3)
    assert not objective_settled(rounds_of([[1, 2], [2, 1]], [0.0, 1e-2], [np.inf, -5.0]), 1e-3)


@pytest.mark.parametrize(("rounds", "swing", "ends"), [(10, 1e-4, False), (11, 1e-4, True), (11, 1e-2, False)])
def test_ivm_ends_after_more_than_ten_rounds_of_a_flat_objective(rounds, swing, ends):
    values = [np.inf] + [-100 * (1 + swing * (i % 2)) for i in range(rounds)]
    history = rounds_of([[i] for i in range(rounds + 1)], [0.0] * (rounds + 1), values)
    assert objective_settled(history, 1e-3) == ends


def test_memory_is_a_small_multiple_of_rows_times_basis_and_working_set():
    p, d_max, cache = problem(4000), 60, 40
    tracemalloc.start()
    Nlgpp(d_max=d_max, cache=cache).fit(p, np.random.default_rng(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # V and Zeta for the basis; K, zeta and nu rows for candidates, twice while products and copies are made
    assert peak < 8 * p.n * (2 * d_max + 6 * (59 + cache) + 60)


def test_a_fit_leaves_the_problem_and_the_method_alone():
    p = problem()
    X, y = copy.deepcopy((p.X, p.y))
    greedy = Nlml(d_max=10)
    first, second = (greedy.fit(p, np.random.default_rng(9)).pivots for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(p.X, X)
    np.testing.assert_array_equal(p.y, y)
