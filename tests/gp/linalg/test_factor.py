"""What every factorisation promises (gpbench/gp/linalg/factor.py), against numpy."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix

from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.factor import Factor, SparseFactor
from gpbench.gp.linalg.lowrank import LowRank
from gpbench.gp.linalg.multifrontal import Multifrontal
from gpbench.gp.linalg.ordering import fill_reducing
from gpbench.gp.linalg.sparse_ldl import SparseLDL, Symbolic

V, LAM = np.random.default_rng(0).normal(size=(4, 20)), np.random.default_rng(1).uniform(0.5, 2, 20)
S = V.T @ V * (np.abs(np.subtract.outer(range(20), range(20))) < 6) + 30 * np.eye(20)
A = csc_matrix(S)
DENSE = {"dense": (Cholesky.of(S), S), "low rank": (LowRank.of(V, LAM), V.T @ V + np.diag(LAM))}
SPARSE = {
    "ldl": SparseLDL(Symbolic.of(A), A),
    "multifrontal": Multifrontal(A, fill_reducing(A)[0]).factorise(A.data),
}
EVERY = {**DENSE, **{name: (factor, S) for name, factor in SPARSE.items()}}


@pytest.mark.parametrize("name", EVERY)
def test_every_factor_solves_and_knows_its_determinant(name, rng):
    factor, dense = EVERY[name]
    assert isinstance(factor, Factor if name in DENSE else SparseFactor)
    b = rng.normal(size=len(dense))
    np.testing.assert_allclose(factor.solve(b), np.linalg.solve(dense, b), rtol=1e-10)
    assert factor.logdet() == pytest.approx(np.linalg.slogdet(dense)[1], rel=1e-12)


@pytest.mark.parametrize("name", DENSE)
def test_a_factor_has_the_diagonal_of_its_inverse_and_the_form_of_every_gradient(name, rng):
    factor, dense = DENSE[name]
    inverse, (a, b, w) = np.linalg.inv(dense), rng.normal(size=(3, len(dense)))
    np.testing.assert_allclose(factor.inv_diag(), inverse.diagonal(), rtol=1e-10)
    W = 0.5 * (np.outer(a, b) + np.outer(b, a)) - 0.7 * inverse - inverse @ np.diag(w) @ inverse
    found = factor.sensitivity(a, b, 0.7, w)
    np.testing.assert_allclose(found.diag(), W.diagonal(), rtol=1e-9, atol=1e-12)
    assert found.trace() == pytest.approx(np.trace(W), rel=1e-9)


@pytest.mark.parametrize("name", SPARSE)
def test_a_sparse_factor_has_its_inverse_where_the_matrix_has_entries(name, rng):
    factor, inverse = SPARSE[name], np.linalg.inv(S)
    columns = np.repeat(np.arange(len(S)), np.diff(A.indptr))
    np.testing.assert_allclose(factor.selected_inverse(), inverse[A.indices, columns], rtol=1e-9, atol=1e-13)
    B = csc_matrix(rng.normal(size=(len(S), 7)) * (rng.random((len(S), 7)) < 0.2))
    expected = np.einsum("it,ij,jt->t", B.toarray(), inverse, B.toarray())
    np.testing.assert_allclose(factor.half_squares(B), expected, rtol=1e-9, atol=1e-14)
