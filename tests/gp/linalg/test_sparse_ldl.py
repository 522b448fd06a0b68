"""Sparse LDL' and Takahashi's inverse against numpy, over orderings and odd patterns."""

import builtins
from typing import get_args

import numpy as np
import pytest
from scipy import sparse

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.linalg.ordering import Ordering, fill_reducing, minimum_degree
from gpbench.gp.linalg.sparse_ldl import SparseLDL, Symbolic, permuted


def random_spd(n, density, rng):
    A = sparse.random(n, n, density, random_state=np.random.RandomState(rng.integers(1 << 30)), format="csc")
    A = (A + A.T).tocsc()
    A.setdiag(1 + np.abs(A).sum(0).A1 if hasattr(np.abs(A).sum(0), "A1") else 1 + np.asarray(np.abs(A).sum(0)).ravel())
    A.sort_indices()
    return A


@pytest.fixture(params=[(1, 0.0), (6, 0.0), (12, 0.1), (40, 0.03), (40, 0.1), (25, 1.0)], ids=str)
def A(request, rng):
    return random_spd(*request.param, rng)


@pytest.mark.parametrize("ordering", get_args(Ordering))
def test_factor_solve_logdet_and_quadratic_forms_equal_numpy(A, ordering, rng):
    factor, dense = SparseLDL(Symbolic.of(A, ordering), A), A.toarray()
    b = rng.normal(size=len(dense))
    np.testing.assert_allclose(factor.solve(b), np.linalg.solve(dense, b), rtol=1e-11)
    np.testing.assert_allclose(factor.logdet(), np.linalg.slogdet(dense)[1], rtol=1e-12)
    C = sparse.random(len(dense), 70, 0.1, random_state=np.random.RandomState(3), format="csc")
    expected = np.einsum("ij,ij->j", C.toarray(), np.linalg.solve(dense, C.toarray()))
    np.testing.assert_allclose(factor.half_squares(C), expected, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("ordering", ["amd", "natural"])
def test_takahashi_gives_the_entries_of_the_inverse(A, ordering):
    factor = SparseLDL(Symbolic.of(A, ordering), A)
    columns = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    expected = np.linalg.inv(A.toarray())[A.indices, columns]
    np.testing.assert_allclose(factor.selected_inverse(), expected, rtol=1e-10, atol=1e-14)


def test_pattern_of_the_factor_is_the_dense_one(A):
    symbolic = Symbolic.of(A, "natural")
    L = np.linalg.cholesky(A.toarray())  # random values: no cancellation, so symbolic and numeric pattern agree
    for j in range(symbolic.n):
        rows = symbolic.Li[symbolic.Lp[j] : symbolic.Lp[j + 1]]
        np.testing.assert_array_equal(rows, j + 1 + np.flatnonzero(L[j + 1 :, j]))
    assert symbolic.fill == np.count_nonzero(L) / (symbolic.n * (symbolic.n + 1) / 2)


def test_an_indefinite_matrix_is_refused(rng):
    A = random_spd(10, 0.2, rng)
    A[4, 4] = -1.0
    with pytest.raises(NotPositiveDefinite):
        SparseLDL(Symbolic.of(A), A)


def grid(k):
    path = sparse.diags([np.ones(k - 1), np.ones(k - 1)], [-1, 1])
    return (sparse.kron(path, sparse.eye(k)) + sparse.kron(sparse.eye(k), path) + sparse.eye(k * k)).tocsc()


def test_built_in_minimum_degree_keeps_the_fill_of_a_grid_far_below_the_natural_order():
    A = grid(30)
    perm = minimum_degree(A)
    np.testing.assert_array_equal(np.sort(perm), np.arange(900))
    assert Symbolic.of(permuted(A, perm), "natural").fill < 0.5 * Symbolic.of(A, "natural").fill


def test_without_scikit_sparse_another_ordering_is_used_and_named(monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("sksparse"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    perm, note = fill_reducing(grid(5), "amd")
    assert sorted(perm) == list(range(25)) and "scikit-sparse" in note and "built-in" in note
    assert fill_reducing(grid(5), "natural")[1] == ""


def test_amd_gives_way_where_it_would_put_many_rows_last(rng):
    n = 400  # 10 sqrt(n) = 200: half of the rows have more neighbours than that
    x = np.sort(np.r_[rng.uniform(0, 0.2, n // 2), rng.uniform(0.2, 10, n // 2)])
    near = sparse.csc_matrix(np.abs(x[:, None] - x[None, :]) < 0.25)
    perm, note = fill_reducing(near, "amd")
    assert sorted(perm) == list(range(n)) and "built-in" in note
    np.testing.assert_array_equal(perm, minimum_degree(near))
    assert fill_reducing(sparse.csc_matrix(np.abs(x[:, None] - x[None, :]) < 0.05), "amd")[1] == ""
