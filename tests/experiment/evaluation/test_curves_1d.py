"""Curves that figures are drawn from: a fit over one input, a prior, all candidates of a swap, a kernel's profile."""

import numpy as np
import pytest

from gpbench.data.dataset import Dataset
from gpbench.experiment.evaluation import curves_1d, probes
from gpbench.experiment.evaluation.probes import prior
from gpbench.gp.inference import sparse
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.methods.cholqr import CholQR
from gpbench.methods.ep import EP
from gpbench.methods.fitc import Fitc
from gpbench.methods.full_gp import FullGP
from tests.helpers.problems import wave


class Drawn:
    """What `line` asks of a draw: raw data, the split, the scaling."""

    def __init__(self, problem, scaler):
        n = problem.n
        self.dataset = Dataset("wave", 10 + 2 * problem.X, 5 + 3 * problem.y)
        self.split = type("Split", (), {"train": np.arange(n)})
        self.scaler = scaler


def scaler_of(problem):
    from gpbench.data.scaling import Scaler

    return Scaler.fit(10 + 2 * problem.X, 5 + 3 * problem.y, {"inputs": "standardise", "target": "centre"})


def test_curves_of_a_fit_are_in_raw_units_with_where_inducing_inputs_began_and_ended():
    problem = wave(schedule=Schedule("fixed", evaluations=10))
    draw = Drawn(problem, scaler_of(problem))
    scaled = Problem(draw.scaler.inputs(draw.dataset.X), problem.y, problem.gp, problem.schedule, problem.order)
    fitted = Fitc(d_max=4, inducing="left", optimise_inputs=True).fit(scaled, np.random.default_rng(0))
    found = curves_1d.curves(draw, fitted)
    np.testing.assert_allclose(np.sort(found["start_x"]), np.sort(draw.dataset.X[:, 0])[:4])
    np.testing.assert_allclose(found["inducing_x"], draw.scaler.raw_inputs(fitted.inducing)[:, 0])
    x = np.array(found["fit_x"])[:, None]
    at = fitted.predict(draw.scaler.inputs(x))
    mean, var = draw.scaler.back(at.mean, at.var, x)
    np.testing.assert_allclose(found["fit_mean"], mean)
    np.testing.assert_allclose(found["fit_sd"], np.sqrt(var))
    np.testing.assert_allclose(found["data_x"], draw.dataset.X[:, 0])


@pytest.mark.parametrize("approximation", [sparse.FITC, sparse.DTC])
def test_a_draw_from_a_sparse_prior_has_its_marginal_deviation(approximation):
    gp, X, Z = GP(ArdSE(np.log([1.0, 0.7]), 1), 0.1), np.linspace(0, 4, 30)[:, None], np.array([[1.0], [2.0]])
    draws = [prior.sample(gp, X, np.random.default_rng(s), Z, approximation) for s in range(400)]
    x, sd = np.array(draws[0]["prior_x"]), np.array(draws[0]["prior_sd"])
    K, Kuf, Kuu = gp.kernel(x[:, None]), gp.kernel(Z, x[:, None]), gp.kernel(Z)
    Q = Kuf.T @ np.linalg.solve(Kuu, Kuf)
    full = approximation is sparse.FITC
    np.testing.assert_allclose(sd**2, np.diag(K if full else Q) + 0.1, rtol=1e-6)
    np.testing.assert_allclose(np.std([d["prior_y"] for d in draws], axis=0), sd, rtol=0.25)


def test_a_full_gp_at_fixed_hyperparameters_shows_its_prior_with_constant_deviation():
    problem, rng = wave(), np.random.default_rng(0)
    found = probes.after(probes.FinishedFit(FullGP(), problem, FullGP().fit(problem, rng), rng))
    np.testing.assert_allclose(found["prior_sd"], np.sqrt(1.0 + 0.1))


def test_cholqr_keeps_both_decreases_of_every_candidate_and_its_first_points():
    problem = wave(n=40)
    method, rng = CholQR(d_max=5, z=8, epochs=2, exact_ranking=True), np.random.default_rng(0)
    fitted = method.fit(problem, rng)
    last = probes.after(probes.FinishedFit(method, problem, fitted, rng))
    assert len(last["estimated_decrease"]) == len(last["exact_decrease"]) == 40 - 5  # all but the present ones
    assert np.corrcoef(last["estimated_decrease"], last["exact_decrease"])[0, 1] > 0.9
    np.testing.assert_array_equal(fitted.shown["start"], problem.X[problem.order[:5]])


def test_ep_records_the_kernel_over_three_length_scales():
    rng = np.random.default_rng(0)
    X, kernel = rng.uniform(0, 5, (12, 2)), ArdSE(np.log([2.0, 1.5]), 2, ard=False, form="plain")
    problem = Problem(X, np.where(X[:, 0] > 2, 1.0, -1.0), GP(kernel, 1.0), Schedule(), rng.permutation(12))
    rows = probes.before(probes.FinishedFit(EP(profile=5), problem, EP().fit(problem, rng), rng))
    steps = np.array([row["step"] for row in rows])
    np.testing.assert_allclose(steps, [0.5, 1, 1.5, 2, 2.5])
    np.testing.assert_allclose([row["k_ard-se"] for row in rows], np.exp(-(steps**2)))
