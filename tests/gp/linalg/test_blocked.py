"""Triangular solves by blocks, and memory that one evaluation leaves to the next."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag, solve_triangular

from gpbench.gp.inference import sparse
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.linalg import buffer_pool
from gpbench.gp.linalg.blocked import LEAF, BlockedTriangle
from scripts.bench.entries import regression


@settings(max_examples=25, deadline=None)
@given(m=st.integers(1, 3 * LEAF + 2), k=st.integers(0, 20), seed=st.integers(0, 99), trans=st.booleans())
def test_blocked_solve_equals_the_dense_one(m, k, seed, trans):
    rng = np.random.default_rng(seed)
    L = np.asfortranarray(np.tril(rng.normal(size=(m, m)), -1) / m + np.diag(rng.uniform(0.5, 2.0, m)))
    L += np.triu(np.full((m, m), np.nan), 1)  # never read
    M = rng.normal(size=(m, k))
    expected = solve_triangular(np.tril(L), M, lower=True, trans=int(trans))
    np.testing.assert_allclose(BlockedTriangle(L).solve(M, trans), expected, rtol=1e-9, atol=1e-11)


def test_blocked_solve_overwrites_only_what_it_may(rng):
    L = np.asfortranarray(np.tril(rng.normal(size=(70, 70))) + 20 * np.eye(70))
    M = np.asfortranarray(rng.normal(size=(70, 9)))
    kept, triangle = M.copy(), BlockedTriangle(L)
    found = triangle.solve(M)
    np.testing.assert_array_equal(M, kept)
    assert triangle.solve(M, overwrite=True) is M
    np.testing.assert_array_equal(M, found)
    np.testing.assert_allclose(triangle.solve(kept[:, 0]), found[:, 0], rtol=1e-12)


@pytest.mark.parametrize("trans", [False, True])
def test_blocked_solve_of_an_ill_conditioned_kernel_matrix_loses_no_more_than_its_diagonal_blocks_are_conditioned(
    rng, trans
):
    m, u = 200, np.finfo(float).eps / 2
    K = ArdSE(np.log([1.0, 2.0, 2.0]), 2)(rng.normal(size=(m, 2))) + 1e-8 * np.eye(m)
    L = np.asfortranarray(np.linalg.cholesky(K))
    assert np.linalg.cond(L) > 1e5
    T = L.T if trans else L
    leaves = [T[i : i + LEAF, i : i + LEAF] for i in range(0, m, LEAF)]
    D, D_inv = np.abs(block_diag(*leaves)), np.abs(block_diag(*map(np.linalg.inv, leaves)))
    M = T @ rng.normal(size=(m, 50))

    def within(V):
        """|L V - M| <= c u |L| |D^-1| |D| |V|, the bound of a substitution by inverted diagonal blocks D."""
        return np.all(np.abs(T @ V - M) <= LEAF * u * np.abs(T) @ D_inv @ D @ np.abs(V))

    assert within(BlockedTriangle(L).solve(M, trans))
    if not trans:
        assert not within(np.linalg.inv(L) @ M)  # the bound tells it from a product with the inverse


@pytest.fixture
def empty():
    buffer_pool._kept.clear()
    yield buffer_pool._kept
    buffer_pool._kept.clear()


class Owner:
    pass


def test_memory_goes_from_a_dead_owner_to_the_next_and_is_never_shared(empty):
    first, second = Owner(), Owner()
    a, b = buffer_pool.borrow(first, (30, 40)), buffer_pool.borrow(second, (30, 40))
    assert not np.shares_memory(a, b)
    assert a.flags.f_contiguous and a.ctypes.data % 64 == b.ctypes.data % 64 == 0
    del first
    gc.collect()
    third = Owner()
    assert np.shares_memory(buffer_pool.borrow(third, (30, 39)), a)
    assert not empty


def test_memory_of_another_size_is_let_go_and_little_is_kept(empty, monkeypatch):
    owner = Owner()
    buffer_pool.borrow(owner, (100, 100))
    del owner
    assert len(empty) == 1
    owner = Owner()
    buffer_pool.borrow(owner, (10, 10))
    assert not empty
    monkeypatch.setattr(buffer_pool, "LIMIT", 100)
    del owner
    assert not empty


@pytest.mark.parametrize("approximation", [sparse.FITC, sparse.VFE, sparse.TIGHT])
def test_evaluations_do_not_depend_on_those_before_them(approximation, empty):
    gp, X, y = regression(700)
    evaluate = lambda m: sparse.evaluate(sparse.build(approximation, gp, X[:m] + 0.01, X, y, 1e-8))  # noqa: E731
    first = evaluate(40)
    alive = sparse.build(approximation, gp, X[:40] + 0.01, X, y, 1e-8)
    evaluate(38)
    again, late = evaluate(40), sparse.evaluate(alive)
    assert first.F == again.F == late.F
    np.testing.assert_array_equal(first.dZ, again.dZ)
    np.testing.assert_array_equal(first.dZ, late.dZ)
