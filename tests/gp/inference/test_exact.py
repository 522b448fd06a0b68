"""The full GP equals its definition, and its gradient finite differences."""

import numpy as np
import pytest

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.inference import exact
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning.full_gp import fit_hyperparameters
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.gp.linalg.cholesky import LADDER, Cholesky, mirror_lower
from tests.oracles import exact as oracle


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(30, 3))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=30)
    return X, y, GP(ArdSE(np.log([1.3, 0.8, 1.5, 2.0]), 3), 0.05)


def test_objective_equals_the_definition(problem):
    X, y, gp = problem
    F, _, _ = exact.evaluate(gp, X, y)
    assert F == pytest.approx(oracle.log_evidence(gp.kernel(X), gp.noise, y), rel=1e-12)


def test_gradient_equals_finite_differences(problem):
    X, y, gp = problem
    _, dtheta, dlog_noise = exact.evaluate(gp, X, y)

    def value(x):
        return oracle.log_evidence(gp.kernel.with_theta(x[:-1])(X), np.exp(x[-1]), y)

    fd = oracle.finite_difference(value, np.r_[gp.kernel.theta, np.log(gp.noise)])
    np.testing.assert_allclose(np.r_[dtheta, dlog_noise], fd, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("block", [1, 4, 1000])
def test_predictions_equal_the_definition_whatever_the_block(problem, rng, block):
    X, y, gp = problem
    Xs = rng.normal(size=(11, 3))
    got = exact.ExactPosterior.fit(gp, X, y).predict(Xs, block=block)
    mean, latent = oracle.posterior(gp.kernel(X), gp.kernel(X, Xs), gp.kernel.diag(Xs), gp.noise, y)
    np.testing.assert_allclose(got.mean, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(got.var_latent, latent, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(got.var, latent + gp.noise, rtol=1e-9)


def test_learning_climbs_and_finds_a_stationary_point(problem):
    X, y, gp = problem
    before = exact.evaluate(gp, X, y)[0]
    learned, info = fit_hyperparameters(X, y, gp, OptimiserOptions(300))
    after, dtheta, dlog_noise = exact.evaluate(learned, X, y)
    assert after > before + 1 and after == pytest.approx(info["objective"], rel=1e-12)
    # a length-scale at its bound may keep a gradient; the data-driven ones may not
    assert abs(dtheta[:2]).max() < 1e-2 and abs(dlog_noise) < 1e-2


def test_restarts_never_lose_to_the_single_start(problem):
    X, y, gp = problem
    one = fit_hyperparameters(X, y, gp, OptimiserOptions(40))[1]["objective"]
    three = fit_hyperparameters(X, y, gp, OptimiserOptions(40, restarts=3), np.random.default_rng(1))[1]["objective"]
    assert three >= one


def test_duplicate_rows_without_noise_need_jitter_and_say_so(problem):
    X, _, gp = problem
    K = gp.kernel(np.vstack([X, X]))
    root = Cholesky.of(K)
    assert 0 < root.jitter == root.needed <= LADDER[-1] * K.diagonal().mean()
    np.testing.assert_allclose(root.L @ root.L.T, K + root.jitter * np.eye(60), atol=1e-12)


def test_jitter_that_every_matrix_is_given_is_not_called_needed(problem):
    X, _, gp = problem
    K = gp.kernel(X) + 0.1 * np.eye(len(X))
    root = Cholesky.of(K, start=1e-8)
    assert root.jitter == 1e-8 * K.diagonal().mean() and root.needed == 0.0
    assert Cholesky.of(gp.kernel(np.vstack([X, X])) - 1e-6 * np.eye(60), start=1e-8).needed > 0


def test_an_indefinite_matrix_is_refused_with_a_reason():
    with pytest.raises(NotPositiveDefinite, match="not positive definite"):
        Cholesky.of(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(NotPositiveDefinite, match="finite"):
        Cholesky.of(np.array([[1.0, np.nan], [np.nan, 1.0]]))


def test_factor_protocol_equals_dense_algebra(rng):
    A = rng.normal(size=(40, 40))
    S, b = A @ A.T + np.eye(40), rng.normal(size=(40, 3))
    factor = Cholesky.of(S)
    np.testing.assert_allclose(factor.solve(b), np.linalg.solve(S, b), rtol=1e-9)
    np.testing.assert_allclose(factor.solve(b[:, 0]), np.linalg.solve(S, b[:, 0]), rtol=1e-9)
    np.testing.assert_allclose(factor.inverse(), np.linalg.inv(S), atol=1e-10)
    np.testing.assert_allclose(factor.inv_diag(), np.diag(np.linalg.inv(S)), rtol=1e-9)
    assert factor.logdet() == pytest.approx(np.linalg.slogdet(S)[1], rel=1e-12)


@pytest.mark.parametrize("n, block", [(1, 4), (7, 3), (8, 4), (9, 16)])
def test_mirror_lower_makes_the_matrix_symmetric(rng, n, block):
    A = np.asfortranarray(rng.normal(size=(n, n)))
    expected = np.tril(A) + np.tril(A, -1).T
    mirror_lower(A, block)
    np.testing.assert_array_equal(A, expected)


@pytest.mark.parametrize("combined", ["sum", "product"])
def test_an_evaluation_with_gradient_looks_at_every_part_once(combined, rng, monkeypatch):
    X, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    kernel = build_kernel({combined: [{"name": "ard-se"}, {"name": "ard-se", "ard": False}, {"name": "bias"}]}, X)
    seen, evaluate = [], ArdSE.__call__
    monkeypatch.setattr(ArdSE, "__call__", lambda self, *X: seen.append(self) or evaluate(self, *X))
    gp = GP(kernel, 0.1)
    _, dtheta, _ = exact.evaluate(gp, X, y)
    assert len(seen) == 2
    at = lambda theta: exact.evaluate(GP(kernel.with_theta(theta), 0.1), X, y)[0]  # noqa: E731
    np.testing.assert_allclose(dtheta, oracle.finite_difference(at, kernel.theta), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("combined", ["sum", "product"])
def test_a_linearised_combination_pulls_back_to_inputs_as_well(combined, rng):
    X, X2, dK = rng.normal(size=(7, 2)), rng.normal(size=(9, 2)), rng.normal(size=(7, 9))
    kernel = build_kernel({combined: [{"name": "ard-se"}, {"name": "matern32"}]}, X)
    K, pull = kernel.linearised(X, X2)
    np.testing.assert_array_equal(K, kernel(X, X2))
    for found, known in zip(pull(dK.copy(), True), kernel.pullback(dK.copy(), X, X2, K, True)):
        np.testing.assert_allclose(found, known, rtol=1e-12)
    at = lambda x: float((dK * kernel(x.reshape(7, 2), X2)).sum())  # noqa: E731
    np.testing.assert_allclose(
        pull(dK.copy(), True)[1].ravel(), oracle.finite_difference(at, X.ravel()), rtol=1e-5, atol=1e-6
    )
