"""Scaling: statistics of the training part only, exact way back, constant columns survive."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpbench.data.scaling import INPUTS, TARGETS, Scaler
from gpbench.errors import ConfigError
from gpbench.metrics import nlpd
from tests.oracles.data import detrended

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
rules = st.fixed_dictionaries({"inputs": st.sampled_from(INPUTS), "target": st.sampled_from(TARGETS)})


@settings(max_examples=200)
@given(arrays(float, (7, 3), elements=numbers), arrays(float, 7, elements=numbers), rules)
def test_scaling_a_target_and_going_back_is_the_identity(X, y, rule):
    s = Scaler.fit(X[:5], y[:5], rule)
    mean, var = s.back(s.target(y, X), np.ones(7), X)
    size = np.abs(y).max() + np.abs(s._trend(X)).max() + s.factor
    assert np.abs(mean - y).max() <= 1e-9 * size
    assert np.allclose(var, s.factor**2) and np.isfinite(s.inputs(X)).all()


@given(arrays(float, (4, 3), elements=numbers), arrays(float, 4, elements=numbers), rules)
def test_scaling_never_sees_test_rows(X_other, y_other, rule):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    split = np.arange(16), np.arange(16, 20)
    X2, y2 = X.copy(), y.copy()
    X2[split[1]], y2[split[1]] = X_other, y_other
    a, b = (Scaler.fit(x[split[0]], t[split[0]], rule) for x, t in ((X, y), (X2, y2)))
    assert np.array_equal(a.inputs(X[:16]), b.inputs(X2[:16]))
    assert np.array_equal(a.target(y[:16], X[:16]), b.target(y2[:16], X2[:16]))


def test_standardised_training_part_has_mean_zero_and_unit_deviation(rng):
    X, y = rng.uniform(3, 9, (50, 4)) * [1, 10, 100, 1e-3], rng.normal(40, 7, 50)
    s = Scaler.fit(X, y)
    for a in (s.inputs(X), s.target(y, X)[:, None]):
        assert np.allclose(a.mean(0), 0, atol=1e-12) and np.allclose(a.std(0), 1)
    centred = Scaler.fit(X, y, {"target": "centre"})
    assert np.allclose(centred.target(y, X), y - y.mean()) and centred.factor == 1


@pytest.mark.parametrize("value", [0.1, 0.0, -1e9])
def test_constant_columns_and_targets_survive(value, rng):
    X, y = np.c_[rng.normal(size=30), np.full(30, value)], np.full(30, value)
    for target in TARGETS:
        s = Scaler.fit(X, y, {"target": target})
        assert np.array_equal(s.inputs(X)[:, 1], np.zeros(30))
        assert s.factor == 1 and np.isfinite(s.target(y, X)).all()
    assert s.inputs(np.array([[0.0, value + 2]]))[0, 1] == pytest.approx(2, rel=1e-6)


def test_detrend_is_the_form_in_which_kin40k_is_distributed(rng):
    X = rng.uniform(-1.5, 1.5, (60, 3))
    y = X @ [1, -2, 0.5] + 3 + 0.2 * rng.normal(size=60)
    s = Scaler.fit(X[:40], y[:40], {"inputs": "none", "target": "detrend"})
    assert np.allclose(s.target(y, X), detrended(X, y, 40), atol=1e-12)
    assert s.target(y[:40], X[:40]).std(ddof=1) == pytest.approx(1)


def test_an_exactly_linear_target_is_not_blown_up(rng):
    X = rng.normal(size=(30, 2))
    s = Scaler.fit(X, X @ [2, 3] + 1, {"target": "detrend"})
    assert s.factor == 1 and np.abs(s.target(X @ [2, 3] + 1, X)).max() < 1e-12


def test_log_scale_is_the_step_from_scaled_to_raw_density(rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(5, 12, 40)
    for target in TARGETS:
        s = Scaler.fit(X[:30], y[:30], {"target": target})
        mean, var = rng.normal(size=10), rng.uniform(0.5, 2, 10)
        scaled = nlpd(s.target(y[30:], X[30:]), mean, var)
        assert nlpd(y[30:], *s.back(mean, var, X[30:])) == pytest.approx(scaled + s.log_scale)


def test_class_labels_are_never_scaled(rng):
    y = rng.choice([-1.0, 1.0], 30)
    s = Scaler.fit(rng.normal(size=(30, 2)), y, {"target": "standardise"}, task="classification")
    assert np.array_equal(s.target(y, None), y) and s.log_scale == 0


def test_molecules_pass_untouched_and_cannot_be_detrended():
    X, y = np.array(["CCO", "C", "CC"], dtype=object), np.array([1.0, 2.0, 4.0])
    s = Scaler.fit(X, y)
    assert s.inputs(X) is X and s.target(y, X).std() == pytest.approx(1)
    with pytest.raises(ConfigError, match="detrend needs vector inputs"):
        Scaler.fit(X, y, {"target": "detrend"})
    with pytest.raises(ConfigError, match="standardise, none"):
        Scaler.fit(X, y, {"inputs": "whiten"})
