"""Factor, solve, log determinant and selected inverse equal dense algebra on any pattern."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.linalg import fronts
from gpbench.gp.linalg.multifrontal import Multifrontal


def random_spd(n, pairs, rng):
    """Diagonally dominant matrix with the given off-diagonal pairs."""
    A = np.zeros((n, n))
    for i, j in pairs:
        A[i, j] = A[j, i] = rng.normal()
    A[np.diag_indices(n)] = np.abs(A).sum(1) + rng.uniform(0.1, 1.0, n)
    return A


def assert_equals_dense(A, perm):
    n = len(A)
    pattern = sp.csc_matrix((A != 0) | np.eye(n, dtype=bool))
    pattern.sort_indices()
    values = np.asarray(A)[pattern.indices, np.repeat(np.arange(n), np.diff(pattern.indptr))]
    factor = Multifrontal(pattern, perm).factorise(values)
    Z = np.linalg.inv(A)
    b = np.random.default_rng(0).normal(size=(n, 2))
    scale = np.abs(Z).max()
    np.testing.assert_allclose(factor.solve(b), Z @ b, atol=1e-10 * max(scale, 1), rtol=1e-9)
    assert factor.logdet() == pytest.approx(np.linalg.slogdet(A)[1], abs=1e-9)
    expected = Z[pattern.indices, np.repeat(np.arange(n), np.diff(pattern.indptr))]
    np.testing.assert_allclose(factor.selected_inverse(), expected, atol=1e-10 * max(scale, 1))
    columns = sp.random(n, 9, density=0.2, format="csc", random_state=1)  # some are empty, a block holds four
    dense = columns.toarray()
    squares = factor.half_squares(columns, block=4)
    np.testing.assert_allclose(squares, (dense * (Z @ dense)).sum(0), atol=1e-10 * max(scale, 1), rtol=1e-9)
    return factor


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_random_patterns_and_orders(data):
    """Narrow fronts make chains, whose members share one array, with and without further children."""
    n = data.draw(st.integers(1, 24))
    density = data.draw(st.floats(0, 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < density]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fronts, "WIDEST", data.draw(st.sampled_from([1, 2, 3, 96])))
        assert_equals_dense(random_spd(n, pairs, rng), rng.permutation(n))


@pytest.mark.parametrize("n", [1, 2, 40, 230])
@pytest.mark.parametrize("shape", ["diagonal", "chain", "star", "full", "two parts", "arrow"])
def test_special_shapes(n, shape, rng):
    pairs = {
        "diagonal": [],
        "chain": [(i, i - 1) for i in range(1, n)],
        "star": [(i, 0) for i in range(1, n)],
        "arrow": [(n - 1, i) for i in range(n - 1)],
        "full": [(i, j) for i in range(n) for j in range(i)],
        "two parts": [(i, j) for i in range(n) for j in range(i) if (i < n // 2) == (j < n // 2) and (i + j) % 3 == 0],
    }[shape]
    assert_equals_dense(random_spd(n, pairs, rng), np.arange(n))


def test_wide_fronts_are_split_and_still_exact(rng, monkeypatch):
    monkeypatch.setattr(fronts, "WIDEST", 7)
    n = 60
    pairs = [(i, j) for i in range(n) for j in range(i) if abs(i - j) < 25 or rng.random() < 0.1]
    factor = assert_equals_dense(random_spd(n, pairs, rng), rng.permutation(n))
    assert np.diff(factor.tree.first).max() <= 7


def test_neighbours_in_the_plane(rng):
    X = rng.uniform(0, 10, (300, 2))
    near = ((X[:, None] - X[None]) ** 2).sum(2) < 1.2
    assert_equals_dense(random_spd(300, zip(*np.nonzero(np.tril(near, -1))), rng), rng.permutation(300))


def test_the_factor_may_be_used_again_with_other_values(rng):
    n = 30
    pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.2]
    A = random_spd(n, pairs, rng)
    pattern = sp.csc_matrix(A != 0)
    columns = np.repeat(np.arange(n), np.diff(pattern.indptr))
    factor = Multifrontal(pattern, np.arange(n))
    for B in (A, A + np.eye(n), 3 * A):
        factor.factorise(B[pattern.indices, columns])
        np.testing.assert_allclose(factor.solve(np.ones(n)), np.linalg.solve(B, np.ones(n)), rtol=1e-9)


def test_an_indefinite_matrix_is_refused():
    A = np.array([[1.0, 2.0], [2.0, 1.0]])
    factor = Multifrontal(sp.csc_matrix(A), np.arange(2))
    with pytest.raises(NotPositiveDefinite, match="2 rows"):
        factor.factorise(A.ravel())
