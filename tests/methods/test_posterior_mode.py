"""`prior: half-t` of sparse-gp: the posterior mode of the kernel's parameters, as Figure 2 of [vanhatalo] shows it."""

from dataclasses import replace

import numpy as np
import pytest

from gpbench.errors import ConfigError
from gpbench.experiment.config.config import load_config
from gpbench.gp.inference import compact
from gpbench.gp.kernels.piecewise_polynomial import PP2
from gpbench.gp.learning import priors
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.methods.sparse_gp import SparseGP

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 10, (60, 2))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=60)


def start():
    return GP(PP2(np.log([1.0, 3.0, 3.0]), 2), 0.1)


def test_the_objective_is_evidence_plus_log_prior_and_its_gradient_that_of_finite_differences():
    gp, prior = start(), priors.find("half-t")
    objective = priors.with_prior(compact.evaluate, priors.of_kernel(prior))
    F, dtheta, dlog_noise = objective(gp, X, Y)
    evidence, _, dnoise = compact.evaluate(gp, X, Y)
    assert F == evidence + prior(gp.kernel)[0] and dlog_noise == dnoise
    h = 1e-5
    for i in range(len(gp.kernel.theta)):
        step = h * np.eye(len(gp.kernel.theta))[i]
        up, down = (objective(GP(gp.kernel.with_theta(gp.kernel.theta + s), gp.noise), X, Y)[0] for s in (step, -step))
        assert dtheta[i] == pytest.approx((up - down) / (2 * h), rel=1e-4, abs=1e-5)


def learned(prior):
    schedule = replace(Schedule("joint", evaluations=40), prior=prior)
    problem = Problem.of(X, Y, start(), schedule)
    return SparseGP().fit(problem, np.random.default_rng(0)).gp


def test_the_mode_has_the_higher_posterior_and_the_optimum_the_higher_evidence():
    mode, top, prior = learned("half-t"), learned("none"), priors.find("half-t")
    posterior = priors.with_prior(compact.evaluate, priors.of_kernel(prior))
    assert posterior(mode, X, Y)[0] > posterior(top, X, Y)[0] - 1e-6
    assert compact.evaluate(top, X, Y)[0] >= compact.evaluate(mode, X, Y)[0] - 1e-6
    assert np.abs(mode.kernel.theta - top.kernel.theta).max() > 1e-3


@pytest.mark.parametrize(("method", "fine"), [("{method: sparse-gp, kernel: pp2}", True), ("fitc", False)])
def test_a_prior_is_taken_by_sparse_gp_and_refused_by_other_regressions(tmp_path, method, fine):
    (tmp_path / "a.yaml").write_text(
        f"name: a\ndataset: pp-regression\nhyperparameters: {{schedule: joint, prior: half-t}}\nmethods: [{method}]\n"
    )
    if fine:
        assert load_config(tmp_path / "a.yaml").methods[0].method == "sparse-gp"
    else:
        with pytest.raises(ConfigError, match="for classification and sparse-gp"):
            load_config(tmp_path / "a.yaml")
