"""DTC, FITC and VFE against their dense definition, finite differences and each other."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.gp import objectives
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sparse import APPROXIMATIONS, FITC, TIGHT, VFE, build, evaluate
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.bias import Bias
from gpbench.gp.kernels.combine import Sum
from tests.oracles import sparse as oracle
from tests.oracles.exact import finite_difference

MEASURES = ("evidence", "loo-cve", "nlgpp", "gpe")


def problem(n=40, m=6, dims=2, seed=0, noise=0.2):
    rng = np.random.default_rng(seed)
    X, Z = rng.uniform(-2, 2, (n, dims)), rng.uniform(-2, 2, (m, dims))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    return GP(ArdSE(np.log(np.r_[1.3, np.linspace(0.8, 1.2, dims)]), dims), noise), Z, X, y


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_value_equals_dense_definition_and_actual_refits(name, measure):
    gp, Z, X, y = problem()
    F = evaluate(build(APPROXIMATIONS[name], gp, Z, X, y), objectives.find(measure), gradient=False).F
    assert F == pytest.approx(oracle.value(name, measure, gp.kernel, gp.noise, Z, X, y), rel=1e-9)


@pytest.mark.parametrize("memory", [1 << 30, 0], ids=["kept", "blocked"])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_gradients_equal_finite_differences(name, measure, memory):
    gp, Z, X, y = problem()
    approximation, find = APPROXIMATIONS[name], objectives.find(measure)

    def value(gp, Z):
        return evaluate(build(approximation, gp, Z, X, y), find, gradient=False).F

    got = evaluate(build(approximation, gp, Z, X, y, memory=memory), find)
    by_theta = finite_difference(lambda t: value(GP(gp.kernel.with_theta(t), gp.noise), Z), gp.kernel.theta)
    by_noise = finite_difference(lambda s: value(GP(gp.kernel, s[0]), Z), np.array([gp.noise]))
    by_Z = finite_difference(lambda z: value(gp, z.reshape(Z.shape)), Z.ravel()).reshape(Z.shape)
    scale = max(1.0, np.abs(by_Z).max(), np.abs(by_theta).max())
    np.testing.assert_allclose(got.dtheta, by_theta, rtol=1e-6, atol=2e-7 * scale)
    np.testing.assert_allclose(got.dnoise, by_noise[0], rtol=1e-6, atol=2e-7 * scale)
    np.testing.assert_allclose(got.dZ, by_Z, rtol=1e-6, atol=2e-7 * scale)


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_gradients_hold_for_a_sum_of_kernels_and_one_noise_per_point(name):
    gp, Z, X, y = problem()
    noise = np.random.default_rng(1).uniform(0.1, 0.4, len(y))
    gp = GP(Sum([gp.kernel, Bias(np.log([0.5]))]), noise)

    def value(kernel, noise):
        return evaluate(build(APPROXIMATIONS[name], GP(kernel, noise), Z, X, y), gradient=False).F

    got = evaluate(build(APPROXIMATIONS[name], gp, Z, X, y))
    by_theta = finite_difference(lambda t: value(gp.kernel.with_theta(t), noise), gp.kernel.theta)
    by_noise = finite_difference(lambda s: value(gp.kernel, s), noise)
    np.testing.assert_allclose(got.dtheta, by_theta, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(got.dnoise, by_noise, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("nugget", [0.0, 0.05])
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_prediction_equals_dense_definition(name, nugget, rng):
    gp, Z, X, y = problem()
    Xs = rng.uniform(-3, 3, (25, 2))
    got = SparsePosterior.of(build(APPROXIMATIONS[name], gp, Z, X, y), nugget).predict(Xs)
    mean, latent = oracle.predict(name, gp.kernel, gp.noise, Z, X, y, Xs)
    np.testing.assert_allclose(got.mean, mean, atol=1e-9)
    np.testing.assert_allclose(got.var, latent + gp.noise, atol=1e-9)
    lam = oracle.lam(name, gp.kernel, gp.noise, Z, X)
    np.testing.assert_allclose(got.var_latent, oracle.latent(gp.kernel, lam, Z, X, Xs, nugget), atol=1e-9)


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_inducing_points_at_the_data_give_the_full_gp(name, rng):
    gp, _, X, y = problem()
    Xs = rng.uniform(-3, 3, (25, 2))
    model, full = build(APPROXIMATIONS[name], gp, X, X, y), ExactPosterior.fit(gp, X, y)
    got, expected = SparsePosterior.of(model).predict(Xs), full.predict(Xs)
    assert evaluate(model, gradient=False).F == pytest.approx(full.log_evidence, abs=1e-6)
    np.testing.assert_allclose(got.mean, expected.mean, atol=1e-6)
    np.testing.assert_allclose(got.var, expected.var, atol=1e-6)


def test_vfe_stays_below_the_evidence_and_rises_with_every_point():
    gp, _, X, y = problem(n=60)
    bounds = [evaluate(build(VFE, gp, X[:m], X, y), gradient=False).F for m in range(1, 31)]
    assert bounds[-1] <= ExactPosterior.fit(gp, X, y).log_evidence
    assert np.all(np.diff(bounds) > -1e-9)
    assert bounds[-1] > bounds[0] + 1


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60),
    m=st.integers(1, 15),
    dims=st.integers(1, 4),
    seed=st.integers(0, 999),
    log_noise=st.floats(-5, 2),
)
def test_the_tighter_bound_lies_between_vfe_and_the_evidence(n, m, dims, seed, log_noise):
    gp, Z, X, y = problem(n, m, dims, seed, float(np.exp(log_noise)))
    vfe, tight = (evaluate(build(a, gp, Z, X, y), gradient=False).F for a in (VFE, TIGHT))
    evidence = ExactPosterior.fit(gp, X, y).log_evidence
    assert vfe <= tight + 1e-9 and tight <= evidence + 1e-6 * max(1.0, abs(evidence))


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 60), m=st.integers(1, 12), dims=st.integers(1, 4), seed=st.integers(0, 99),
    log_noise=st.floats(-4, 1), name=st.sampled_from(sorted(APPROXIMATIONS)), measure=st.sampled_from(MEASURES),
)  # fmt: skip
def test_any_shape_agrees_with_its_dense_definition_blocked_or_not(n, m, dims, seed, log_noise, name, measure):
    gp, Z, X, y = problem(n, m, dims, seed, float(np.exp(log_noise)))
    expected = oracle.value(name, measure, gp.kernel, gp.noise, Z, X, y) if n > 1 or measure == "evidence" else None
    results = [
        evaluate(build(APPROXIMATIONS[name], gp, Z, X, y, memory=memory), objectives.find(measure))
        for memory in (1 << 30, 0)
    ]
    well_posed = np.linalg.cond(gp.kernel(Z)) < 1e8
    if expected is not None and well_posed:
        assert results[0].F == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert all(np.isfinite(r.dtheta).all() and np.isfinite(r.dZ).all() for r in results)
    # blocks add in another order, and a nearly singular Kuu magnifies rounding
    assert results[1].F == pytest.approx(results[0].F, rel=1e-9 if well_posed else 1e-6)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_blocked_equals_unblocked(name, measure):
    gp, Z, X, y = problem(n=700, m=20, dims=3)
    kept, blocked = (
        evaluate(build(APPROXIMATIONS[name], gp, Z, X, y, jitter=1e-8, memory=memory), objectives.find(measure))
        for memory in (1 << 30, 64 * 20 * 50)
    )
    for a, b in zip(vars(kept).values(), vars(blocked).values()):
        np.testing.assert_allclose(b, a, rtol=1e-10, atol=1e-10 * np.abs(a).max())


@pytest.mark.parametrize("noise", [0.1, 1e-12])
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_duplicate_inducing_points_and_vanishing_noise_are_survived_and_the_jitter_reported(name, noise):
    gp, Z, X, y = problem(noise=noise)
    Z = np.vstack([Z, Z, X[:4], X[:4]])
    model = build(APPROXIMATIONS[name], gp, Z, X, y)
    got, prediction = evaluate(model), SparsePosterior.of(model).predict(X)
    assert model.jitters["Kuu"] > 0
    assert np.isfinite(got.F) and np.isfinite(got.dtheta).all() and np.isfinite(got.dZ).all()
    assert np.isfinite(prediction.mean).all() and (prediction.var > 0).all() and (prediction.var_latent >= 0).all()


def test_gradient_counts_the_jitter_that_scales_with_kuu():
    gp, Z, X, y = problem()
    rung = 1e-4  # large enough to be seen in the derivative

    def value(theta):
        kernel = gp.kernel.with_theta(theta)
        return evaluate(build(FITC, GP(kernel, gp.noise), Z, X, y, jitter=rung), gradient=False).F

    got = evaluate(build(FITC, gp, Z, X, y, jitter=rung))
    np.testing.assert_allclose(got.dtheta, finite_difference(value, gp.kernel.theta), rtol=1e-6, atol=1e-6)


def test_memory_of_the_unblocked_path_stays_below_six_arrays_and_the_blocked_one_below_one():
    gp, _, X, y = problem(n=20000, m=1, dims=4)
    Z, array = X[:100] + 0.01, 8 * 20000 * 100

    def peak(memory):
        tracemalloc.start()
        evaluate(build(FITC, gp, Z, X, y, jitter=1e-8, memory=memory))
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used / array

    assert peak(1 << 30) < 6
    assert peak(array / 8) < 1
