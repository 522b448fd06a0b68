"""Noise per row: every approximation against the dense Gaussian with that diagonal, and its gradient."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gpbench.gp.inference import exact, sparse, vecchia, vif
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.row_noise import RowNoise, with_variances
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.linalg.neighbours import earlier_neighbours

N, K = 30, 6
rng = np.random.default_rng(3)
X, Xs, Z = rng.normal(size=(N, 2)), rng.normal(size=(7, 2)), rng.normal(size=(5, 2))
y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=N)
GP0 = GP(ArdSE.create(X).with_values({"lengthscale": [0.8, 1.3], "variance": 1.4}), 0.13)
ROWS = RowNoise.of(N, rng.uniform(0.2, 4.0, N), rng.uniform(0.0, 0.2, N))
NEAR_ALL, NEAR = earlier_neighbours(X, N - 1), earlier_neighbours(X, K)


def dense_prediction():
    S = GP0.kernel(X) + np.diag(ROWS.variances(GP0.noise))
    Ks = GP0.kernel(X, Xs)
    return Ks.T @ np.linalg.solve(S, y), GP0.kernel.diag(Xs) - np.einsum("ij,ij->j", Ks, np.linalg.solve(S, Ks))


def evaluate(name, gp, rows=ROWS):
    """(F, dF/dtheta, dF/dlog noise)."""
    if name == "exact":
        return exact.evaluate(gp, X, y, rows=rows)
    if name == "vecchia":
        return vecchia.evaluate(gp, X, y, NEAR, rows)
    if name == "vif":
        found = vif.evaluate(vif.build(gp, Z, X, y, NEAR, noise=rows))
        return found.F, found.dtheta, gp.noise * found.dnoise
    approximation = sparse.APPROXIMATIONS[name]
    found = sparse.evaluate(sparse.build(approximation, with_variances(gp, rows, N), Z, X, y), inputs=False)
    return found.F, found.dtheta, gp.noise * (rows.slope(found.dnoise) if rows else found.dnoise)


def dense_evidence(name):
    K, own = GP0.kernel(X), np.diag(ROWS.variances(GP0.noise))
    Q = GP0.kernel(X, Z) @ np.linalg.solve(GP0.kernel(Z), GP0.kernel(Z, X))
    S = {"exact": K, "fitc": Q + np.diag(np.diag(K - Q)), "vfe": Q}[name] + own
    penalty = 0.5 * np.sum(np.diag(K - Q) / np.diag(own)) if name == "vfe" else 0.0
    return multivariate_normal(np.zeros(N), S).logpdf(y) - penalty


@pytest.mark.parametrize("name", ["exact", "fitc", "vfe"])
def test_evidence_is_that_of_the_dense_gaussian(name):
    assert evaluate(name, GP0)[0] == pytest.approx(dense_evidence(name), rel=1e-9)


@pytest.mark.parametrize("name", ["vecchia", "vif"])
def test_evidence_with_all_earlier_rows_is_exact(name):
    if name == "vecchia":
        F = vecchia.evaluate(GP0, X, y, NEAR_ALL, ROWS)[0]
    else:
        F = vif.evaluate(vif.build(GP0, Z, X, y, NEAR_ALL, noise=ROWS), gradient=False).F
    assert F == pytest.approx(dense_evidence("exact"), rel=1e-7)


def test_vecchia_with_few_neighbours_is_the_product_of_dense_conditionals():
    S = GP0.kernel(X) + np.diag(ROWS.variances(GP0.noise))
    F = multivariate_normal(np.zeros(K + 1), S[: K + 1, : K + 1]).logpdf(y[: K + 1])
    for i, near in enumerate(NEAR, start=K + 1):
        A = np.linalg.solve(S[np.ix_(near, near)], S[near, i])
        F += -0.5 * (np.log(2 * np.pi * (v := S[i, i] - A @ S[near, i])) + (y[i] - A @ y[near]) ** 2 / v)
    assert evaluate("vecchia", GP0)[0] == pytest.approx(F, rel=1e-9)


@pytest.mark.parametrize("name", ["exact", "fitc", "vfe", "vecchia", "vif"])
def test_gradient_agrees_with_finite_differences(name):
    _, dtheta, dlog_noise = evaluate(name, GP0)
    step, theta = 1e-5, GP0.kernel.theta
    for i in range(len(theta)):
        move = step * np.eye(len(theta))[i]
        up, down = (evaluate(name, GP(GP0.kernel.with_theta(theta + s * move), GP0.noise))[0] for s in (1, -1))
        assert dtheta[i] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-6)
    up, down = (evaluate(name, GP(GP0.kernel, GP0.noise * np.exp(s * step)))[0] for s in (1, -1))
    assert dlog_noise == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", ["exact", "fitc", "vfe", "vecchia", "vif"])
def test_equal_rows_are_a_common_noise(name):
    same = evaluate(name, GP0, RowNoise.of(N, np.ones(N)))
    plain = evaluate(name, GP0, None)
    assert same[0] == pytest.approx(plain[0], rel=1e-12)
    np.testing.assert_allclose(same[1], plain[1], rtol=1e-7, atol=1e-9)
    assert same[2] == pytest.approx(plain[2], rel=1e-8)


def predictions(name):
    if name == "exact":
        return exact.ExactPosterior.fit(GP0, X, y, ROWS).predict(Xs)
    if name == "vecchia":
        return vecchia.VecchiaPosterior(GP0, X, y, N, noise=ROWS.variances(GP0.noise)).predict(Xs)
    if name == "vif":
        model = vif.build(GP0, Z, X, y, NEAR_ALL, noise=ROWS)
        return vif.FullScalePosterior.of(model, N).predict(Xs)
    model = sparse.build(sparse.APPROXIMATIONS[name], with_variances(GP0, ROWS, N), X, X, y, 1e-10)
    posterior = SparsePosterior.of(model)
    return SparsePosterior(GP0, *(getattr(posterior, k) for k in ("Z", "L", "LB", "weights"))).predict(Xs)


@pytest.mark.parametrize("name", ["exact", "fitc", "vfe", "vecchia", "vif"])
def test_prediction_is_that_of_the_dense_gaussian_where_the_approximation_is_exact(name):
    mean, latent = dense_prediction()
    found = predictions(name)
    np.testing.assert_allclose(found.mean, mean, atol=2e-5)
    np.testing.assert_allclose(found.var_latent, latent, atol=2e-5)
    np.testing.assert_allclose(found.var, latent + GP0.noise, atol=2e-5)  # a new row has the factor 1


def test_weight_two_is_the_row_twice_at_fixed_values():
    twice = np.r_[np.arange(N), 0, 1]
    weight = np.ones(N)
    weight[:2] = 2
    one = exact.ExactPosterior.fit(GP0, X, y, RowNoise.of(N, weight)).predict(Xs)
    other = exact.ExactPosterior.fit(GP0, X[twice], y[twice]).predict(Xs)
    np.testing.assert_allclose(one.mean, other.mean, atol=1e-9)
    np.testing.assert_allclose(one.var, other.var, atol=1e-9)
