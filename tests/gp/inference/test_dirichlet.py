"""Classes by Dirichlet regression: targets, mean of the softmax, leave-one-out, evidence with its gradient."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax

from gpbench.gp.inference import dirichlet
from gpbench.gp.inference.exact import ExactPosterior, factorise
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.row_noise import RowNoise
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning.dirichlet import Rules, choose, evaluate
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.recorder import Recorder

rng = np.random.default_rng(4)
X = rng.normal(size=(25, 2))
LABELS = np.digitize(X[:, 0] + 0.3 * rng.normal(size=25), [-0.5, 0.5])
KERNEL = ArdSE.create(X).with_values({"lengthscale": [0.8, 2.0], "variance": 4.0})


@settings(max_examples=25, deadline=None)
@given(alpha=st.floats(1e-8, 1.0))
def test_targets_are_log_normal_with_the_moments_of_gamma_variables(alpha):
    y, s2 = dirichlet.targets(np.array([0, 1]), 2, alpha)
    alphas = alpha + np.eye(2)
    shift = (np.log(alphas) - s2 / 2).mean()
    mean = np.exp(y + shift + s2 / 2)
    np.testing.assert_allclose(mean, alphas, rtol=1e-9)  # Gamma(alpha, 1): mean alpha
    np.testing.assert_allclose(np.expm1(s2) * mean**2, alphas, rtol=1e-9)  # and variance alpha
    assert y.mean() == pytest.approx(0, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(gap=st.floats(-8, 8), sd=st.floats(0.0, 4.0))
def test_mean_of_two_classes_is_that_of_the_logistic_function(gap, sd):
    found = dirichlet.log_softmax_mean(np.array([[0.0, gap]]), np.full((1, 2), sd**2 / 2))
    z, w = np.polynomial.hermite_e.hermegauss(120)
    expected = expit(gap + sd * z) @ w / w.sum()
    assert np.exp(found[0, 1]) == pytest.approx(expected, abs=0.01)
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-12)


def test_mean_of_many_classes_is_that_of_samples():
    local = np.random.default_rng(0)
    mean, var = 2 * local.normal(size=(1, 6)), local.uniform(0.1, 4, size=(1, 6))
    samples = mean + np.sqrt(var) * local.normal(size=(400_000, 6))
    found = np.exp(dirichlet.log_softmax_mean(mean, var)[0])
    np.testing.assert_allclose(found, softmax(samples, axis=1).mean(0), atol=0.01)


def test_without_variance_the_mean_is_the_softmax_however_small():
    mean = np.array([[0.0, -300.0, 2.0]])
    found = dirichlet.log_softmax_mean(mean, np.zeros((1, 3)))
    np.testing.assert_allclose(found, mean - np.log(1 + np.exp(2.0)), rtol=1e-9)


def test_leave_one_out_is_the_fit_without_the_row():
    Y, S2 = dirichlet.targets(LABELS, 3, 0.01)
    for y, s2 in zip(Y.T, S2.T):
        mean, var = dirichlet.leave_one_out(factorise(KERNEL(X), s2), y, s2)
        for i in (0, 7, 24):
            rest = np.delete(np.arange(25), i)
            fit = ExactPosterior.fit(GP(KERNEL, 0.0), X[rest], y[rest], RowNoise.of(24, variance=s2[rest]))
            p = fit.predict(X[[i]])
            np.testing.assert_allclose((mean[i], var[i]), (p.mean[0], p.var[0]), rtol=1e-8)


def test_evidence_is_the_sum_over_classes_and_its_gradient_agrees_with_finite_differences():
    Y, S2 = dirichlet.targets(LABELS, 3, 0.01)
    F, slope = evaluate(KERNEL, X, Y, S2)
    fits = [ExactPosterior.fit(GP(KERNEL, 0.0), X, y, RowNoise.of(25, variance=s)) for y, s in zip(Y.T, S2.T)]
    assert pytest.approx(sum(fit.log_evidence for fit in fits)) == F
    for i, e in enumerate(1e-5 * np.eye(len(KERNEL.theta))):
        up, down = (evaluate(KERNEL.with_theta(KERNEL.theta + s * e), X, Y, S2)[0] for s in (1, -1))
        assert slope[i] == pytest.approx((up - down) / 2e-5, rel=1e-5)


def test_alpha_has_the_smallest_leave_one_out_loss_before_it_rises():
    recorder = Recorder()
    kept = Rules(OptimiserOptions(0))
    found = choose(X, LABELS, 3, KERNEL, (1.0, 0.3, 0.1, 0.03, 1e-3, 1e-6, 1e-9), kept, recorder)
    tried = {row["alpha"]: row["loo_log_loss"] for row in recorder.trace}
    assert found.loss == min(tried.values()) == tried[found.alpha] and len(tried) > 1

    def by_refits(alpha):
        Y, S2 = dirichlet.targets(LABELS, 3, alpha)
        loss = []
        for i in range(25):
            rest = np.delete(np.arange(25), i)
            parts = [ExactPosterior.fit(GP(KERNEL, 0.0), X[rest], y[rest], RowNoise.of(24, variance=s2[rest]))
                     for y, s2 in zip(Y.T, S2.T)]  # fmt: skip
            loss.append(-dirichlet.DirichletPosterior(tuple(parts)).predict(X[[i]]).log_prob[0, LABELS[i]])
        return np.mean(loss)

    assert found.loss == pytest.approx(by_refits(found.alpha), rel=1e-6)
