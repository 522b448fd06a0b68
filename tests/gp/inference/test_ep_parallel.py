"""Parallel EP: against exact regression, a dense oracle of signed sites, importance sampling and finite differences."""

import numpy as np
import pytest
from scipy.special import logsumexp

from gpbench.errors import NotConverged
from gpbench.gp.inference import ep, ep_parallel
from gpbench.gp.inference import likelihoods as compiled
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sites_dense import Panels
from gpbench.gp.inference.sites_signed import SignedDense, SignedFic
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.likelihoods.base import Fixed, Likelihood, Parameter
from gpbench.gp.likelihoods.negative_binomial import NegativeBinomial
from gpbench.gp.likelihoods.poisson import Poisson
from gpbench.gp.likelihoods.probit import Probit
from gpbench.gp.likelihoods.student_t import StudentT

rng = np.random.default_rng(7)
N = 8
X, Xs, Z = rng.normal(size=(N, 2)), rng.normal(size=(5, 2)), rng.normal(size=(4, 2))
KERNEL = ArdSE.create(X).with_values({"lengthscale": [0.9, 1.4], "variance": 0.8})
f = np.linalg.cholesky(KERNEL(X)) @ rng.normal(size=N)
TARGETS = {
    "poisson": (Fixed(Poisson(), {"offset": 1.0}), rng.poisson(np.exp(f + 1.0)).astype(float)),
    "negative-binomial": (
        Fixed(NegativeBinomial(), {"dispersion": 0.3, "offset": 1.0}), rng.poisson(np.exp(f + 1.0)).astype(float)
    ),
    "student-t": (Fixed(StudentT(), {"scale": 0.3, "dof": 4.0}), f + 0.3 * rng.standard_t(4, N)),
    "probit": (Fixed(Probit(), {}), np.where(f > 0, 1.0, -1.0)),
}  # fmt: skip


class Gaussian(Likelihood):
    """Normal noise: EP is then exact."""

    name = "gaussian"
    parameters = {"noise": Parameter(0.0, 10.0)}  # noqa: RUF012

    def log_density(self, y, f, p):
        return -0.5 * (np.log(2 * np.pi * p["noise"]) + (y - f) ** 2 / p["noise"])


@pytest.mark.parametrize("build", [lambda k: SignedDense(k, X), lambda k: SignedFic(k, X, X)])
@pytest.mark.parametrize("power", [1.0, 0.6])
def test_a_gaussian_file_gives_exact_regression(build, power, monkeypatch):
    monkeypatch.setattr(Gaussian, "power", power)
    y = f + 0.2 * rng.normal(size=N)
    found = ep_parallel.run(build(KERNEL), y, Fixed(Gaussian(), {"noise": 0.05}), tolerance=1e-9, max_sweeps=300)
    exact = ExactPosterior.fit(GP(KERNEL, 0.05), X, y)
    assert found.log_Z == pytest.approx(exact.log_evidence, abs=1e-6)
    mean, var = found.posterior.predict(Xs)
    np.testing.assert_allclose(mean, exact.predict(Xs).mean, atol=1e-6)
    np.testing.assert_allclose(var, exact.predict(Xs).var_latent, atol=1e-6)


def test_probit_is_the_compiled_sequential_ep():
    at, y = TARGETS["probit"]
    found = ep_parallel.run(SignedDense(KERNEL, X), y, at, tolerance=1e-9, max_sweeps=300)
    sequential = ep.run(Panels(KERNEL, X), y, compiled.Probit(), tolerance=1e-10)
    assert found.log_Z == pytest.approx(sequential.log_Z, abs=1e-8)
    np.testing.assert_allclose(found.posterior.predict(Xs), sequential.posterior.predict(Xs), atol=1e-8)


@pytest.mark.parametrize("kind", ["dense", "fic"])
def test_sites_of_either_sign_agree_with_plain_matrices(kind):
    tau, nu = np.array([3.0, -0.4, 0.0, 2.0, -0.2, 5.0, 0.7, -0.05]), rng.normal(size=N)
    posterior = SignedDense(KERNEL, X) if kind == "dense" else SignedFic(KERNEL, X, Z)
    posterior.refresh(ep.Sites(tau, nu))
    K, Ks, kss = KERNEL(X), KERNEL(X, Xs), KERNEL(Xs)
    if kind == "fic":
        C = np.linalg.solve(KERNEL(Z), KERNEL(Z, X))
        Q, Cs = KERNEL(X, Z) @ C, np.linalg.solve(KERNEL(Z), KERNEL(Z, Xs))
        K, Ks = Q + np.diag(np.diag(K - Q)), KERNEL(X, Z) @ Cs
    Sigma = np.linalg.inv(np.linalg.inv(K) + np.diag(tau))
    np.testing.assert_allclose(posterior.marginals(), (Sigma @ nu, np.diag(Sigma)), rtol=1e-7)
    assert posterior.logdet_B() == pytest.approx(np.linalg.slogdet(np.eye(N) + K * tau)[1], rel=1e-8)
    A = np.linalg.solve(K, Ks)
    mean, var = posterior.predict(Xs)
    np.testing.assert_allclose(mean, A.T @ Sigma @ nu, rtol=1e-6)
    np.testing.assert_allclose(var, np.diag(kss - Ks.T @ A + A.T @ Sigma @ A), rtol=1e-6)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("kind", ["dense", "fic"])
def test_gradient_of_the_evidence_agrees_with_finite_differences(name, kind):
    at, y = TARGETS[name]

    def run(kernel, at):
        posterior = SignedDense(kernel, X) if kind == "dense" else SignedFic(kernel, X, Z)
        return ep_parallel.run(posterior, y, at, tolerance=1e-10, max_sweeps=1000)

    found, step = run(KERNEL, at), 1e-4
    dtheta, _ = found.posterior.gradient()
    dphi = ep_parallel.slopes(found, y, at)
    for i, theta in enumerate(np.eye(len(KERNEL.theta))):
        up, down = (run(KERNEL.with_theta(KERNEL.theta + s * step * theta), at).log_Z for s in (1, -1))
        assert dtheta[i] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-7)
    for i in range(len(dphi)):
        move = step * np.eye(len(dphi))[i]
        up, down = (run(KERNEL, at.moved(at.pack() + s * move)).log_Z for s in (1, -1))
        assert dphi[i] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", TARGETS)
def test_evidence_and_posterior_agree_with_importance_sampling(name):
    """EP is an approximation: within .02 nat of the evidence and .05 standard deviations of the mean."""
    at, y = TARGETS[name]
    found = ep_parallel.run(SignedDense(KERNEL, X), y, at, tolerance=1e-8, max_sweeps=500)
    Sigma = np.linalg.inv(np.linalg.inv(KERNEL(X)) + np.diag(found.sites.tau))
    local, count = np.random.default_rng(0), 400_000
    L, chi = np.linalg.cholesky(Sigma), local.chisquare(8, count)  # proposals: Student-t around EP's posterior
    z = local.normal(size=(count, N)) * np.sqrt(8 / chi)[:, None]
    samples = found.mu + z @ L.T
    from scipy.stats import multivariate_normal, multivariate_t

    log_q = multivariate_t(found.mu, Sigma, 8).logpdf(samples)
    log_p = multivariate_normal(np.zeros(N), KERNEL(X)).logpdf(samples)
    log_w = log_p + at.likelihood.log_density(y, samples, at.values).sum(1) - log_q
    log_Z = logsumexp(log_w) - np.log(count)
    w = np.exp(log_w - logsumexp(log_w))
    mean = w @ samples
    sd = np.sqrt(w @ (samples - mean) ** 2)
    assert found.log_Z == pytest.approx(log_Z, abs=0.05 if name == "student-t" else 0.02)
    np.testing.assert_allclose((found.mu - mean) / sd, 0, atol=0.1 if name == "student-t" else 0.05)
    np.testing.assert_allclose(np.sqrt(found.var) / sd, 1, atol=0.1 if name == "student-t" else 0.05)


def test_student_t_with_outliers_has_negative_sites_and_converges():
    local = np.random.default_rng(1)
    A = np.sort(local.uniform(0, 10, 60))[:, None]
    y = np.sin(A[:, 0]) + 0.1 * local.normal(size=60)
    y[[5, 20, 44]] += 6.0
    kernel = ArdSE.create(A).with_values({"lengthscale": 1.0, "variance": 1.0})
    found = ep_parallel.run(SignedDense(kernel, A), y, Fixed(StudentT(), {"scale": 0.1, "dof": 3.0}))
    assert (found.sites.tau[[5, 20, 44]] < 0).all()
    np.testing.assert_allclose(found.mu, np.sin(A[:, 0]), atol=0.15)


def test_no_convergence_is_an_error_with_its_reason():
    at, y = TARGETS["poisson"]
    with pytest.raises(NotConverged, match=r"a site still changes by .* after 2 sweeps"):
        ep_parallel.run(SignedDense(KERNEL, X), y, at, max_sweeps=2)
