"""Kernels whose inputs must stay as they are: estimators and `gpbench fit` do not scale them, and say so."""

import subprocess
import sys

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPClassifier, SparseGPRegressor
from gpbench.errors import BadInput
from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation import evaluate
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan.plan import plan
from gpbench.gp.kernels.histogram_intersection import HistogramIntersection

RNG = np.random.default_rng(2)
X = RNG.poisson(4, (120, 6)).astype(float)
Y = np.minimum(X[:, 0], 4) + np.minimum(X[:, 3], 3) + 0.1 * RNG.normal(size=120)
TOLD = "the inputs are not scaled: the kernel needs them as they are"
GROUPED = {"name": "histogram-intersection", "groups": 3}

KERNELS = {
    "name": "histogram-intersection",
    "mapping": GROUPED,
    "with a bias": GROUPED | {"bias": True},
    "sum": {"sum": ["histogram-intersection", "linear"]},
    "product in a sum": {"sum": ["bias", {"product": [GROUPED, "ard-se"]}]},
    "object": HistogramIntersection.create(X, groups=2),
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_histograms_are_fitted_as_they_are_and_a_saved_model_predicts_the_same(kernel, tmp_path):
    model = SparseGPRegressor("sod", 80, kernel=KERNELS[kernel], random_state=0).fit(X, Y)
    assert TOLD in model.notes_ and model.model_.scaler.shift is None
    assert np.corrcoef(model.predict(X), Y)[0, 1] > 0.8
    model.save(tmp_path / "m.npz")
    again = gpbench.load(tmp_path / "m.npz")
    new = X + 0.5
    assert np.array_equal(again.predict(new, return_std=True), model.predict(new, return_std=True))
    assert np.allclose(again.predict(X), model.predict(X), rtol=1e-9)  # kept overlaps are summed in another order


def test_a_classifier_leaves_histograms_as_they_are_and_other_kernels_get_scaled_inputs():
    labels = np.where(np.median(Y) < Y, "many", "few")
    model = SparseGPClassifier("ep", kernel=GROUPED, random_state=0).fit(X, labels)
    assert TOLD in model.notes_ and (model.predict(X) == labels).mean() > 0.8
    other = SparseGPRegressor("sod", 20, kernel={"sum": ["ard-se", "linear"]}, random_state=0).fit(X, Y)
    assert TOLD not in other.notes_ and other.model_.scaler.shift is not None


def test_negative_bins_are_refused():
    with pytest.raises(BadInput, match="histogram-intersection needs bins >= 0: check the data"):
        SparseGPRegressor(kernel="histogram-intersection").fit(X - 3, Y)


def _gpbench(*arguments) -> str:
    done = subprocess.run([sys.executable, "-m", "gpbench", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_gpbench_fit_and_predict_take_histograms(tmp_path):
    data, model, out = (str(tmp_path / name) for name in ("d.csv", "m.npz", "out.csv"))
    header = ",".join([*"abcdef", "y"])
    np.savetxt(data, np.c_[X, Y], delimiter=",", header=header, comments="", fmt="%.17g")
    kernel = "{name: histogram-intersection, groups: 3}"
    told = _gpbench("fit", data, "--target", "y", "-o", model, "--method", "sod", "--kernel", kernel)
    assert TOLD in told
    _gpbench("predict", model, data, "-o", out)
    assert np.corrcoef(np.loadtxt(out, delimiter=",", skiprows=1)[:, 0], Y)[0, 1] > 0.8


def test_a_trial_with_unscaled_inputs_and_the_estimator_agree_bit_for_bit(tmp_path):
    (tmp_path / "c.yaml").write_text(
        "name: c\ndataset: friedman1\nsplit: {kind: random, n_train: 80, n_test: 40}\nscale: {inputs: none}\n"
        "kernel: {name: histogram-intersection, groups: 2}\n"
        "hyperparameters: {schedule: joint, evaluations: 10}\nmethods: [full-gp]\n"
    )
    trial = plan(load_config(tmp_path / "c.yaml")).trials[0]
    ((result, arrays),) = evaluate.results([trial], None, begin=lambda trial: None)
    assert result.status == "ok", result.reason
    draw, learn = trial_data(trial), {"schedule": "joint", "evaluations": 10}
    kernel = {"name": "histogram-intersection", "groups": 2}
    model = SparseGPRegressor("full-gp", kernel=kernel, learn=learn, random_state=gpbench.streams(trial))
    model.fit(draw.dataset.X[draw.split.train], draw.dataset.y[draw.split.train])
    assert np.array_equal(model.predict(draw.dataset.X[draw.split.test]), arrays["mean"])
