"""Vecchia's approximation: its definition, its exact limits, its gradient, its neighbours and orderings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench import catalog
from gpbench.errors import NotApplicable, NotPositiveDefinite
from gpbench.gp.inference import exact, vecchia
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.gp.learning.neighbours import learn, moved
from gpbench.gp.linalg.conditionals import log_densities
from gpbench.gp.linalg.neighbours import earlier_neighbours, maximin_order
from gpbench.methods.base import Problem, Schedule
from tests.oracles import vecchia as oracle
from tests.oracles.exact import finite_difference

SPECS = [
    {"name": "matern12"},
    {"name": "matern32"},
    {"name": "ard-se"},
    {"name": "pp2"},
    {"name": "rational-quadratic", "ard": False},
    {"name": "periodic"},
    {"sum": [{"name": "matern32", "bias": True}, {"name": "linear"}]},
    {"product": [{"name": "matern52"}, {"name": "ard-se"}]},
]


def drawn(rng, spec, n=40, dims=2):
    X = rng.normal(size=(n, dims))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)
    kernel = build_kernel(spec, X)
    return GP(kernel.with_theta(kernel.theta + 0.2 * rng.normal(size=len(kernel.theta))), 0.05), X, y


def neighbours(gp, X, k):
    return earlier_neighbours(vecchia.embedding(gp.kernel, X), k)


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("k", [1, 4, 11])
def test_objective_equals_the_definition_for_every_kind_of_kernel(spec, k, rng):
    gp, X, y = drawn(rng, spec)
    F, _, _ = vecchia.evaluate(gp, X, y, neighbours(gp, X, k))
    expected = oracle.log_evidence(gp.kernel, gp.noise, X, y, vecchia.embedding(gp.kernel, X), k)
    assert F == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_gradient_equals_finite_differences(spec, rng):
    gp, X, y = drawn(rng, spec)
    near = neighbours(gp, X, 5)
    _, dtheta, dlog_noise = vecchia.evaluate(gp, X, y, near)

    def value(x):
        return vecchia.evaluate(GP(gp.kernel.with_theta(x[:-1]), np.exp(x[-1])), X, y, near)[0]

    fd = finite_difference(value, np.r_[gp.kernel.theta, np.log(gp.noise)])
    np.testing.assert_allclose(np.r_[dtheta, dlog_noise], fd, rtol=1e-5, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(1, 12), st.integers(1, 4), st.floats(1e-3, 2), st.integers(0, 99))
def test_any_size_equals_the_definition(n, k, dims, noise, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, dims)) + 0.01 * rng.normal(size=(n, dims))  # clumps
    y, kernel = rng.normal(size=n), build_kernel({"name": "matern32"}, X).with_values({"lengthscale": 1.0})
    k = min(k, n - 1)
    F, _, _ = vecchia.evaluate(GP(kernel, noise), X, y, earlier_neighbours(X, k))
    assert F == pytest.approx(oracle.log_evidence(kernel, noise, X, y, X, k), rel=1e-8, abs=1e-8)


def test_with_every_earlier_row_a_neighbour_it_is_the_full_gp(rng):
    gp, X, y = drawn(rng, {"name": "matern32"})
    F, dtheta, dlog_noise = exact.evaluate(gp, X, y)
    found = vecchia.evaluate(gp, X, y, neighbours(gp, X, 39))
    assert found[0] == pytest.approx(F, rel=1e-12)
    np.testing.assert_allclose(np.r_[found[1], found[2]], np.r_[dtheta, dlog_noise], rtol=1e-10)
    got, full = (
        vecchia.VecchiaPosterior(gp, X, y, 40).predict(X + 0.1),
        exact.ExactPosterior.fit(gp, X, y).predict(X + 0.1),
    )
    np.testing.assert_allclose(got.mean, full.mean, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(got.var, full.var, rtol=1e-9)


def test_the_compiled_chain_of_all_earlier_rows_is_the_full_gp(rng):
    """The same through the conditionals alone: row by row, each given all before it."""
    gp, X, y = drawn(rng, {"name": "matern52"}, n=15)
    total = exact.evaluate(gp, X[:1], y[:1])[0]
    for i in range(1, 15):
        rows, columns = np.tril_indices(i + 1)
        order = np.lexsort((rows, columns))
        packed = gp.kernel(X[: i + 1])[rows[order], columns[order]]
        total += log_densities(packed[None], y[None, : i + 1], gp.noise)[0]
    assert total == pytest.approx(exact.evaluate(gp, X, y)[0], rel=1e-11)


def test_a_markov_process_needs_one_neighbour(rng):
    """matern12 on a line without noise: given its predecessor a value knows nothing of those before."""
    X = np.sort(rng.uniform(0, 5, size=(30, 1)), axis=0)
    gp = GP(build_kernel({"name": "matern12"}, X).with_values({"lengthscale": 1.0}), 1e-12)
    y = np.linalg.cholesky(gp.kernel(X)) @ rng.normal(size=30)
    F, _, _ = vecchia.evaluate(gp, X, y, neighbours(gp, X, 1))
    assert F == pytest.approx(exact.evaluate(gp, X, y)[0], rel=1e-6)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_predictions_equal_the_definition(spec, rng):
    gp, X, y = drawn(rng, spec)
    Xs = rng.normal(size=(6, 2))
    found, E = vecchia.VecchiaPosterior(gp, X, y, 7).predict(Xs), vecchia.embedding(gp.kernel, np.vstack([X, Xs]))
    for i, x in enumerate(Xs):
        N = np.argsort(((E[:40] - E[40 + i]) ** 2).sum(1))[:7]
        mean, latent = oracle.conditional(gp.kernel, gp.noise, X, y, N, x)
        assert (found.mean[i], found.var_latent[i]) == pytest.approx((mean, latent), rel=1e-8, abs=1e-10)
    np.testing.assert_allclose(found.var, found.var_latent + gp.noise)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 120), st.integers(1, 20), st.integers(1, 3), st.booleans(), st.integers(0, 99))
def test_neighbours_are_the_nearest_earlier_rows(n, k, dims, sorted_rows, seed):
    rng, k = np.random.default_rng(seed), min(k, n - 1)
    E = rng.normal(size=(n, dims))
    E = E[np.argsort(E[:, 0])] if sorted_rows else E  # a sweep along a line: most of what is near comes later
    found = earlier_neighbours(E, k)
    assert found.shape == (n - k - 1, k)
    for i, near in zip(range(k + 1, n), found):
        assert set(near) == set(oracle.nearest_earlier(E, i, k))


def test_duplicate_rows_are_neighbours_only_when_they_come_earlier():
    E = np.zeros((30, 2))
    found = earlier_neighbours(E, 3)
    assert (found < np.arange(4, 30)[:, None]).all() and all(len(set(near)) == 3 for near in found)


def test_maximin_takes_the_point_furthest_from_all_before_it(rng):
    E = rng.normal(size=(50, 2))
    order = maximin_order(E)
    assert sorted(order) == list(range(50))
    distance = np.sqrt(((E[:, None] - E) ** 2).sum(2))
    for i in range(1, 50):
        gaps = distance[:, order[:i]].min(1)
        assert gaps[order[i]] == pytest.approx(gaps.max())
    assert sorted(maximin_order(np.zeros((4, 2)))) == [0, 1, 2, 3]


def test_learning_climbs_and_finds_the_relevant_input(rng):
    X = rng.uniform(-2, 2, size=(600, 2))
    y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=600)
    start = GP(build_kernel({"name": "matern32"}, X), 0.1)
    gp, trace = learn(X, y, start, 10, OptimiserOptions(100), rng, few=200)
    near = neighbours(gp, X, 10)
    F, dtheta, dlog_noise = vecchia.evaluate(gp, X, y, near)
    assert F > vecchia.evaluate(start, X, y, neighbours(start, X, 10))[0] + 50
    assert gp.kernel.values()["lengthscale"][1] > 5 * gp.kernel.values()["lengthscale"][0]
    assert gp.noise == pytest.approx(0.01, rel=0.3)
    assert abs(F - trace[-1]["objective"]) < 5 and np.abs(dtheta[:2]).max() < 10 and abs(dlog_noise) < 10


def test_only_ratios_of_scales_move_neighbours(rng):
    E = rng.normal(size=(20, 2))
    assert not moved(E, 7 * E) and not moved(E, E * [1.0, 1.1]) and moved(E, E * [1.0, 2.0])
    assert not moved(E[:, :1], 7 * E[:, :1])


def problem_of(rng, spec, n=80, kind="fixed"):
    gp, X, y = drawn(rng, spec, n)
    return Problem(X, y, gp, Schedule(kind, evaluations=10), rng.permutation(n))


@pytest.mark.parametrize("ordering", ["random", "maximin"])
def test_the_method_with_all_neighbours_is_the_full_gp(rng, ordering):
    problem = problem_of(rng, {"name": "matern32"})
    method = catalog.find("method", "vecchia")(neighbours=500, ordering=ordering)
    fitted, full = method.fit(problem, rng), catalog.find("method", "full-gp")().fit(problem, rng)
    assert fitted.log_evidence == pytest.approx(full.log_evidence, rel=1e-10)
    np.testing.assert_allclose(fitted.predict(problem.X).mean, full.predict(problem.X).mean, rtol=1e-8, atol=1e-10)


def test_the_method_learns(rng):
    problem = problem_of(rng, {"name": "matern32"}, kind="joint")
    fixed = catalog.find("method", "vecchia")(neighbours=8).fit(problem_of(rng, {"name": "matern32"}), rng)
    fitted = catalog.find("method", "vecchia")(neighbours=8).fit(problem, rng)
    assert fitted.log_evidence > fixed.log_evidence and fitted.trace[-1]["objective"] >= fitted.trace[0]["objective"]
    assert fitted.n_basis == 8


def test_an_input_without_distances_is_refused(rng):
    X = rng.uniform(size=(30, 3))
    gp = GP(build_kernel({"name": "histogram-intersection"}, X), 0.1)
    problem = Problem(X, X[:, 0], gp, Schedule(), np.arange(30))
    with pytest.raises(NotApplicable, match="knows no distance"):
        catalog.find("method", "vecchia")(neighbours=3).fit(problem, rng)


def test_a_singular_neighbourhood_is_an_error_with_a_reason(rng):
    gp, X, y = drawn(rng, {"name": "matern32"})
    X[4:] = X[4]  # copies of one point, which less than no noise makes indefinite
    with pytest.raises(NotPositiveDefinite, match="a point and its neighbours"):
        vecchia.evaluate(GP(gp.kernel, -1e-3), X, y, earlier_neighbours(X, 3))
    with pytest.raises(NotPositiveDefinite, match="neighbours of a test point"):
        vecchia.VecchiaPosterior(GP(gp.kernel, -1e-3), X, y, 3).predict(X[4:5])


def test_memory_is_linear_in_the_rows(rng):
    """10^5 rows would need 80 GB as a matrix."""
    n, k = 100_000, 5
    X, y = rng.uniform(size=(n, 2)), rng.normal(size=n)
    gp = GP(build_kernel({"name": "matern32"}, X).with_values({"lengthscale": 0.01}), 0.5)
    F, dtheta, _ = vecchia.evaluate(gp, X, y, neighbours(gp, X, k))
    assert np.isfinite(F) and np.isfinite(dtheta).all()
    assert np.isfinite(vecchia.VecchiaPosterior(gp, X, y, k).predict(X[:50]).mean).all()
