"""EP with the FIC prior: at Z = X it is dense EP; its gradient, inducing inputs included, equals finite differences."""

import numpy as np
import pytest

from gpbench.gp.inference import ep
from gpbench.gp.inference.likelihoods import Probit
from gpbench.gp.inference.sites_dense import Panels
from gpbench.gp.inference.sites_fic import Fic
from gpbench.gp.kernels.build import build_kernel
from tests.oracles.ep import naive_ep
from tests.oracles.exact import finite_difference

TIGHT = 1e-11


@pytest.fixture
def case(rng):
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0, 1.0, -1.0)
    kernel = build_kernel({"name": "ard-se"}, X).with_values({"variance": 3.0, "lengthscale": [0.8, 1.2]})
    return kernel, X, y, rng.normal(size=(6, 2))


@pytest.mark.parametrize("variance", [0.1, 3.0, 100.0])
def test_fic_ep_equals_dense_ep_when_inducing_points_are_the_data(variance, case):
    kernel, X, y, Xs = case
    kernel = kernel.with_values({"variance": variance, "lengthscale": 0.7})
    dense = ep.run(Panels(kernel, X), y, Probit(), tolerance=TIGHT)
    fic = ep.run(Fic(kernel, X, X, panel=7), y, Probit(), tolerance=TIGHT)
    np.testing.assert_allclose(fic.sites.tau, dense.sites.tau, rtol=1e-8)
    np.testing.assert_allclose(fic.sites.nu, dense.sites.nu, rtol=1e-8)
    np.testing.assert_allclose(fic.log_Z, dense.log_Z, rtol=1e-8)
    np.testing.assert_allclose(fic.posterior.gradient()[0], dense.posterior.gradient()[0], rtol=1e-6, atol=1e-7)
    for ours, theirs in zip(fic.posterior.predict(Xs), dense.posterior.predict(Xs)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("panel", [1, 8, 100])
def test_fic_ep_is_ep_by_its_definition_on_the_fic_covariance(panel, case):
    kernel, X, y, Z = case
    Q = kernel(X, Z) @ np.linalg.inv(kernel(Z)) @ kernel(Z, X)
    K = Q + np.diag(kernel.diag(X) - np.diag(Q))
    tau, nu, log_Z, mu, Sigma = naive_ep(K, y)
    found = ep.run(Fic(kernel, X, Z, panel=panel), y, Probit(), tolerance=TIGHT)
    np.testing.assert_allclose(found.sites.tau, tau, rtol=1e-8)
    np.testing.assert_allclose(found.sites.nu, nu, rtol=1e-8)
    np.testing.assert_allclose(found.log_Z, log_Z, rtol=1e-9)
    np.testing.assert_allclose(found.mu, mu, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.var, np.diag(Sigma), rtol=1e-8)


def test_gradient_in_hyperparameters_and_inducing_inputs_equals_finite_differences(case):
    kernel, X, y, Z = case

    def run(theta, Z):
        return ep.run(Fic(kernel.with_theta(theta), X, Z), y, Probit(), tolerance=TIGHT)

    dtheta, dZ = run(kernel.theta, Z).posterior.gradient()
    fd = finite_difference(lambda theta: run(theta, Z).log_Z, kernel.theta)
    np.testing.assert_allclose(dtheta, fd, rtol=1e-5, atol=1e-6)
    fd = finite_difference(lambda P: run(kernel.theta, P).log_Z, Z)
    np.testing.assert_allclose(dZ, fd, rtol=1e-5, atol=1e-6)


def test_a_site_without_weight_does_no_harm_to_the_gradient(case):
    kernel, X, y, Z = case
    found = Fic(kernel, X, Z)
    sites = ep.run(found, y, Probit(), tolerance=TIGHT).sites
    sites.tau[3], sites.nu[3] = ep.TINY, 0.0
    found.refresh(sites)
    gone = Fic(kernel, np.delete(X, 3, axis=0), Z)
    gone.refresh(ep.Sites(np.delete(sites.tau, 3), np.delete(sites.nu, 3)))
    for ours, theirs in zip(found.gradient(), gone.gradient()):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10)
