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
from tests.helpers.driver import run_here, trial
from tests.helpers.paths import HELPERS

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]
HAND = HELPERS / "by_hand.py"
LIBRARIES = environment.libraries()
MODELS = [f"{library}-{model}" for library in LIBRARIES for model in environment.models(environment.find(library).file)]
BEYOND = 5.0  # seconds


def installed(name):
    adapter = environment.find(name)
    if not environment.installed(adapter):
        pytest.skip(f"{adapter.library}: gpbench adapters install {adapter.library}")
    return adapter


@pytest.mark.parametrize("name", MODELS)
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
