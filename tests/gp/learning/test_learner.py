"""Version 2 of the learner: a first step of one nat, bounds on the scaled data, and no run that ends as pure noise."""

import numpy as np
import pytest

from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation import evaluate
from gpbench.experiment.evaluation.problem import problem_of, shared_fit
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.plan import plan
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning.learner import CURRENT, FIRST_STEP, LIMITS, MARGIN, HyperparameterSearch
from gpbench.gp.learning.parameters import Layout

BOX = [(-12.0, 12.0)] * 3


def steep(x):
    """A bowl as steep as the evidence of 10 000 rows, its top two nats away."""
    return -5e3 * ((x - 2.0) ** 2).sum(), -1e4 * (x - 2.0)


def visited(learner, optimiser="lbfgs", bounds=BOX):
    points = []

    def watched(x):
        points.append(x.copy())
        return steep(x)

    return learner.maximise(watched, np.zeros(3), 50, optimiser, bounds), points


def test_version_1_jumps_to_a_corner_and_version_2_takes_a_step_of_one_nat():
    _, jump = visited(HyperparameterSearch(1))
    np.testing.assert_allclose(jump[1], 12.0)
    found, points = visited(HyperparameterSearch(2))
    assert np.linalg.norm(points[1] - points[0]) == pytest.approx(FIRST_STEP)
    np.testing.assert_allclose(found.x, 2.0, atol=1e-4)
    assert found.evaluations == len(points) and found.converged


def test_a_start_at_its_bound_does_not_shorten_the_step_of_the_others():
    bounds = [(-12.0, 0.0), (-12.0, 12.0), (-12.0, 12.0)]
    _, points = visited(HyperparameterSearch(2), bounds=bounds)
    assert np.linalg.norm(points[1] - points[0]) == pytest.approx(FIRST_STEP) and points[1][0] == 0.0


def test_a_gentle_start_is_left_as_it_is():
    def gentle(x):
        return -0.05 * ((x - 2.0) ** 2).sum(), -0.1 * (x - 2.0)

    one, two = (HyperparameterSearch(v).maximise(gentle, np.zeros(3), 50, "lbfgs", BOX) for v in (1, 2))
    np.testing.assert_array_equal(one.x, two.x)
    assert one.evaluations == two.evaluations


def test_conjugate_gradients_are_the_same_in_both_versions():
    (one, first), (two, second) = visited(HyperparameterSearch(1), "cg"), visited(HyperparameterSearch(2), "cg")
    np.testing.assert_array_equal(first, second)
    assert one.value == two.value


def test_bounds_are_numbers_on_the_scaled_data_whatever_the_start():
    for lengthscale in (0.1, 1.0, 50.0):
        layout = Layout(GP(ArdSE(np.log([1.0, lengthscale, lengthscale]), 2), 0.1))
        bounds = layout.bounds(HyperparameterSearch(2))
        wanted = [LIMITS[k] for k in ("variance", "lengthscale", "lengthscale", "noise")]
        np.testing.assert_allclose(np.exp(bounds), wanted)


def test_a_start_outside_the_limits_keeps_room_and_given_bounds_are_kept_to_the_letter():
    gp = GP(ArdSE(np.log([1.0, 1e6, 1e6]), 2), 0.1)
    bounds = Layout(gp).bounds(HyperparameterSearch(2))
    assert bounds[1][1] == pytest.approx(np.log(1e6) + MARGIN)
    for version in (1, 2):
        bounds = Layout(gp).bounds(HyperparameterSearch(version, {"lengthscale": [0.5, 20.0]}))
        np.testing.assert_allclose(np.exp(bounds[1:3]), [[0.5, 20.0]] * 2)


def planned(tmp_path, text):
    path = tmp_path / "config.yaml"
    path.write_text(f"name: x\n{text}\n")
    return plan(load_config(path)).trials


def noise_shares(trials):
    """Noise as a share of the targets' variance, where learning ends."""
    shares = []
    for trial in trials:
        draw = trial_data(trial)
        problem = problem_of(trial, draw, shared_fit(trial) if "from" in trial.hyperparameters else None)
        fitted = evaluate.method_of(trial).fit(problem, random_streams.method(trial))
        shares.append(fitted.gp.noise / np.var(problem.y))
    return np.array(shares)


@pytest.mark.parametrize("start", ["", ", from: full-gp, subset: 100"])
@pytest.mark.parametrize(
    "method, schedule", [("vfe", "joint"), ("cholqr, optimiser: lbfgs", "joint"), ("titsias", "interleaved")]
)
def test_no_run_on_friedman3_ends_as_pure_noise(tmp_path, method, schedule, start):
    text = "dataset: friedman3\ntrials: 6\nhyperparameters: {{schedule: {}{}}}\nmethods: [{{method: {}, d_max: 10}}]"
    shares = noise_shares(planned(tmp_path, text.format(schedule, start, method)))
    assert len(shares) == 6 and shares.max() < 0.5


def test_version_1_still_falls_into_the_corner_that_version_2_avoids(tmp_path):
    text = "dataset: friedman3\ntrials: 6\nhyperparameters: {schedule: joint, learner: 1}\n"
    text += "methods: [{method: vfe, inducing: random, d_max: 10}]"
    assert (noise_shares(planned(tmp_path, text)) > 0.99).sum() == 5  # the five of six


@pytest.mark.real
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("start", ["", ", from: full-gp, subset: 500"])
def test_no_run_on_kin40k_ends_as_pure_noise(tmp_path, mirror, start):
    split = "split: {kind: random, n_train: 10000, n_test: 30000}"
    schedule = f"hyperparameters: {{schedule: joint, evaluations: 40{start}}}"
    shares = noise_shares(
        planned(tmp_path, f"dataset: kin40k\n{split}\ntrials: 6\n{schedule}\nmethods: [vfe]\nd_max: 300")
    )
    assert len(shares) == 6 and shares.max() < 0.5


def test_the_configs_default_is_the_current_version(tmp_path):
    [trial] = planned(tmp_path, "dataset: friedman3\nmethods: [full-gp]")
    assert trial.shared_learner == 3  # what versions 4 and 5 moved are free inducing inputs
    [trial] = planned(tmp_path, "dataset: friedman3\nhyperparameters: {schedule: joint}\nmethods: [full-gp]")
    assert trial.learner == 2  # a climb of its own is the same in version 3
    free = "dataset: friedman3\nhyperparameters: {schedule: joint%s}\nmethods: [{method: vfe, optimise_inputs: true}]"
    assert planned(tmp_path, free % "")[0].learner == CURRENT
    assert planned(tmp_path, free % ", learner: 3")[0].learner == 1  # where the numbers are those of version 1
    assert planned(tmp_path, free % ", learner: 4")[0].learner == 4
    assert planned(tmp_path, free % ", optimiser: cg")[0].learner == 1
    classes = "dataset: crabs\nhyperparameters: {schedule: joint}\nmethods: [ep-fic]"
    assert planned(tmp_path, classes)[0].learner == 4  # its climbs are as they were
