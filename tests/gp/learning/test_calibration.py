"""Noise and variances of neighbour methods, checked on all rows after they were learned on a subset."""

import numpy as np
import pytest

from gpbench import catalog
from gpbench.gp.inference import vecchia
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning.calibration import gains, variance_factor
from gpbench.gp.learning.learner import HyperparameterSearch
from gpbench.gp.learning.neighbours import fit_noise, pure_error
from gpbench.gp.linalg.neighbours import earlier_neighbours
from gpbench.methods.base import Problem, Schedule

METHODS = ["vecchia", "vif"]


def repeated_rows(rng, n=300, noise=0.09):
    """Half of the rows repeat the inputs of the other half; targets differ by their noise."""
    half = rng.uniform(-2, 2, size=(n // 2, 2))
    X = np.vstack([half, half])
    return X, np.sin(2 * X[:, 0]) + np.sqrt(noise) * rng.normal(size=n)


def nlpd(fitted, X, y):
    p = fitted.predict(X)
    return float(np.mean(0.5 * np.log(2 * np.pi * p.var) + 0.5 * (y - p.mean) ** 2 / p.var))


def far_too_certain(rng, X, y, learned_on=100):
    """Values of a subset without repeated rows: next to no noise."""
    gp = GP(build_kernel({"name": "matern52"}, X), 1e-6)
    return Problem(X, y, gp, Schedule(), rng.permutation(len(y)), learned_on=learned_on)


def evaluation(X, y, gp, k=10):
    near = earlier_neighbours(vecchia.embedding(gp.kernel, X), k)
    return lambda gp: vecchia.evaluate(gp, X, y, near)


def test_pure_error_is_the_variance_within_equal_inputs(rng):
    X, y = repeated_rows(rng, 4000)
    assert pure_error(X, y) == pytest.approx(0.09, rel=0.1)
    assert pure_error(np.array([[0.0], [0.0], [1.0]]), np.array([1.0, 3.0, 7.0])) == pytest.approx(2.0)
    assert pure_error(rng.normal(size=(20, 2)), rng.normal(size=20)) == 0.0


def test_noise_that_the_rows_contradict_is_learned_from_all_of_them(rng):
    X, y = repeated_rows(rng)
    gp = GP(build_kernel({"name": "matern52"}, X), 1e-6)
    found, trace = fit_noise(X, y, gp, evaluation(X, y, gp))
    assert found.noise == pytest.approx(0.09, rel=0.4) and trace
    assert np.array_equal(found.kernel.theta, gp.kernel.theta)
    again, nothing = fit_noise(X, y, found, evaluation(X, y, found))
    assert again.noise == found.noise and not nothing


def test_noise_falls_below_the_usual_limit_where_there_is_none(rng):
    X = rng.uniform(-1, 1, size=(200, 1))
    y = np.sin(3 * X[:, 0])
    gp = GP(build_kernel({"name": "ard-se"}, X), 1e-6)
    found, _ = fit_noise(X, y, gp, evaluation(X, y, gp))
    assert found.noise < 1e-8
    limited = HyperparameterSearch(limits={"noise": (1e-7, 1.0)})
    assert fit_noise(X, y, gp, evaluation(X, y, gp), learner=limited)[0].noise == pytest.approx(1e-7)


@pytest.mark.parametrize("name", METHODS)
def test_learned_noise_is_mended_and_given_noise_is_kept(name, rng):
    X, y = repeated_rows(rng)
    Xs, ys = repeated_rows(rng)
    problem = far_too_certain(rng, X, y)
    fitted = catalog.find("method", name)().fit(problem, rng)
    assert nlpd(fitted, Xs, ys) < 1.0
    assert any("does not fit all rows" in note for note in fitted.notes)
    given = far_too_certain(rng, X, y, learned_on=None)
    kept = catalog.find("method", name)(calibrate=False).fit(given, rng)
    assert kept.gp.noise == 1e-6 and not any("noise" in note for note in kept.notes)
    assert nlpd(kept, Xs, ys) > 100


def test_singular_neighbour_sets_are_no_error(rng):
    half = rng.normal(size=(60, 2))
    X = np.vstack([half, half, half + 1e-12])
    y = np.sin(X[:, 0])
    gp = GP(build_kernel({"name": "ard-se"}, X), 1e-18)
    near = earlier_neighbours(vecchia.embedding(gp.kernel, X), 10)
    F, dtheta, _ = vecchia.evaluate(gp, X, y, near)
    assert np.isfinite(F) and np.isfinite(dtheta).all()
    found = vecchia.VecchiaPosterior(gp, X, y, 20).predict(half + 0.01)
    np.testing.assert_allclose(found.mean, np.sin(half[:, 0] + 0.01), atol=0.05)


@pytest.mark.parametrize("factor", [0.02, 30.0])
def test_a_factor_is_taken_where_it_helps_rows_that_did_not_give_it(factor, rng):
    residual = np.sqrt(factor) * rng.normal(size=400)
    assert variance_factor(residual, np.ones(400)) == pytest.approx(factor, rel=0.3)


def test_no_factor_where_variances_are_right_or_rows_are_few(rng):
    assert variance_factor(rng.normal(size=2000), np.ones(2000)) == 1.0
    assert variance_factor(np.array([5.0]), np.ones(1)) == 1.0
    assert variance_factor(np.zeros(50), np.ones(50)) == 1.0
    outlier = 0.9 * rng.normal(size=200)
    outlier[0] = 60.0  # one row alone asks for wide intervals; the other half has no use for them
    assert variance_factor(outlier, np.ones(200)) == 1.0


def test_gains_are_differences_of_log_densities(rng):
    r, v, f = rng.normal(size=9), 0.7, 2.5
    density = lambda var: -0.5 * np.log(2 * np.pi * var) - 0.5 * r**2 / var  # noqa: E731
    np.testing.assert_allclose(gains(f, r**2 / v), density(f * v) - density(v))


@pytest.mark.parametrize("name", METHODS)
def test_variances_are_scaled_only_on_request_or_for_values_of_a_subset(name, rng):
    X = rng.uniform(-2, 2, size=(400, 2))
    y = np.sin(2 * X[:, 0]) + 0.05 * rng.normal(size=400)
    gp = GP(build_kernel({"name": "matern52"}, X), 1.0)  # far too much noise, and given
    problem = Problem(X, y, gp, Schedule(), rng.permutation(400))
    method = catalog.find("method", name)
    plain, scaled = (method(calibrate=c).fit(problem, rng) for c in (False, True))
    assert plain.predict.factor == 1.0 and scaled.predict.factor < 0.1
    assert any("variances are scaled" in note for note in scaled.notes)
    p, q = plain.predict(X[:5]), scaled.predict(X[:5])
    np.testing.assert_allclose(q.var, scaled.predict.factor * p.var)
    np.testing.assert_allclose(q.mean, p.mean)
