"""Local GPs: with one cluster the full GP, else the GP whose covariance is zero between clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench import catalog
from gpbench.gp.inference import exact, local
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.linalg.halving import Halving
from gpbench.methods.base import Problem, Schedule
from tests.oracles import exact as oracle


@pytest.fixture
def case(rng):
    X = rng.normal(size=(50, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=50)
    return GP(build_kernel({"name": "matern32"}, X), 0.05), X, y


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 20), st.integers(1, 3), st.booleans(), st.integers(0, 99))
def test_clusters_are_a_partition_of_even_sizes(n, size, dims, clumped, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, dims)).astype(float) if clumped else rng.normal(size=(n, dims))
    leaves = Halving.of(X, size, rng).leaves()
    assert sorted(np.concatenate(leaves)) == list(range(n))
    assert max(map(len, leaves)) <= size and max(map(len, leaves)) - min(map(len, leaves)) <= 1


def test_training_rows_fall_into_their_own_cluster(rng):
    X = rng.normal(size=(70, 3))
    tree = Halving.of(X, 9, rng)
    for number, rows in enumerate(tree.leaves()):
        assert (tree.assign(X[rows]) == number).all()


def test_objective_is_that_of_a_block_diagonal_covariance(case, rng):
    gp, X, y = case
    tree = Halving.of(X, 13, rng)
    number = np.empty(50)
    for j, rows in enumerate(tree.leaves()):
        number[rows] = j
    same = number[:, None] == number

    def value(x):
        K = gp.kernel.with_theta(x[:-1])(X) * same
        return oracle.log_evidence(K, np.exp(x[-1]), y)

    F, dtheta, dlog_noise = local.evaluate(gp, X, y, tree.leaves())
    at = np.r_[gp.kernel.theta, np.log(gp.noise)]
    assert F == pytest.approx(value(at), rel=1e-11)
    np.testing.assert_allclose(np.r_[dtheta, dlog_noise], oracle.finite_difference(value, at), rtol=1e-5, atol=1e-6)


def test_predictions_are_those_of_the_cluster(case, rng):
    gp, X, y = case
    tree, Xs = Halving.of(X, 13, rng), rng.normal(size=(20, 2))
    found = local.LocalPosterior.fit(gp, X, y, tree).predict(Xs)
    for i, number in enumerate(tree.assign(Xs)):
        rows = tree.leaves()[number]
        alone = exact.ExactPosterior.fit(gp, X[rows], y[rows]).predict(Xs[i : i + 1])
        assert (found.mean[i], found.var[i]) == pytest.approx((alone.mean[0], alone.var[0]), rel=1e-10)


@pytest.mark.parametrize("kind", ["fixed", "joint"])
def test_one_cluster_is_the_full_gp(case, rng, kind):
    gp, X, y = case
    problem = Problem(X, y, gp, Schedule(kind, evaluations=30), rng.permutation(50))
    one, full = (catalog.find("method", m)() for m in ("local", "full-gp"))
    one, full = one.fit(problem, rng), full.fit(problem, rng)
    assert one.log_evidence == pytest.approx(full.log_evidence, rel=1e-12) and one.n_basis == 50
    np.testing.assert_allclose(one.predict(X + 0.1).mean, full.predict(X + 0.1).mean, rtol=1e-10)
    np.testing.assert_allclose(one.predict(X + 0.1).var, full.predict(X + 0.1).var, rtol=1e-10)


def test_more_rows_a_cluster_explain_more(rng):
    X = rng.uniform(-2, 2, size=(400, 2))
    y = np.sin(3 * X[:, 0]) + np.cos(3 * X[:, 1]) + 0.1 * rng.normal(size=400)
    problem = Problem(X[:300], y[:300], GP(build_kernel({"name": "matern52"}, X), 0.01), Schedule(), np.arange(300))
    errors = []
    for size in (10, 50, 300):
        fitted = catalog.find("method", "local")(d_max=size).fit(problem, np.random.default_rng(0))
        errors.append(np.mean((fitted.predict(X[300:]).mean - y[300:]) ** 2))
    assert errors[0] > errors[1] > errors[2]
