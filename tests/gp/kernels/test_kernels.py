"""The contract of every kernel: symmetric, positive semidefinite, gradients equal finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.bias import Bias
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.kernels.combine import Product, Sum
from tests.helpers.kernel_gradients import check_inputs, check_parameters, vjp
from tests.oracles.exact import se_kernel

SPECS = [
    {"name": "ard-se"},
    {"name": "ard-se", "ard": False},
    {"name": "ard-se", "form": "plain"},
    {"name": "ard-se", "bias": True},
    {"sum": [{"name": "ard-se"}, {"name": "ard-se", "ard": False}]},
    {"product": [{"name": "ard-se"}, {"name": "ard-se", "ard": False}]},
    {"sum": [{"product": [{"name": "ard-se"}, {"name": "bias"}]}, {"name": "bias"}]},
    *({"name": name, "ard": ard} for name in ("matern12", "matern32", "matern52", "periodic") for ard in (True, False)),
    *({"name": name, "ard": ard} for name in ("rational-quadratic", "linear") for ard in (True, False)),
    {"sum": [{"name": "matern32", "bias": True}, {"name": "linear"}]},
    {"product": [{"name": "matern52"}, {"name": "periodic", "ard": False}]},
    {"name": "matern52", "columns": [2, 0]},
    {
        "sum": [
            {"name": "ard-se", "columns": [1], "bias": True},
            {"product": [{"name": "linear", "columns": [0, 2]}, {"name": "periodic", "columns": [1]}]},
        ]
    },
]


def kernel_at_random(spec, X, rng):
    kernel = build_kernel(spec, X)
    return kernel.with_theta(kernel.theta + 0.3 * rng.normal(size=len(kernel.theta)))


@pytest.fixture(params=SPECS, ids=str)
def case(request, rng):
    X, Z = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    return kernel_at_random(request.param, X, rng), X, Z


def test_matrix_is_symmetric_and_positive_semidefinite(case):
    kernel, X, _ = case
    K = kernel(X)
    assert np.array_equal(K, K.T) or np.allclose(K, K.T, atol=1e-14)
    assert np.linalg.eigvalsh(K).min() > -1e-10


def test_diag_and_blocks_agree_with_the_full_matrix(case):
    kernel, X, Z = case
    both = kernel(np.vstack([X, Z]))
    np.testing.assert_allclose(kernel.diag(X), np.diag(both)[:7], rtol=1e-12)
    np.testing.assert_allclose(kernel(X, Z), both[:7, 7:], rtol=1e-10, atol=1e-13)


def test_rows_against_prepared_inputs_are_those_of_the_matrix(case):
    kernel, X, Z = case
    far = 0.0 if np.ptp(kernel.diag(X)) else 1e3  # the linear kernel alone knows where the origin is
    rows = kernel.against(X + far)
    np.testing.assert_allclose(rows(Z + far), kernel(Z, X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(rows(X[:1] + far), kernel(X[:1], X), rtol=1e-9, atol=1e-12)


def test_gradients_equal_finite_differences(case, rng):
    kernel, X, Z = case
    check_parameters(kernel, Z, X, rng)
    if kernel.smooth:
        check_inputs(kernel, Z, X, rng)


def test_an_evaluated_matrix_saves_work_but_changes_nothing(case, rng):
    kernel, X, Z = case
    dK = rng.normal(size=(5, 7))
    np.testing.assert_allclose(vjp(kernel, dK, Z, X, kernel(Z, X)), vjp(kernel, dK, Z, X), rtol=1e-12)


def test_values_round_trip(case):
    kernel, _, _ = case
    np.testing.assert_allclose(kernel.with_theta(0 * kernel.theta).with_values(kernel.values()).theta, kernel.theta)


def test_theta_and_names_match(case):
    kernel, _, _ = case
    assert len(kernel.names) == len(kernel.theta) == len(set(kernel.names))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 4), st.integers(1, 6), st.floats(0.05, 20), st.floats(0.1, 10), st.floats(-1e3, 1e3),
    st.sampled_from(["half", "plain"]),
)  # fmt: skip
def test_ard_se_equals_its_formula_even_far_from_the_origin(D, n, length, variance, offset, form):
    X = np.random.default_rng(n).normal(size=(n, D)) + offset
    kernel = ArdSE(np.log(np.r_[variance, np.full(D, length)]), D, form=form)
    expected = se_kernel(X, X[:2], variance, length, 0.5 if form == "half" else 1.0)
    np.testing.assert_allclose(kernel(X, X[:2]), expected, rtol=1e-7, atol=1e-9 * variance)


def test_a_bias_of_zero_is_no_bias(rng):
    X = rng.normal(size=(4, 2))
    se = ArdSE.create(X)
    both = Sum([se, Bias.create(X)]).with_values({"bias": 0.0})
    np.testing.assert_array_equal(both(X), se(X))
    assert np.isfinite(vjp(both, np.ones((4, 4)), X)).all()


def test_product_of_two_se_kernels_is_an_se_kernel(rng):
    X = rng.normal(size=(5, 2))
    a, b = ArdSE(np.log([2.0, 1.0, 3.0]), 2), ArdSE(np.log([0.5, 2.0, 1.5]), 2)
    length = (np.exp(-2 * a.theta[1:]) + np.exp(-2 * b.theta[1:])) ** -0.5
    np.testing.assert_allclose(Product([a, b])(X), se_kernel(X, X, 1.0, length), rtol=1e-10)
