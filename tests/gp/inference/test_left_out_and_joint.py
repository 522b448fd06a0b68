"""Leave-one-out predictions equal those of models of the other rows; covariances equal their dense definitions."""

import numpy as np
import pytest

from gpbench.errors import NotApplicable
from gpbench.gp.inference import sparse, vif
from gpbench.gp.inference.compact import CompactPosterior
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.inference.joint import latent_covariance
from gpbench.gp.inference.left_out import Known, left_out
from gpbench.gp.inference.local import LocalPosterior
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.row_noise import RowNoise
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.inference.vecchia import VecchiaPosterior
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning import full_scale
from gpbench.gp.linalg.halving import Halving
from tests.oracles import sparse as sparse_oracle
from tests.oracles import vif as vif_oracle

N, T = 30, 7
ROWS = np.array([0, 4, 11, 29])


@pytest.fixture
def drawn(rng):
    X = rng.normal(size=(N, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=N)
    kernel = build_kernel({"name": "matern52"}, X)
    return GP(kernel.with_theta(kernel.theta + 0.2), 0.05), X, y, rng.normal(size=(T, 2))


@pytest.fixture(params=[False, True], ids=["one noise", "noise of rows"])
def rows(request, rng):
    return RowNoise.of(N, rng.uniform(0.5, 2, N), rng.uniform(0, 0.1, N)) if request.param else None


def known(gp, X, y, rows=None, **more):
    return Known(X, y, np.full(N, gp.noise) if rows is None else rows.variances(gp.noise), **more)


def without(i):
    return np.delete(np.arange(N), i)


def agrees(found, refit, gp, X, rows):
    """`refit(rest)` is the model of the other rows."""
    for i, mean, var in zip(ROWS, found.mean, found.var):
        p = refit(without(i)).predict(X[[i]])
        noise = gp.noise if rows is None else rows[[i]].variances(gp.noise)[0]
        assert (mean, var) == pytest.approx((p.mean[0], p.var_latent[0] + noise), rel=1e-6)


def some(rows, which):
    return None if rows is None else rows[which]


def test_exact(drawn, rows):
    gp, X, y, _ = drawn
    found = left_out(ExactPosterior.fit(gp, X, y, rows), known(gp, X, y, rows), ROWS)
    agrees(found, lambda rest: ExactPosterior.fit(gp, X[rest], y[rest], some(rows, rest)), gp, X, rows)


def test_exact_model_of_some_rows(drawn):
    gp, X, y, _ = drawn
    chosen = np.array([4, 7, 0, 9, 12])  # rows 11 and 29 are not in it
    posterior = ExactPosterior.fit(gp, X[chosen], y[chosen])
    found = left_out(posterior, known(gp, X, y, chosen=chosen), ROWS)

    def refit(rest):
        left = np.intersect1d(chosen, rest)
        return ExactPosterior.fit(gp, X[left], y[left])

    agrees(found, refit, gp, X, None)


@pytest.mark.parametrize("name", ["dtc", "fitc", "vfe"])
def test_sparse(drawn, rows, name, rng):
    gp, X, y, _ = drawn
    approximation, Z = sparse.APPROXIMATIONS[name], rng.normal(size=(6, 2))

    def fitted(rest):
        at = gp if rows is None else GP(gp.kernel, rows[rest].variances(gp.noise))
        posterior = SparsePosterior.of(sparse.build(approximation, at, Z, X[rest], y[rest]))
        return SparsePosterior(gp, posterior.Z, posterior.L, posterior.LB, posterior.weights)

    found = left_out(fitted(np.arange(N)), known(gp, X, y, rows, approximation=approximation), ROWS)
    agrees(found, fitted, gp, X, rows)
    with pytest.raises(NotApplicable):
        left_out(fitted(np.arange(N)), known(gp, X, y, rows), ROWS)


@pytest.mark.parametrize("k", [1, 5, N])
def test_vecchia(drawn, rows, k):
    gp, X, y, _ = drawn
    if rows is None:
        X[29], y[29] = X[4], y[4]  # the same row twice: one of them stays

    def fitted(rest):
        noise = None if rows is None else rows[rest].variances(gp.noise)
        return VecchiaPosterior(gp, X[rest], y[rest], k, noise=noise)

    mirrored = np.arange(N)[::-1]  # the posterior has its rows in an order of its own
    found = left_out(fitted(mirrored), known(gp, X, y, rows), ROWS)
    agrees(found, fitted, gp, X, rows)


def test_vif(drawn, rows, rng):
    gp, X, y, _ = drawn
    Z, k, order = rng.normal(size=(5, 2)), N - 1, np.arange(N)[::-1]

    def fitted(rest):
        near = full_scale.near_of(gp, Z, X[rest], min(k, len(rest) - 1))
        model = vif.build(gp, Z, X[rest], y[rest], near, noise=some(rows, rest))
        return vif.FullScalePosterior.of(model, k)

    found = left_out(fitted(order), known(gp, X, y, rows), ROWS)  # each row given all others: the exact GP
    agrees(found, lambda rest: ExactPosterior.fit(gp, X[rest], y[rest], some(rows, rest)), gp, X, rows)


def test_local(drawn, rng):
    gp, X, y, _ = drawn
    tree = Halving.of(X, 10, rng)
    found = left_out(LocalPosterior.fit(gp, X, y, tree), known(gp, X, y), ROWS)
    for i, mean in zip(ROWS, found.mean):
        leaf = next(leaf for leaf in tree.leaves() if i in leaf)
        rest = leaf[leaf != i]
        assert mean == pytest.approx(ExactPosterior.fit(gp, X[rest], y[rest]).predict(X[[i]]).mean[0], rel=1e-8)


def compact(X):
    kernel = build_kernel({"name": "pp3"}, X)
    return GP(kernel.with_theta(kernel.theta + 0.5), 0.05)


def test_compact(drawn):
    _, X, y, _ = drawn
    gp = compact(X)
    found = left_out(CompactPosterior.fit(gp, X, y), known(gp, X, y), ROWS)
    agrees(found, lambda rest: CompactPosterior.fit(gp, X[rest], y[rest]), gp, X, None)


# -- covariances ---------------------------------------------------------------------------------------------------


def exact_covariance(gp, X, Xs, noise):
    S = gp.kernel(X) + np.diag(noise)
    return gp.kernel(Xs) - gp.kernel(Xs, X) @ np.linalg.solve(S, gp.kernel(X, Xs))


def is_covariance(found, posterior, Xs):
    assert found == pytest.approx(found.T, abs=1e-12)
    assert np.linalg.eigvalsh(found).min() > -1e-9
    assert found.diagonal() == pytest.approx(posterior.predict(Xs).var_latent, rel=1e-7)


def test_covariance_of_exact_models(drawn, rows):
    gp, X, y, Xs = drawn
    posterior = ExactPosterior.fit(gp, X, y, rows)
    found = latent_covariance(posterior, Xs)
    is_covariance(found, posterior, Xs)
    assert found == pytest.approx(exact_covariance(gp, X, Xs, known(gp, X, y, rows).noise), abs=1e-9)


@pytest.mark.parametrize("name", ["dtc", "fitc", "vfe"])
def test_covariance_of_sparse_models(drawn, name, rng):
    gp, X, y, Xs = drawn
    Z = rng.normal(size=(6, 2))
    posterior = SparsePosterior.of(sparse.build(sparse.APPROXIMATIONS[name], gp, Z, X, y))
    found = latent_covariance(posterior, Xs)
    is_covariance(found, posterior, Xs)
    # the inducing values given y, then the exact prior of the rows given them
    k, Kuu, Kus = gp.kernel, gp.kernel(Z), gp.kernel(Z, Xs)
    inverse = np.linalg.inv(Kuu)
    lam = sparse_oracle.lam(name, k, gp.noise, Z, X)
    Sigma = Kuu @ np.linalg.solve(Kuu + (k(Z, X) / lam) @ k(X, Z), Kuu)
    P = inverse @ Kus
    assert found == pytest.approx(k(Xs) - Kus.T @ P + P.T @ Sigma @ P, abs=1e-8)


def errors_under_the_prior(C, noise, A, near):
    """Cov(f(x_a) - A_a y_N(a)) by one dense matrix after the other; C over the rows of Xs, then those of X."""
    R = np.zeros((len(A), len(C)))
    for a, (weights, own) in enumerate(zip(A, near)):
        R[a, a] = 1.0
        R[a, len(A) + np.asarray(own)] -= weights
    return R @ (C + np.diag(np.r_[np.zeros(len(A)), noise])) @ R.T


@pytest.mark.parametrize("k", [1, 5, N])
def test_covariance_of_vecchia(drawn, rows, k):
    gp, X, y, Xs = drawn
    noise = known(gp, X, y, rows).noise
    posterior = VecchiaPosterior(gp, X, y, k, factor=1.3, noise=None if rows is None else noise)
    found = latent_covariance(posterior, Xs)
    is_covariance(found, posterior, Xs)
    near = posterior.near(Xs, k)
    A = [np.linalg.solve(gp.kernel(X[N]) + np.diag(noise[N]), gp.kernel(X[N], x[None])[:, 0]) for N, x in zip(near, Xs)]
    C = gp.kernel(np.vstack([Xs, X]))
    assert found == pytest.approx(1.3 * errors_under_the_prior(C, noise, A, near), abs=1e-9)
    if k == N:
        assert found == pytest.approx(1.3 * exact_covariance(gp, X, Xs, noise), abs=1e-9)


@pytest.mark.parametrize("m, k", [(5, 4), (0, 4), (6, 0), (5, N)])
def test_covariance_of_vif(drawn, rows, m, k, rng):
    gp, X, y, Xs = drawn
    Z, noise = rng.normal(size=(m, 2)), known(gp, X, y, rows).noise
    model = vif.build(gp, Z, X, y, full_scale.near_of(gp, Z, X, min(k, N - 1)), noise=rows)
    posterior = vif.FullScalePosterior.of(model, k, factor=1.3)
    found = latent_covariance(posterior, Xs)
    is_covariance(found, posterior, Xs)
    if k == N:
        assert found == pytest.approx(1.3 * exact_covariance(gp, X, Xs, noise), abs=1e-8)
    if m == 0:
        noise = None if rows is None else noise
        assert found == pytest.approx(latent_covariance(VecchiaPosterior(gp, X, y, k, 1.3, noise), Xs), abs=1e-8)
    if (m, k) == (5, 4):
        both = np.vstack([Xs, X])
        C = vif_oracle.residual(gp.kernel, Z, both, both)
        around = posterior.around(Xs)
        near = [[int(np.flatnonzero((X == x).all(1))[0]) for x in around.X[line]] for line in around.near]
        S = C[T:, T:] + np.diag(known(gp, X, y, rows).noise)
        A = [np.linalg.solve(S[np.ix_(N, N)], C[T:, :T][N, a]) for a, N in enumerate(near)]
        L = np.linalg.cholesky(model.columns.Kuu + model.columns.root.jitter * np.eye(m))
        V = np.linalg.solve(L, gp.kernel(Z, both))
        H = np.stack([V[:, a] - V[:, T:][:, N] @ weights for a, (N, weights) in enumerate(zip(near, A))])
        Minv = np.linalg.inv(posterior.LB @ posterior.LB.T)
        expected = errors_under_the_prior(C, known(gp, X, y, rows).noise, A, near) + H @ Minv @ H.T
        assert found == pytest.approx(1.3 * expected, abs=1e-8)


def test_covariance_of_local_and_compact_models(drawn, rng):
    gp, X, y, Xs = drawn
    local = LocalPosterior.fit(gp, X, y, Halving.of(X, 10, rng))
    is_covariance(latent_covariance(local, Xs), local, Xs)
    gp = compact(X)
    posterior = CompactPosterior.fit(gp, X, y)
    found = latent_covariance(posterior, Xs)
    is_covariance(found, posterior, Xs)
    assert found == pytest.approx(exact_covariance(gp, X, Xs, np.full(N, gp.noise)), abs=1e-9)
    with pytest.raises(NotApplicable, match="each row by itself"):
        latent_covariance(lambda X: X, Xs)
