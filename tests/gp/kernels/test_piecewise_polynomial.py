"""Piecewise polynomial kernels: the paper's formulas, exact derivatives, and the same numbers sparse as dense."""

import numpy as np
import pytest

from gpbench.errors import NotApplicable
from gpbench.gp.kernels import piecewise_polynomial
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.kernels.piecewise_polynomial import PP1
from tests.helpers.kernel_gradients import check_inputs, check_parameters, vjp
from tests.oracles.ep import pp_kernel

SPECS = [
    *({"name": f"pp{q}", "ard": ard} for q in range(4) for ard in (True, False)),
    {"name": "pp3", "dimension": 9},
    {"sum": [{"name": "pp2"}, {"name": "pp0", "ard": False}]},
    {"product": [{"name": "pp3"}, {"name": "pp1", "ard": False}]},
    {"product": [{"name": "pp2"}, {"name": "ard-se"}]},
    {"product": [{"name": "pp1"}, {"name": "matern32"}]},
    {"product": [{"name": "rational-quadratic"}, {"name": "pp2"}]},
    {"product": [{"name": "pp3"}, {"name": "periodic"}]},
    {"sum": [{"product": [{"name": "ard-se"}, {"name": "pp1"}]}, {"name": "pp3"}]},
]


@pytest.fixture(params=SPECS, ids=str)
def case(request, rng):
    X = rng.uniform(-2, 2, size=(30, 3))
    X[7] = X[3]  # a duplicate: r = 0 off the diagonal
    kernel = build_kernel(request.param, X)
    theta = np.where(np.char.startswith(kernel.names, "lengthscale"), np.log(1.8), 0.2)
    return kernel.with_theta(theta + 0.2 * rng.normal(size=len(theta))), X, rng.uniform(-2, 2, size=(11, 3))


@pytest.mark.parametrize("q", range(4))
@pytest.mark.parametrize(("dims", "dimension"), [(1, None), (2, None), (5, None), (2, 10), (2, 67)])
def test_values_are_those_of_equations_7_to_10(q, dims, dimension, rng):
    X = rng.uniform(0, 1, size=(12, dims))
    kernel = build_kernel({"name": f"pp{q}", "dimension": dimension}, X).with_values(
        {"variance": 2.5, "lengthscale": 0.9}
    )
    expected = pp_kernel(X, X, q, 2.5, 0.9, dimension or dims)
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-13, atol=1e-15)
    assert (expected == 0).any() or dims == 1


def test_sparse_equals_dense(case):
    kernel, X, Z = case
    K = kernel.sparse(X)
    np.testing.assert_allclose(K.toarray(), kernel(X), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kernel.sparse(X, Z).toarray(), kernel(X, Z), rtol=1e-13, atol=1e-15)
    assert 30 < K.nnz < 900
    assert K.has_sorted_indices and kernel.sparse(X, Z).has_sorted_indices


def test_matrix_is_positive_definite(case):
    kernel, X, _ = case
    X = np.delete(X, 7, axis=0)
    assert np.linalg.eigvalsh(kernel(X)).min() > 0


def test_gradients_equal_finite_differences(case, rng):
    kernel, X, Z = case
    check_parameters(kernel, X, Z, rng, atol=1e-6)
    if kernel.smooth:
        check_inputs(kernel, np.delete(X, 7, axis=0), Z, rng, rtol=1e-5, atol=1e-6)


def test_sparse_gradient_equals_the_dense_one_of_a_function_of_those_entries(case, rng):
    kernel, X, Z = case
    for other in (None, Z):
        pattern = kernel.support(X, other)
        dk = rng.normal(size=pattern.nnz)
        dK = type(pattern)((dk, pattern.indices, pattern.indptr), shape=pattern.shape).toarray()
        _, pull = kernel.linearised_on(pattern, X, other)
        np.testing.assert_allclose(pull(dk), vjp(kernel, dK, X, other), rtol=1e-10)


def test_a_sum_with_a_global_kernel_has_no_sparse_form(rng):
    X = rng.normal(size=(4, 2))
    for spec in ({"sum": [{"name": "pp3"}, {"name": "ard-se"}]}, {"name": "ard-se"}):
        kernel = build_kernel(spec, X)
        assert not kernel.compact
        with pytest.raises(NotApplicable, match="compact support"):
            kernel.sparse(X)


def test_memory_follows_the_nonzeros(rng):
    X = rng.uniform(0, 1000, size=(20_000, 2))  # a dense matrix would take 3.2 GB
    K = build_kernel({"name": "pp3"}, X).with_values({"lengthscale": 5.0}).sparse(X)
    assert K.nnz < 20_000 * 5 and (K.diagonal() == 1.0).all()


def test_more_covariances_than_memory_holds_are_refused_before_they_are_made(rng, monkeypatch):
    X = rng.normal(size=(25_000, 2))
    kernel = PP1(np.log([1.0, 0.01, 0.01]), 2)
    assert kernel.support(X).nnz < 10 * len(X)
    monkeypatch.setattr(piecewise_polynomial, "memory_bytes", lambda: 10 * 24 * len(X))
    kernel.support(X)
    with pytest.raises(MemoryError, match=r"100\.00% of 25000 x 25000 covariances are not zero, 15 GB of them"):
        kernel.with_theta(np.log([1.0, 99.0, 99.0])).support(X)
