"""Every model of every library whose environment is there: numbers as by hand, and seconds beyond fit and prediction.

`gpbench adapters install NAME` and GPBENCH_DATA make an environment that these tests find; none is fetched here.
"""

import os
import subprocess

import numpy as np
import pytest

from gpbench.adapters import environment
from gpbench.adapters.client import Library
from gpbench.adapters.offers import offers
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.verify.export_splits import export_trials
from gpbench.gp.inference import vif
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.build import build_kernel
from tests.helpers.driver import run_here, trial
from tests.helpers.paths import HELPERS

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]
HAND, HAND_TARGETS, EVIDENCE = (HELPERS / f for f in ("by_hand.py", "by_hand_targets.py", "gpboost_evidence.py"))
LIBRARIES = environment.libraries()
MODELS = [f"{library}-{model}" for library in LIBRARIES for model in environment.models(environment.find(library).file)]
REGRESSION = [name for name in MODELS if offers(environment.find(name)).task == "regression"]
TARGETS = [  # model, likelihood, classes
    ("gpboost-vecchia", "poisson", 0), ("gpboost-vecchia", "negative-binomial", 0), ("gpboost-vecchia", "student-t", 0),
    ("gpboost-vif", "negative-binomial", 0), ("gpboost-vecchia-classifier", None, 2),
    ("gpflow-svgp", "poisson", 0), ("gpflow-svgp", "student-t", 0), ("gpflow-vgp", "poisson", 0),
    ("gpflow-vgp", "student-t", 0), ("gpflow-svgp-classifier", None, 2), ("gpflow-svgp-classifier", None, 3),
    ("sklearn-gp-classifier", None, 2), ("sklearn-gp-classifier", None, 3), ("sklearn-logistic", None, 3),
    ("sklearn-boosting-classifier", None, 3),
]  # fmt: skip
BEYOND = 5.0  # seconds


def installed(name):
    adapter = environment.find(name)
    if not environment.installed(adapter):
        pytest.skip(f"{adapter.library}: gpbench adapters install {adapter.library}")
    return adapter


@pytest.mark.parametrize("name", REGRESSION)
def test_numbers_equal_the_library_called_by_hand_on_the_exported_split(name, tmp_path):
    adapter = installed(name)
    options = {"seed": 7, "iterations": 5} if "iterations" in offers(adapter).options else {"seed": 7}
    one = trial(
        "external", dataset={"name": "toy", "rows": 160}, split={"kind": "random", "n_train": 120, "n_test": 40},
        external=name, d_max=20, options=options,
    )  # fmt: skip
    run_here(tmp_path / "run", [one], save_predictions=True)
    store = ResultsFolder(tmp_path / "run")
    result = store.results([one])[one.id]
    assert result.status == "ok", result.reason
    export_trials([one], tmp_path / "export")
    command = [environment.python_of(adapter), HAND, name, tmp_path / "export" / "trial-000", tmp_path / "hand.npz"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    with np.load(store.trial_path(one.id, ".npz")) as ours, np.load(tmp_path / "hand.npz") as hand:
        np.testing.assert_allclose(ours["mean"], hand["mean"], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(ours["var"], hand["var"], rtol=1e-6)


def targets(likelihood, classes, rng):
    """Inputs and targets of 260 rows: the VIF of GPBoost needs more than 200 for another likelihood."""
    X = rng.normal(size=(260, 2))
    f = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
    if classes:
        return X, np.digitize(f + 0.1 * rng.normal(size=260), np.quantile(f, np.arange(1, classes) / classes))
    if likelihood == "student-t":
        return X, f + 0.1 * rng.standard_t(3, size=260)
    return X, rng.negative_binomial(5, 5 / (5 + np.exp(f + 2))).astype(float)


@pytest.mark.parametrize("name, likelihood, classes", TARGETS)
def test_classes_and_densities_equal_the_library_called_by_hand(name, likelihood, classes, tmp_path, rng):
    adapter = installed(name)
    X, y = targets(likelihood, classes, rng)
    params = {"d_max": 20, "approx": None, "seed": 7, "kernel": "ard-se", "ard": True}
    params |= {"iterations": 5} if "iterations" in offers(adapter).options else {}
    params |= {"likelihood": likelihood} if likelihood else {"task": "classification", "classes": classes}
    fitted = Library(adapter, X[:220], y[:220], params)
    found, density = fitted.predict(X[220:]), fitted.log_density(X[220:], y[220:])
    np.savez(tmp_path / "arrays.npz", X=X[:220], y=y[:220], Xs=X[220:], ys=y[220:])
    python, arrays, out = environment.python_of(adapter), tmp_path / "arrays.npz", tmp_path / "hand.npz"
    command = [python, HAND_TARGETS, name, likelihood or "none", arrays, out]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    with np.load(out) as hand:
        if classes:
            np.testing.assert_allclose(found["prob"], hand["prob"], rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(found["prob"].sum(1), 1, atol=1e-12)
        else:
            np.testing.assert_allclose(found["mean"], hand["mean"], rtol=1e-6, atol=1e-8)
            np.testing.assert_allclose(found["var"], hand["var"], rtol=1e-6)
            np.testing.assert_allclose(density, hand["log_density"], rtol=1e-6, atol=1e-6)
    assert (density is None) == bool(classes)


@pytest.mark.parametrize("kernel", ["ard-se", "matern12", "matern32", "matern52"])
def test_evidence_of_vif_equals_ours_where_the_choice_of_points_cannot_matter(kernel, tmp_path, rng):
    """With k = n - 1 neighbours whatever the inducing points; with m = n - 1 of them, which is as many as it takes."""
    adapter = installed("gpboost-vif")
    X = rng.normal(size=(60, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * rng.normal(size=60)
    np.savez(tmp_path / "arrays.npz", X=X, y=y)
    command = [
        environment.python_of(adapter),
        EVIDENCE,
        adapter.file,
        kernel,
        tmp_path / "arrays.npz",
        tmp_path / "out",
    ]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    for size, neighbours in ((10, 59), (59, 5)):
        with np.load(tmp_path / f"out-{size}-{neighbours}.npz") as theirs:
            values = {"variance": theirs["variance"], "lengthscale": theirs["lengthscale"].tolist()}
            evidence, noise = float(theirs["log_evidence"]), float(theirs["noise"])
        start_kernel = build_kernel({"name": kernel, "bias": False}, X)
        gp = GP(start_kernel.with_values(values), noise)
        Z, k = (X[:size], neighbours) if neighbours == 59 else (X, 5)
        columns = vif.InducingColumns.of(gp, Z)
        near = vif.neighbours(columns, X, columns.transposed(X), k)
        ours = vif.evaluate(vif.build(gp, Z, X, y - y.mean(), near), gradient=False).F
        assert ours == pytest.approx(evidence, abs=1e-4)


@pytest.mark.parametrize("library", LIBRARIES)
def test_start_warm_up_and_exchange_take_less_than_five_cpu_seconds(library, rng):
    """CPU seconds of its process, so that other work on the machine does not decide."""
    X = rng.normal(size=(10_000, 8))
    before, params = os.times(), {"d_max": 20, "approx": None, "seed": 1, "kernel": "ard-se", "iterations": 1}
    fitted = Library(installed(library), X[:300], np.sin(X[:300, 0]), params)
    fitted.predict(X)
    fitted._end()
    after = os.times()
    spent = sum(getattr(after, k) - getattr(before, k) for k in ("children_user", "children_system"))
    assert 0 < spent - sum(s["cpu"] for s in fitted.seconds.values()) < BEYOND
