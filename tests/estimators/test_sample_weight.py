"""`sample_weight` and `noise_variance` of the estimators: against a dense oracle, saved, refused."""

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPRegressor
from gpbench.errors import BadInput, BadParameter

METHODS = ("full-gp", "fitc", "vfe", "vecchia", "vif")
N = 40
VALUES = {"schedule": "fixed", "values": {"lengthscale": 0.7, "variance": 1.2, "noise": 0.2}}
rng = np.random.default_rng(5)
X, Xs = rng.normal(size=(N, 2)), rng.normal(size=(6, 2))
y = 3 * np.sin(X[:, 0]) + rng.normal(size=N)
WEIGHT, VARIANCE = rng.uniform(0.3, 3.0, N), rng.uniform(0.0, 2.0, N)


def model(method, n=N):
    sized = {"n_basis": n} if method in ("fitc", "vfe", "vif", "vecchia") else {}
    options = {"test_neighbours": n} if method == "vecchia" else None
    options = {"neighbours": n - 1, "calibrate": False, "inducing": "random"} if method == "vif" else options
    if method == "vif":
        sized = {"n_basis": 5}
    return SparseGPRegressor(method, learn=VALUES, random_state=0, options=options, **sized)


def dense(weight, variance):
    """The Gaussian process on scaled rows, in raw units."""
    A, As = (X - X.mean(0)) / X.std(0), (Xs - X.mean(0)) / X.std(0)
    factor = y.std()

    def k(a, b):
        return 1.2 * np.exp(-0.5 * ((a[:, None] - b) ** 2).sum(2) / 0.49)

    S = k(A, A) + np.diag(0.2 / weight + variance / factor**2)
    Ks = k(A, As)
    var = 1.2 - np.einsum("ij,ij->j", Ks, np.linalg.solve(S, Ks)) + 0.2
    return Ks.T @ np.linalg.solve(S, (y - y.mean()) / factor) * factor + y.mean(), np.sqrt(var) * factor


@pytest.mark.parametrize("method", METHODS)
def test_prediction_is_that_of_the_dense_gaussian_process(method, tmp_path):
    mean, std = dense(WEIGHT, VARIANCE)
    fitted = model(method).fit(X, y, sample_weight=WEIGHT, noise_variance=VARIANCE)
    found = fitted.predict(Xs, return_std=True)
    np.testing.assert_allclose(found[0], mean, atol=1e-4)
    np.testing.assert_allclose(found[1], std, atol=1e-4)
    fitted.save(tmp_path / "model.npz")
    again = gpbench.load(tmp_path / "model.npz").predict(Xs, return_std=True)
    np.testing.assert_array_equal(again, found)


@pytest.mark.parametrize("method", METHODS)
def test_weight_zero_leaves_the_row_out(method):
    weight = np.ones(N)
    weight[:3] = 0
    one = model(method, N - 3).fit(X, y, sample_weight=weight).predict(Xs)
    np.testing.assert_allclose(one, model(method, N - 3).fit(X[3:], y[3:]).predict(Xs), rtol=1e-11)


def test_learned_noise_of_known_measurement_errors_is_what_is_left():
    local = np.random.default_rng(0)
    A = np.sort(local.uniform(0, 10, 400))[:, None]
    error = local.uniform(0.0, 2.0, 400) ** 2
    b = np.sin(A[:, 0]) + np.sqrt(0.01 + error) * local.normal(size=400)
    with_errors = SparseGPRegressor("full-gp", learn="joint", random_state=0).fit(A, b, noise_variance=error)
    without = SparseGPRegressor("full-gp", learn="joint", random_state=0).fit(A, b)
    assert with_errors.noise_ < 0.05 < 0.5 < without.noise_


def test_bad_weights_are_refused_in_a_sentence():
    fitted = SparseGPRegressor("full-gp")
    with pytest.raises(BadInput, match=r"sample_weight: row 2 is -1, expected a number >= 0"):
        fitted.fit(X, y, sample_weight=np.r_[1, 1, -1, np.ones(N - 3)])
    with pytest.raises(BadInput, match=r"noise_variance: expected 40 numbers, one for each row, got shape \(3,\)"):
        fitted.fit(X, y, noise_variance=[1, 2, 3])
    with pytest.raises(BadInput, match="every weight is zero"):
        fitted.fit(X, y, sample_weight=np.zeros(N))
    with pytest.raises(BadParameter, match="nlgpp takes no sample_weight"):
        SparseGPRegressor("nlgpp").fit(X, y, sample_weight=WEIGHT)
