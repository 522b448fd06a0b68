"""Triangular solves by blocks, and memory that one evaluation leaves to the next."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_triangular

from gpbench.bench.entries import regression
from gpbench.inference import sparse
from gpbench.kernels.ard_se import ArdSE
from gpbench.linalg import room
from gpbench.linalg.blocked import LEAF, BlockedTriangle


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


def test_blocked_solve_of_an_ill_conditioned_kernel_matrix_loses_at_most_a_digit_more_than_lapack(rng):
    X = rng.normal(size=(200, 2))
    K = ArdSE(np.log([1.0, 2.0, 2.0]), 2)(X) + 1e-8 * np.eye(200)
    L = np.asfortranarray(np.linalg.cholesky(K))
    assert np.linalg.cond(L) > 1e4
    V = BlockedTriangle(L).solve(L @ (known := rng.normal(size=(200, 50))))
    lapack = solve_triangular(L, L @ known, lower=True)
    assert np.abs(V - known).max() < 10 * np.abs(lapack - known).max()


@pytest.fixture
def empty():
    room._kept.clear()
    yield room._kept
    room._kept.clear()


class Owner:
    pass


def test_memory_goes_from_a_dead_owner_to_the_next_and_is_never_shared(empty):
    first, second = Owner(), Owner()
    a, b = room.borrow(first, (30, 40)), room.borrow(second, (30, 40))
    assert not np.shares_memory(a, b)
    assert a.flags.f_contiguous and a.ctypes.data % 64 == b.ctypes.data % 64 == 0
    del first
    gc.collect()
    third = Owner()
    assert np.shares_memory(room.borrow(third, (30, 39)), a)
    assert not empty


def test_memory_of_another_size_is_let_go_and_little_is_kept(empty, monkeypatch):
    owner = Owner()
    room.borrow(owner, (100, 100))
    del owner
    assert len(empty) == 1
    owner = Owner()
    room.borrow(owner, (10, 10))
    assert not empty
    monkeypatch.setattr(room, "LIMIT", 100)
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
