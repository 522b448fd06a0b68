"""The default regressor on rows that break others: finite numbers, intervals that hold, and notes of one sentence."""

import warnings

import numpy as np
import pytest

from gpbench import SparseGPRegressor


def f(X):
    return np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]


def rows(rng, n, inputs=3):
    return rng.uniform(-2, 2, (n, inputs))


def constant_columns(rng):
    X, Z = rows(rng, 300), rows(rng, 500)
    X[:, 2] = Z[:, 2] = 7
    return X, f(X) + 0.1 * rng.normal(size=300), Z, f(Z) + 0.1 * rng.normal(size=500)


def only_constant_columns(rng):
    return np.ones((200, 2)), rng.normal(size=200), np.ones((500, 2)), rng.normal(size=500)


def duplicates_with_different_targets(rng):
    X, Z = np.repeat(rows(rng, 60), 10, axis=0), rows(rng, 500)
    return X, f(X) + 0.5 * rng.normal(size=600), Z, f(Z) + 0.5 * rng.normal(size=500)


def rounded_targets(rng):
    X, Z = rows(rng, 600), rows(rng, 500)
    return X, np.round(2 * f(X)), Z, np.round(2 * f(Z))


def two_values(rng):
    X, Z = rows(rng, 600), rows(rng, 500)
    return X, (f(X) > 0) * 1.0, Z, (f(Z) > 0) * 1.0


def zero_noise(rng):
    X, Z = rows(rng, 400), rows(rng, 500)
    return X, f(X), Z, f(Z)


def a_plane_without_noise(rng):
    X, Z = rows(rng, 400), rows(rng, 500)
    return X, X @ [1, 2, 3.0], Z, Z @ [1, 2, 3.0]


def heavy_tails(rng):
    X, Z = rows(rng, 800), rows(rng, 500)
    return X, f(X) + 0.3 * rng.standard_t(1.5, 800), Z, f(Z) + 0.3 * rng.standard_t(1.5, 500)


def more_columns_than_rows(rng):
    X, Z = rng.normal(size=(60, 300)), rng.normal(size=(500, 300))
    return X, X[:, 0] + 0.3 * rng.normal(size=60), Z, Z[:, 0] + 0.3 * rng.normal(size=500)


def pure_noise(rng):
    return rows(rng, 500), rng.normal(size=500), rows(rng, 500), rng.normal(size=500)


def copied_columns(rng):
    X, Z = np.tile(rows(rng, 400), 3), np.tile(rows(rng, 500), 3)
    return X, f(X) + 0.1 * rng.normal(size=400), Z, f(Z) + 0.1 * rng.normal(size=500)


def large_mean_and_scale(rng):
    X, Z = 1e-9 * rows(rng, 400), 1e-9 * rows(rng, 500)
    return (
        X,
        1e12 * (50 + f(1e9 * X) + 0.1 * rng.normal(size=400)),
        Z,
        1e12 * (50 + f(1e9 * Z) + 0.1 * rng.normal(size=500)),
    )


CASES = (
    constant_columns, only_constant_columns, duplicates_with_different_targets, rounded_targets, two_values, zero_noise,
    a_plane_without_noise, heavy_tails, more_columns_than_rows, pure_noise, copied_columns, large_mean_and_scale,
)  # fmt: skip


def fitted(X, y, Z):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = SparseGPRegressor(random_state=0).fit(X, y)
        mean, std = model.predict(Z, return_std=True)
    assert np.isfinite(mean).all() and np.isfinite(std).all() and (std > 0).all()
    for note in model.notes_:
        assert note.count(". ") == 0 and "\n" not in note  # one sentence
    assert any(note.startswith("method ") for note in model.notes_) or model.method_ == "constant"
    return model, mean, std


@pytest.mark.parametrize("case", CASES)
def test_intervals_hold(case):
    X, y, Z, t = case(np.random.default_rng(0))
    _, mean, std = fitted(X, y, Z)
    assert 0.87 <= np.mean(np.abs(t - mean) <= 1.96 * std) <= 1.0
    assert np.median(np.abs(t - mean)) <= 1.05 * np.median(np.abs(t - y.mean()))  # heavy tails have no mean square


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10])
def test_a_handful_of_rows(n):
    rng = np.random.default_rng(n)
    X, Z = rows(rng, n), rows(rng, 300)
    fitted(X, f(X), Z)


@pytest.mark.parametrize("odd", [0, 1])
def test_a_target_that_is_constant_or_nearly(odd):
    rng = np.random.default_rng(0)
    X, y = rows(rng, 300), np.full(300, 3.0)
    y[:odd] = 4.0
    _, mean, _ = fitted(X, y, rows(rng, 100))
    assert np.median(np.abs(mean - 3.0)) < 0.1  # near the odd row it may be another one


def test_a_column_that_was_constant_moves_in_new_rows():
    rng = np.random.default_rng(0)
    X, Z = rows(rng, 300), rows(rng, 300)
    X[:, 2] = 7
    _, mean, std = fitted(X, f(X) + 0.1 * rng.normal(size=300), Z)
    assert np.mean(np.abs(f(Z) - mean) <= 1.96 * std) > 0.9


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_fifty_thousand_rows():
    rng = np.random.default_rng(0)
    X, Z = rows(rng, 50_000), rows(rng, 2000)
    t = f(Z) + 0.1 * rng.normal(size=2000)
    model, mean, std = fitted(X, f(X) + 0.1 * rng.normal(size=50_000), Z)
    assert 0.9 <= np.mean(np.abs(t - mean) <= 1.96 * std) <= 0.98
    assert np.sqrt(np.mean((t - mean) ** 2)) < 0.105 and model.method_ in ("fitc", "vecchia", "vif")
