"""[cao] appendices A and B: what must hold of the factors after any number of exchanges."""

import numpy as np
import pytest

from gpbench.gp.linalg.cholqr import CholQR
from tests.helpers.problems import M, N, built, kernel_matrix
from tests.oracles import cholqr as oracle


def exchange(factor, K, rng, times):
    """Random exchanges, some of them taken back."""
    for t in range(times):
        removed = factor.remove(int(rng.integers(factor.size)))
        j = int(rng.choice(np.flatnonzero(factor.residual > 1e-3)))
        step = factor.propose(j, K[j])
        factor.insert(removed if t % 3 == 0 else step)


def assert_post_conditions(factor, K, y, tolerance=1e-8):
    m, pivots, noise = factor.size, factor.pivots, factor.noise
    V, Q, R = factor.chol.rows, factor.Q[:m], factor.R[:m, :m]
    close = {"rtol": 0, "atol": tolerance}
    assert len(set(pivots)) == m  # (1)
    np.testing.assert_allclose(V.T @ V, oracle.nystrom(K, pivots), **close)  # (2)
    np.testing.assert_allclose(np.tril(V[:, pivots], -1), 0, **close)  # (3) lower triangular in the paper's orientation
    np.testing.assert_allclose(V[:, pivots].T @ V[:, pivots], K[np.ix_(pivots, pivots)], **close)
    np.testing.assert_allclose(factor.chol.U[:m, :m], V[:, pivots], **close)
    np.testing.assert_allclose(factor.residual, np.diag(K - V.T @ V), **close)  # (4)
    np.testing.assert_allclose(factor.residual[pivots], 0, **close)
    full = np.vstack([Q.T, factor.bottom()])
    augmented = np.vstack([V.T, np.sqrt(noise) * np.eye(m)])  # (5): rows n+1..n+m
    for k in range(1, m + 1):
        np.testing.assert_allclose(augmented[:, :k], full[:, :k] @ R[:k, :k], **close)  # (6)
    np.testing.assert_allclose(full.T @ full, np.eye(m), **close)
    assert (np.diag(R) > 0).all() and (np.diag(V[:, pivots]) > 0).all()
    np.testing.assert_allclose(np.tril(R, -1), 0, **close)
    np.testing.assert_allclose(factor.w[:m], Q @ y, **close)
    np.testing.assert_allclose(factor.resid, y - Q.T @ Q @ y, **close)


@pytest.mark.parametrize("n, m", [(104, 5), (112, 5), (120, 1), (90, 3)])
def test_factors_do_not_depend_on_how_rows_are_padded(n, m):
    K, y, rng = kernel_matrix(0, n)
    factor = built(K, y, rng.permutation(n)[:m])
    exchange(factor, K, rng, 10)
    assert_post_conditions(factor, K, y)


@pytest.mark.parametrize("noise", [0.5, 0.02, 1e-4])
def test_post_conditions_hold_after_hundreds_of_exchanges(noise):
    K, y, rng = kernel_matrix()
    factor = built(K, y, rng.permutation(N)[:M], noise)
    assert_post_conditions(factor, K, y)
    exchange(factor, K, rng, 300)
    assert_post_conditions(factor, K, y)


def test_batch_factors_equal_those_grown_one_pivot_at_a_time():
    K, y, rng = kernel_matrix(1)
    pivots = rng.permutation(N)[:M]
    grown = CholQR(K.diagonal(), y, 0.02, M)
    for j in pivots:
        grown.insert(grown.propose(j, K[j]))
    batch = built(K, y, pivots)
    for a, b in ((grown.chol.rows, batch.chol.rows), (grown.Q, batch.Q), (grown.R, batch.R)):
        np.testing.assert_allclose(a, b, atol=1e-9)


@pytest.mark.parametrize("noise", [0.5, 1e-3])
def test_terms_and_exact_changes_equal_the_dense_definition_after_hundreds_of_exchanges(noise):
    K, y, rng = kernel_matrix(2)
    factor = built(K, y, rng.permutation(N)[:M], noise)
    exchange(factor, K, rng, 200)
    np.testing.assert_allclose(factor.terms(), oracle.terms(K, factor.pivots, y, noise), rtol=1e-8)
    for j in np.flatnonzero(factor.residual > 1e-2)[::7]:
        step = factor.propose(j, K[j])
        expected = oracle.decreases(K, factor.pivots, y, noise, j)
        np.testing.assert_allclose(step.decreases(noise), expected, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(factor.complete(step).decreases(noise), expected, rtol=1e-8, atol=1e-8)


def test_what_a_removed_pivot_took_with_it_is_what_inserting_it_gives_back():
    K, y, rng = kernel_matrix(3)
    factor = built(K, y, rng.permutation(N)[:M])
    before, pivots = factor.terms(), list(factor.pivots)
    removed = factor.remove(4)
    np.testing.assert_allclose(factor.terms(), oracle.terms(K, pivots[:4] + pivots[5:], y, factor.noise), rtol=1e-9)
    np.testing.assert_allclose(np.array(factor.terms()) - removed.decreases(factor.noise), before, rtol=1e-9)
    again = factor.complete(factor.propose(removed.j, K[removed.j]))
    for name in ("row", "q", "h", "rho", "beta", "pivot"):
        np.testing.assert_allclose(getattr(again, name), getattr(removed, name), atol=1e-9)


def test_append_then_remove_is_the_identity():
    K, y, rng = kernel_matrix(4)
    factor = built(K, y, rng.permutation(N)[:M])
    factor.remove(M - 1)
    names = ("Q", "R", "w")
    before = {name: getattr(factor, name)[: M - 1].copy() for name in names}
    before |= {"V": factor.chol.rows.copy(), "residual": factor.residual.copy(), "resid": factor.resid.copy()}
    j = int(np.argmax(factor.residual))
    factor.insert(factor.propose(j, K[j]))
    assert factor.remove(M - 1).j == j
    after = {name: getattr(factor, name)[: M - 1] for name in names}
    after |= {"V": factor.chol.rows, "residual": factor.residual, "resid": factor.resid}
    after["R"], before["R"] = after["R"][:, : M - 1], before["R"][:, : M - 1]
    for name, value in before.items():
        np.testing.assert_allclose(after[name], value, atol=1e-13)


def test_jitter_at_the_pivots_survives_exchanges():
    K, y, rng = kernel_matrix(5)
    pivots, noise = rng.permutation(N)[:M], 0.05
    factor = CholQR.build(K[pivots].copy(), pivots, K.diagonal(), y, noise, 1e-4)
    exchange(factor, K, rng, 60)
    assert factor.jitter == pytest.approx(1.3e-4)
    np.testing.assert_allclose(factor.terms(), oracle.terms(K, factor.pivots, y, noise, factor.jitter), rtol=1e-9)


def test_without_noise_the_factor_is_the_plain_qr_of_the_cholesky_rows():
    K, y, rng = kernel_matrix(6)
    factor = CholQR(K.diagonal(), y, 0.0, M)
    for j in rng.permutation(N)[:M]:
        factor.insert(factor.propose(j, K[j]))
    np.testing.assert_allclose(factor.Q @ factor.Q.T, np.eye(M), atol=1e-10)
    np.testing.assert_allclose(factor.Q.T @ factor.R, factor.chol.rows.T, atol=1e-10)
    fit = np.linalg.lstsq(K[:, factor.pivots], y, rcond=None)[0]
    np.testing.assert_allclose(factor.resid, y - K[:, factor.pivots] @ fit, atol=1e-8)
