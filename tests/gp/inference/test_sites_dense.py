"""Dense EP against EP by its definition; log Z, gradient, likelihoods; the Gaussian likelihood makes EP exact."""

import numpy as np
import pytest
from scipy.special import log_ndtr

from gpbench.gp.inference import ep
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.inference.likelihoods import Gaussian, Probit, mills, moments
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sites_dense import Panels, RankOne
from gpbench.gp.inference.sites_fic import Fic
from gpbench.gp.inference.sites_parallel import Parallel
from gpbench.gp.inference.sites_rows import RowSites
from gpbench.gp.kernels.build import build_kernel
from tests.oracles.ep import naive_ep, probit_moments
from tests.oracles.exact import finite_difference

TIGHT = 1e-11


def problem(rng, n=25, variance=4.0, name="ard-se", lengthscale=1.5):
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    kernel = build_kernel({"name": name}, X)
    return kernel.with_values({"variance": variance, "lengthscale": lengthscale}), X, y


SOLVERS = {
    "rank-one": RankOne,
    "panels of 7": lambda k, X: Panels(k, X, panel=7),
    "one panel": Panels,
    "panels of one": lambda k, X: Panels(k, X, panel=1),
}


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("variance", [0.01, 4.0, 400.0])
def test_dense_ep_equals_ep_by_its_definition(solver, variance, rng):
    kernel, X, y = problem(rng, variance=variance)
    found = ep.run(solver(kernel, X), y, Probit(), tolerance=TIGHT)
    tau, nu, log_Z, mu, Sigma = naive_ep(kernel(X), y)
    assert found.converged and found.refused == 0
    np.testing.assert_allclose(found.sites.tau, tau, rtol=1e-8)
    np.testing.assert_allclose(found.sites.nu, nu, rtol=1e-8)
    np.testing.assert_allclose(found.log_Z, log_Z, rtol=1e-10)
    np.testing.assert_allclose(found.mu, mu, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.var, np.diag(Sigma), rtol=1e-8)


def test_panels_make_the_same_sequence_of_site_updates_as_rank_one(rng):
    kernel, X, y = problem(rng, n=40)
    after = []
    for solver in SOLVERS.values():
        posterior, sites = solver(kernel, X), ep.Sites.zero(40)
        posterior.refresh(sites)
        changes = [posterior.sweep(sites, y, Probit())[0] for _ in range(2)]
        after.append(np.r_[sites.tau, sites.nu, changes])
    for other in after[1:]:
        np.testing.assert_allclose(other, after[0], rtol=1e-9)


def test_gradient_equals_finite_differences(rng):
    kernel, X, y = problem(rng)

    def run(theta):
        return ep.run(Panels(kernel.with_theta(theta), X), y, Probit(), tolerance=TIGHT)

    fd = finite_difference(lambda theta: run(theta).log_Z, kernel.theta)
    np.testing.assert_allclose(run(kernel.theta).posterior.gradient()[0], fd, rtol=1e-6)


@pytest.mark.parametrize("solver", [*SOLVERS.values(), RowSites, Parallel, lambda k, X: Fic(k, X, X)])
def test_with_a_gaussian_likelihood_ep_is_exact_regression(solver, rng):
    kernel, X, _ = problem(rng, n=20, name="pp2", lengthscale=2.0)
    y, Xs, noise = rng.normal(size=20), rng.normal(size=(9, 2)), 0.3
    exact = ExactPosterior.fit(GP(kernel, noise), X, y)
    found = ep.run(solver(kernel, X), y, Gaussian(noise), tolerance=TIGHT, max_sweeps=200)
    np.testing.assert_allclose(found.sites.tau, 1 / noise, rtol=1e-9)
    np.testing.assert_allclose(found.log_Z, exact.log_evidence, rtol=1e-10)
    mean, var = found.posterior.predict(Xs)
    expected = exact.predict(Xs)
    np.testing.assert_allclose(mean, expected.mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(var, expected.var_latent, rtol=1e-9)


@pytest.mark.parametrize(("y", "m", "v"), [(1, 0.3, 1.0), (-1, 2.0, 0.5), (1, -4.0, 2.0), (-1, -1.0, 30.0)])
def test_probit_moments_equal_quadrature(y, m, v):
    log_Z, alpha, beta = moments(Probit().code, 0.0, y, m, v)
    Z, mean, var = probit_moments(y, m, v)
    np.testing.assert_allclose([np.exp(log_Z), m + v * alpha, v - v**2 * beta], [Z, mean, var], rtol=1e-9)


def test_probit_ratios_hold_their_digits_on_both_tails():
    z = np.r_[np.linspace(-60, 37, 400), -7.999999, -8.000001]
    log_Phi, h, excess = np.array([mills(v) for v in z]).T
    np.testing.assert_allclose(log_Phi, log_ndtr(z), rtol=1e-12)
    np.testing.assert_allclose(h, np.exp(-0.5 * z**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(z)), rtol=1e-11)
    np.testing.assert_allclose(excess, h + z, rtol=1e-11, atol=1e-11)
    x = 1e4  # far out: h = x + 1/x - 2/x^3 + ...
    np.testing.assert_allclose(mills(-x)[1:], (x + 1 / x, 1 / x - 2 / x**3), rtol=1e-14)


def test_prediction_far_from_the_data_is_the_prior_and_at_the_data_the_posterior(rng):
    kernel, X, y = problem(rng)
    found = ep.run(Panels(kernel, X), y, Probit(), tolerance=TIGHT)
    mean, var = found.posterior.predict(np.vstack([X, [[1e3, 1e3]]]))
    np.testing.assert_allclose(mean[:-1], found.mu, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(var[:-1], found.var, rtol=1e-7)
    assert abs(mean[-1]) < 1e-12 and var[-1] == pytest.approx(4.0)
    assert Probit().probability(mean[-1:], var[-1:]) == pytest.approx(0.5)


def test_warm_sites_need_fewer_sweeps_and_end_at_the_same_fixed_point(rng):
    kernel, X, y = problem(rng)
    cold = ep.run(Panels(kernel, X), y, Probit(), tolerance=TIGHT)
    near = kernel.with_theta(kernel.theta + 0.01)
    warm = ep.run(Panels(near, X), y, Probit(), cold.sites, tolerance=TIGHT)
    fresh = ep.run(Panels(near, X), y, Probit(), tolerance=TIGHT)
    assert warm.sweeps < fresh.sweeps
    np.testing.assert_allclose(warm.sites.tau, fresh.sites.tau, rtol=1e-8)
    np.testing.assert_allclose(warm.log_Z, fresh.log_Z, rtol=1e-11)


def test_too_few_sweeps_are_reported(rng):
    kernel, X, y = problem(rng)
    found = ep.run(Panels(kernel, X), y, Probit(), tolerance=TIGHT, max_sweeps=2)
    assert not found.converged and "not converged" in found.notes[0]
    assert ep.run(Panels(kernel, X), y, Probit(), tolerance=TIGHT).notes == ()
