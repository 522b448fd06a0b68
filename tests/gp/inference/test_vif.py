"""VIF: its definition, its limits, its gradient, its neighbours, leave-one-out, predictions and learning."""

import numpy as np
import pytest

from gpbench import catalog
from gpbench.errors import NotApplicable
from gpbench.gp.inference import exact, sparse, vecchia, vif
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning import full_scale
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.gp.linalg.cholesky import JITTER
from gpbench.methods.base import Problem, Schedule
from tests.oracles import vif as oracle
from tests.oracles.exact import finite_difference
from tests.oracles.sparse import log_normal

SPECS = [
    {"name": "matern12"},
    {"name": "matern52"},
    {"name": "ard-se"},
    {"name": "rational-quadratic", "ard": False},
    {"sum": [{"name": "matern32", "bias": True}, {"name": "linear"}]},
]
SIZES = [(0, 4), (5, 4), (8, 1), (8, 0), (6, 39)]  # inducing inputs, neighbours


def drawn(rng, spec, n=40, dims=2):
    X = rng.normal(size=(n, dims))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)
    kernel = build_kernel(spec, X)
    return GP(kernel.with_theta(kernel.theta + 0.2 * rng.normal(size=len(kernel.theta))), 0.05), X, y


def near_of(gp, Z, X, k):
    return full_scale.near_of(gp, Z, X, k)


def built(gp, Z, X, y, k):
    return vif.build(gp, Z, X, y, near_of(gp, Z, X, k))


def conditioning(near):
    """Neighbours of every row: the first rows are given all before them."""
    return [list(range(i)) for i in range(near.shape[1] + 1)] + [list(line) for line in near]


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("m, k", SIZES)
def test_evidence_equals_the_dense_definition(spec, m, k, rng):
    gp, X, y = drawn(rng, spec)
    Z = rng.normal(size=(m, 2))
    near = near_of(gp, Z, X, k)
    S = oracle.covariance(gp.kernel, gp.noise, Z, X, conditioning(near)[: len(X)])
    F = vif.evaluate(vif.build(gp, Z, X, y, near), gradient=False).F
    assert F == pytest.approx(log_normal(y, S), rel=1e-8)


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("m, k", SIZES)
def test_gradient_equals_finite_differences(spec, m, k, rng):
    gp, X, y = drawn(rng, spec)
    Z = rng.normal(size=(m, 2))
    near = near_of(gp, Z, X, k)
    smooth = gp.kernel.smooth
    found = vif.evaluate(vif.build(gp, Z, X, y, near), inputs=smooth)
    inputs = found.dZ.ravel() if smooth else np.zeros(0)

    def value(x):
        split = len(gp.kernel.theta)
        moved = x[split + 1 :].reshape(Z.shape) if smooth else Z
        at = GP(gp.kernel.with_theta(x[:split]), np.exp(x[split]))
        return vif.evaluate(vif.build(at, moved, X, y, near), gradient=False).F

    start = np.r_[gp.kernel.theta, np.log(gp.noise), Z.ravel() if smooth else []]
    fd = finite_difference(value, start)
    np.testing.assert_allclose(np.r_[found.dtheta, gp.noise * found.dnoise, inputs], fd, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_without_inducing_inputs_it_is_vecchia(spec, rng):
    gp, X, y = drawn(rng, spec)
    near = near_of(gp, X[:0], X, 6)
    F, dtheta, dlog_noise = vecchia.evaluate(gp, X, y, near)
    model = vif.build(gp, X[:0], X, y, near)
    found = vif.evaluate(model)
    assert found.F == pytest.approx(F, rel=1e-11)
    np.testing.assert_allclose(np.r_[found.dtheta, gp.noise * found.dnoise], np.r_[dtheta, dlog_noise], rtol=1e-8)
    got = vif.FullScalePosterior.of(model, 12).predict(X + 0.1)
    expected = vecchia.VecchiaPosterior(gp, X, y, 12).predict(X + 0.1)
    np.testing.assert_allclose(got.mean, expected.mean, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(got.var, expected.var, rtol=1e-9)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_without_neighbours_it_is_fitc(spec, rng):
    gp, X, y = drawn(rng, spec)
    Z = rng.normal(size=(7, 2))
    fitc = sparse.build(sparse.FITC, gp, Z, X, y, JITTER)
    expected, model = sparse.evaluate(fitc), built(gp, Z, X, y, 0)
    found = vif.evaluate(model, inputs=True)
    assert found.F == pytest.approx(expected.F, rel=1e-9)
    np.testing.assert_allclose(np.r_[found.dtheta, found.dnoise], np.r_[expected.dtheta, expected.dnoise], rtol=1e-6)
    if gp.kernel.smooth:
        np.testing.assert_allclose(found.dZ, expected.dZ, rtol=1e-6, atol=1e-7)
    got, sparse_p = vif.FullScalePosterior.of(model, 0).predict(X + 0.1), SparsePosterior.of(fitc).predict(X + 0.1)
    np.testing.assert_allclose(got.mean, sparse_p.mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(got.var_latent, sparse_p.var_latent, rtol=1e-6, atol=1e-9)


def test_with_every_earlier_row_a_neighbour_it_is_the_full_gp(rng):
    gp, X, y = drawn(rng, {"name": "matern32"})
    Z = rng.normal(size=(6, 2))
    F, dtheta, dlog_noise = exact.evaluate(gp, X, y)
    model = built(gp, Z, X, y, 39)
    found = vif.evaluate(model)
    assert found.F == pytest.approx(F, rel=1e-10)
    np.testing.assert_allclose(np.r_[found.dtheta, gp.noise * found.dnoise], np.r_[dtheta, dlog_noise], rtol=1e-7)
    got, full = (
        vif.FullScalePosterior.of(model, 40).predict(X + 0.1),
        exact.ExactPosterior.fit(gp, X, y).predict(X + 0.1),
    )
    np.testing.assert_allclose(got.mean, full.mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(got.var, full.var, rtol=1e-8)


@pytest.mark.parametrize("m, k", SIZES)
def test_predictions_equal_the_joint_density(m, k, rng):
    gp, X, y = drawn(rng, {"name": "matern32"})
    Z, Xs, wanted = rng.normal(size=(m, 2)), rng.normal(size=(5, 2)), 2 * k
    near = near_of(gp, Z, X, k)
    found = vif.FullScalePosterior.of(vif.build(gp, Z, X, y, near), wanted).predict(Xs)
    left = oracle.residual(gp.kernel, Z, X, X).diagonal()
    for i, x in enumerate(Xs):
        shared = oracle.residual(gp.kernel, Z, X, x[None])[:, 0]
        N = np.argsort(-np.abs(shared) / np.sqrt(left))[:wanted]
        J = oracle.with_point(gp.kernel, gp.noise, Z, X, conditioning(near)[:40], x, N)
        weights = np.linalg.solve(J[:40, :40], J[:40, 40])
        expected = weights @ y, J[40, 40] - weights @ J[:40, 40]
        assert (found.mean[i], found.var_latent[i]) == pytest.approx(expected, rel=1e-7, abs=1e-9)
    np.testing.assert_allclose(found.var, found.var_latent + gp.noise)


@pytest.mark.parametrize("m, k", SIZES)
def test_leave_one_out_equals_the_dense_inverse(m, k, rng):
    gp, X, y = drawn(rng, {"name": "matern32"})
    Z = rng.normal(size=(m, 2))
    near = near_of(gp, Z, X, k)
    inverse = np.linalg.inv(oracle.covariance(gp.kernel, gp.noise, Z, X, conditioning(near)[:40]))
    residual, var = vif.leave_one_out(vif.build(gp, Z, X, y, near))
    np.testing.assert_allclose(residual, inverse @ y / inverse.diagonal(), rtol=1e-8)
    np.testing.assert_allclose(var, 1 / inverse.diagonal(), rtol=1e-8)


def test_neighbours_have_the_largest_residual_correlations(rng):
    gp, X, _ = drawn(rng, {"name": "matern32"}, n=60)
    Z = rng.normal(size=(10, 2))
    R, near = oracle.residual(gp.kernel, Z, X, X), near_of(gp, Z, X, 5)
    assert near.shape == (54, 5)
    for i, line in zip(range(6, 60), near):
        assert set(line) == set(oracle.nearest(R, i, 5))
    plain = vecchia.embedding(gp.kernel, X)
    nearest = [set(np.argsort(((plain[:i] - plain[i]) ** 2).sum(1))[:5]) for i in range(6, 60)]
    assert any(set(line) != other for line, other in zip(near, nearest))


def test_candidates_among_many_rows_hold_most_of_the_best_neighbours(rng):
    gp, X, _ = drawn(rng, {"name": "matern32"}, n=600, dims=3)
    Z = rng.normal(size=(40, 3))
    R, near = oracle.residual(gp.kernel, Z, X, X), near_of(gp, Z, X, 10)
    found, best = 0.0, 0.0
    for i, line in zip(range(11, 600), near):
        assert (line < i).all() and len(set(line)) == 10
        closeness = R[i] ** 2 / R.diagonal()
        found, best = found + closeness[line].sum(), best + closeness[oracle.nearest(R, i, 10)].sum()
    assert found > 0.97 * best


def test_rows_with_equal_inputs_and_no_noise_do_not_fail(rng):
    gp, X, y = drawn(rng, {"name": "ard-se"})
    X[20:] = X[:20]
    y[20:] = y[:20]
    model = built(GP(gp.kernel, 1e-18), X[:5], X, y, 6)
    assert np.isfinite(vif.evaluate(model).F)
    assert np.isfinite(vif.FullScalePosterior.of(model, 12).predict(X + 0.01).var).all()


def problem_of(rng, spec, n=80, kind="fixed", learned_on=None):
    gp, X, y = drawn(rng, spec, n)
    return Problem(X, y, gp, Schedule(kind, evaluations=30), rng.permutation(n), learned_on=learned_on)


def test_the_method_without_neighbours_and_without_inducing_inputs(rng):
    problem = problem_of(rng, {"name": "matern32"})
    Xs, plain = problem.X + 0.05, {"calibrate": False}
    found = catalog.find("method", "vif")(d_max=9, neighbours=0, **plain).fit(problem, np.random.default_rng(1))
    fitc = catalog.find("method", "fitc")(d_max=9).fit(problem, np.random.default_rng(1))
    assert found.log_evidence == pytest.approx(fitc.log_evidence, rel=1e-10)
    np.testing.assert_allclose(found.predict(Xs).mean, fitc.predict(Xs).mean, rtol=1e-7, atol=1e-9)
    found = catalog.find("method", "vif")(d_max=0, neighbours=7, **plain).fit(problem, rng)
    near = catalog.find("method", "vecchia")(neighbours=7).fit(problem, rng)
    assert found.log_evidence == pytest.approx(near.log_evidence, rel=1e-10)
    np.testing.assert_allclose(found.predict(Xs).mean, near.predict(Xs).mean, rtol=1e-8, atol=1e-10)
    assert (found.n_basis, found.predict.k) == (0, 14)


@pytest.mark.parametrize("optimise_inputs", [False, True])
def test_the_method_learns(optimise_inputs, rng):
    problem = problem_of(rng, {"name": "matern32"}, kind="joint")
    method = catalog.find("method", "vif")(d_max=10, neighbours=5, optimise_inputs=optimise_inputs)
    fixed = method.model_copy(update={"optimise_inputs": False}).fit(problem_of(rng, {"name": "matern32"}), rng)
    fitted = method.fit(problem, rng)
    assert fitted.log_evidence > fixed.log_evidence
    assert fitted.trace[-1]["objective"] >= fitted.trace[0]["objective"]
    assert fitted.n_basis == len(fitted.inducing) == 10


def test_inputs_cannot_move_where_the_kernel_has_no_gradient(rng):
    problem = problem_of(rng, {"name": "matern32"})
    rough = build_kernel({"name": "histogram-intersection"}, np.abs(problem.X))
    if rough.smooth:
        pytest.fail("the kernel of this test is meant to have no gradient in its inputs")
    problem = Problem(np.abs(problem.X), problem.y, GP(rough, 0.1), Schedule(), problem.order)
    with pytest.raises(NotApplicable, match="no input gradient"):
        catalog.find("method", "vif")(optimise_inputs=True).fit(problem, rng)


def test_most_of_the_way_is_made_on_some_of_many_rows(rng, monkeypatch):
    monkeypatch.setattr(full_scale, "SOME", 60)
    gp, X, y = drawn(rng, {"name": "matern32"}, n=150)
    Z = X[:8]
    found, _, trace = full_scale.optimise_vif(X, y, gp, Z, 5, OptimiserOptions(60))
    counts = {n: sum(row["rows"] == n for row in trace) for n in (60, 150)}
    assert counts[60] > counts[150] > 0 and len(trace) <= 60
    assert (
        vif.evaluate(built(found, Z, X, y, 5), gradient=False).F > vif.evaluate(built(gp, Z, X, y, 5), gradient=False).F
    )


def test_memory_is_linear_in_the_rows(rng):
    """3 x 10^4 rows would need 7 GB as a matrix."""
    n = 30_000
    X, y = rng.uniform(size=(n, 2)), rng.normal(size=n)
    gp = GP(build_kernel({"name": "matern32"}, X).with_values({"lengthscale": 0.05}), 0.5)
    model = built(gp, X[:20], X, y, 5)
    found = vif.evaluate(model)
    assert np.isfinite(found.F) and np.isfinite(found.dtheta).all()
    assert np.isfinite(vif.FullScalePosterior.of(model, 10).predict(X[:50]).var).all()
