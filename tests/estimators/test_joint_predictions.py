"""Covariances, draws and quantiles of predictions, in the units of the target."""

import numpy as np
import pytest

from gpbench import SparseGPRegressor, load
from gpbench.errors import BadInput, BadParameter

METHODS = {"full-gp": "auto", "fitc": 12, "vfe": 12, "vecchia": 10, "vif": 8, "local": "auto", "sod": 30}
DRAWS = 20_000


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    X = rng.uniform(0, 5, (80, 2))
    return X, 300 + 40 * np.sin(X[:, 0]) + 5 * rng.normal(size=80), rng.uniform(0, 5, (9, 2))


@pytest.fixture(scope="module", params=METHODS)
def fitted(request, table):
    X, y, _ = table
    return SparseGPRegressor(request.param, METHODS[request.param], "matern52", random_state=0).fit(X, y)


def test_covariance_has_the_variances_on_its_diagonal(fitted, table):
    Xs = table[2]
    mean, std, cov = fitted.predict(Xs, return_std=True, return_cov=True)
    _, latent_std, latent = fitted.predict(Xs, return_std="latent", return_cov="latent")
    np.testing.assert_array_equal(mean, fitted.predict(Xs))
    np.testing.assert_allclose(cov.diagonal(), std**2, rtol=1e-8)
    np.testing.assert_allclose(latent.diagonal(), latent_std**2, rtol=1e-6)
    np.testing.assert_array_equal(cov - np.diag(cov.diagonal()), latent - np.diag(latent.diagonal()))


def test_moments_of_many_draws(fitted, table):
    Xs = table[2]
    mean, cov = fitted.predict(Xs, return_cov=True)
    draws = fitted.sample_y(Xs, DRAWS, random_state=3)
    assert draws.shape == (len(Xs), DRAWS)
    std = np.sqrt(cov.diagonal())
    assert np.abs(draws.mean(1) - mean).max() < 4.5 * std.max() / np.sqrt(DRAWS)
    error = np.abs(np.cov(draws) - cov) / np.outer(std, std)  # of a covariance: at most sqrt(2 / draws) at one place
    assert error.max() < 4.5 * np.sqrt(2 / DRAWS)
    latent = fitted.sample_y(Xs, DRAWS, random_state=3, latent=True)
    assert (latent.var(1) < draws.var(1)).all()


def test_draws_repeat_with_their_seed(fitted, table):
    Xs = table[2]
    np.testing.assert_array_equal(fitted.sample_y(Xs, 2, random_state=1), fitted.sample_y(Xs, 2, random_state=1))
    assert not np.array_equal(fitted.sample_y(Xs, random_state=1), fitted.sample_y(Xs, random_state=2))


def test_covariance_of_a_full_gp_by_dense_matrices(table):
    X, y, Xs = table
    model = SparseGPRegressor("full-gp", kernel="matern52", random_state=0).fit(X, y)
    shift, stretch, factor = X.mean(0), X.std(0), y.std()
    A, B, kernel = (X - shift) / stretch, (Xs - shift) / stretch, model.kernel_
    noise = model.noise_ / factor**2
    S = kernel(A) + noise * np.eye(len(A))
    expected = kernel(B) - kernel(B, A) @ np.linalg.solve(S, kernel(A, B)) + noise * np.eye(len(B))
    np.testing.assert_allclose(model.predict(Xs, return_cov=True)[1], expected * factor**2, atol=1e-6)


def test_quantiles_beside_the_mean(fitted, table):
    Xs = table[2]
    mean, std, quantiles = fitted.predict(Xs, return_std=True, quantiles=[0.025, 0.5, 0.975])
    np.testing.assert_allclose(quantiles[:, 1], mean)
    np.testing.assert_allclose(quantiles[:, 2] - quantiles[:, 0], 2 * 1.959964 * std, rtol=1e-6)
    np.testing.assert_array_equal(quantiles, fitted.predict_quantiles(Xs))


def test_a_saved_model_gives_the_same_covariances(fitted, table, tmp_path):
    fitted.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz").predict(table[2], return_cov=True)[1]
    np.testing.assert_array_equal(again, fitted.predict(table[2], return_cov=True)[1])


def test_what_cannot_be_answered_is_refused(fitted, table):
    X, _, Xs = table
    for call, word in [
        (lambda: fitted.predict(Xs, return_cov="yes"), "return_cov: expected"),
        (lambda: fitted.predict(Xs, quantiles=[1.5]), "quantiles: expected numbers between 0 and 1"),
        (lambda: fitted.sample_y(Xs, 0), "n_samples: expected a whole number"),
        (lambda: fitted.sample_y(Xs, 3, random_state="x"), "random_state"),
    ]:
        with pytest.raises((BadInput, BadParameter), match=word):
            call()
    counts = SparseGPRegressor("ep", likelihood="poisson", random_state=0).fit(X[:30], np.arange(30.0) % 4)
    with pytest.raises(BadInput, match="ep: a LikelihoodPosterior predicts each row by itself"):
        counts.predict(Xs, return_cov=True)
