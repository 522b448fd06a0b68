"""The low-rank factor and the carriers of dF/dS against dense arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.lowrank import LowRank
from gpbench.gp.linalg.triangular import Triangle, add_gram, mirror_lower
from tests.oracles import sparse as oracle


def low_rank(m, n, seed, uniform):
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(m, n))
    lam = 0.7 if uniform else rng.uniform(0.2, 2.0, n)
    return LowRank.of(V, lam), V, V.T @ V + np.diag(np.broadcast_to(lam, n)), rng


@settings(max_examples=30, deadline=None)
@given(m=st.integers(1, 8), n=st.integers(1, 60), seed=st.integers(0, 99), uniform=st.booleans())
def test_low_rank_factor_equals_the_dense_one(m, n, seed, uniform):
    factor, _, S, rng = low_rank(m, n, seed, uniform)
    b = rng.normal(size=n)
    _, inverse = oracle.sensitivity(S, b, b, 0.0, b)
    np.testing.assert_allclose(factor.solve(b), inverse @ b, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(factor.inv_diag(), np.diag(inverse), rtol=1e-8)
    assert factor.inv_trace() == pytest.approx(np.trace(inverse), rel=1e-8)
    assert factor.logdet() == pytest.approx(np.linalg.slogdet(S)[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("correction", [0.0, 1.0])
@pytest.mark.parametrize("with_w", [False, True])
@pytest.mark.parametrize("uniform", [False, True])
def test_low_rank_carrier_equals_the_dense_one(uniform, with_w, correction):
    factor, V, S, rng = low_rank(5, 60, 3, uniform)
    a, b, w = rng.normal(size=(3, 60))
    W, _ = oracle.sensitivity(S, a, b, 0.3, w * with_w)
    carrier = factor.sensitivity(a, b, 0.3, w if with_w else None)
    np.testing.assert_allclose(carrier.diag(), np.diag(W), atol=1e-10)
    assert carrier.trace() == pytest.approx(np.trace(W), abs=1e-9)

    L = np.asfortranarray(np.tril(rng.normal(size=(5, 5))) + 4 * np.eye(5))
    P, shift = np.linalg.solve(L.T, V), 0.4
    W_plus = W + np.diag(shift - correction * np.diag(W))
    PW = np.empty((5, 60))
    PWP, g = carrier.pull(
        Triangle(L), lambda rows, block: PW.__setitem__((slice(None), rows), block), shift, correction
    )
    np.testing.assert_allclose(PW, P @ W_plus, atol=1e-10)
    np.testing.assert_allclose(PWP, P @ W_plus @ P.T, atol=1e-9)
    assert g is None if not correction else np.allclose(g, np.diag(W), atol=1e-10)


@pytest.mark.parametrize("with_w", [False, True])
def test_dense_carrier_is_its_formula(with_w, rng):
    A = rng.normal(size=(8, 12))
    S, (a, b, w) = A @ A.T, rng.normal(size=(3, 8))
    expected, _ = oracle.sensitivity(S, a, b, 0.3, w * with_w)
    W = Cholesky.of(S).sensitivity(a, b, 0.3, w if with_w else None)
    np.testing.assert_allclose(W.dense(), expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(W.diag(), np.diag(expected), rtol=1e-8, atol=1e-10)
    assert W.trace() == pytest.approx(np.trace(expected))


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=20))
def test_gram_with_weights_of_either_sign(weights):
    weights = np.array(weights)
    V = np.asfortranarray(np.random.default_rng(0).normal(size=(4, len(weights))))
    C = np.zeros((4, 4), order="F")
    add_gram(C, V, weights, np.empty_like(V))
    mirror_lower(C)
    np.testing.assert_allclose(C, (V * weights) @ V.T, atol=1e-12)
