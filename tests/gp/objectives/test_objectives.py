"""Every objective on every factor: the value by its formula, dF/dS and dF/dextra by finite differences."""

import numpy as np
import pytest

from gpbench.gp import objectives
from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.lowrank import LowRank
from tests.oracles.exact import finite_difference
from tests.oracles.sparse import log_normal

NAMES = ("evidence", "loo-cve", "nlgpp", "gpe")


def case(n=9):
    rng = np.random.default_rng(4)
    V, lam = rng.normal(size=(3, n)), rng.uniform(0.5, 1.5, n)
    return V, lam, V.T @ V + np.diag(lam), rng.normal(size=n), rng.uniform(0.1, 0.5, n)


def by_conditioning(name, S, y, extra):
    """Leave-one-out densities from the conditional of each case given the others."""
    if name == "evidence":
        return log_normal(y, S)
    terms = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        weights = np.linalg.solve(S[np.ix_(rest, rest)], S[rest, i])
        r, v = y[i] - weights @ y[rest], S[i, i] - weights @ S[rest, i] + extra[i]
        terms.append({"loo-cve": r**2, "nlgpp": r**2 / v + np.log(v), "gpe": r**2 + v}[name])
    return -np.mean(terms)


@pytest.mark.parametrize("make", [lambda V, lam, S: Cholesky.of(S), lambda V, lam, S: LowRank.of(V, lam)])
@pytest.mark.parametrize("name", NAMES)
def test_value_equals_conditioning_on_the_other_cases(name, make):
    V, lam, S, y, extra = case()
    F, _, _ = objectives.find(name)(make(V, lam, S), y, extra, gradient=False)
    assert F == pytest.approx(by_conditioning(name, S, y, extra), rel=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_in_covariance_and_extra_equal_finite_differences(name):
    V, lam, S, y, extra = case()
    measure = objectives.find(name)
    _, W, h = measure(Cholesky.of(S), y, extra)
    _, W_low, h_low = measure(LowRank.of(V, lam), y, extra)
    n = len(y)

    def moved(x):  # entries of the lower triangle, moved in symmetric pairs
        E = np.zeros((n, n))
        E[np.tril_indices(n)] = x
        return by_conditioning(name, S + E + np.tril(E, -1).T, y, extra)

    numeric = finite_difference(moved, np.zeros(n * (n + 1) // 2))
    paired = (2 * W.dense() - np.diag(W.diag()))[np.tril_indices(n)]
    np.testing.assert_allclose(paired, numeric, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(W_low.diag(), W.diag(), rtol=1e-9, atol=1e-12)
    by_extra = finite_difference(lambda x: by_conditioning(name, S, y, x), extra)
    np.testing.assert_allclose(np.broadcast_to(h, n), by_extra, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(h_low, h, rtol=1e-10)
