"""What an adapter's process may do: start others, eat, die, ask; and what is told of it."""

import tempfile
import time

import pytest

from gpbench.adapters import environment
from gpbench.experiment.results.folder import ResultsFolder
from tests.helpers.driver import run_here, trial

WORKING = """
MODELS = ("a", "b")
class Model:
    n_basis = 1
    def __init__(self, X, y, params):
        self.notes = [params["model"], str(params["ard"])]
    def predict(self, X):
        return np.zeros(len(X)), np.ones(len(X))
def fit(X, y, params):
    if not params.get("warm_up"):
        body(X, params)
    return Model(X, y, params)
"""


def fate(tmp_path, body, more="", **limits):
    """What becomes of a trial whose adapter does this in its fit."""
    file = tmp_path / "mine.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file.write_text(f"import multiprocessing as mp, os, sys, time\nimport numpy as np\n{more}\n"
                    f"def body(X, params):\n{lines}\n{WORKING}")  # fmt: skip
    one = trial("external", external=str(file))
    run_here(tmp_path / "out", [one], **limits)
    return ResultsFolder(tmp_path / "out").results([one])[one.id]


BUSY = """
def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
def fat(_):
    block = np.ones(120 * 2**17)
    time.sleep(60)
"""


def test_cpu_seconds_of_a_librarys_own_processes_count(tmp_path):
    body = "alive, ended = (mp.get_context('fork').Process(target=busy, args=(s,), daemon=True) for s in (9, 0.6))\n"
    body += "alive.start(); ended.start(); ended.join(); time.sleep(0.2)"
    result = fate(tmp_path, body, BUSY)
    assert result.status == "ok", result.reason
    assert result.seconds["cpu"] > 0.6 + 0.2


def test_memory_of_a_librarys_own_processes_counts_together(tmp_path):
    body = "for _ in range(8): mp.get_context('fork').Process(target=fat, args=(0,), daemon=True).start()\n"
    result = fate(tmp_path, body + "time.sleep(60)", BUSY, memory=150, timeout=40)
    assert result.status == "oom" and "processes took" in result.reason, result.reason


def test_a_library_that_dies_beside_a_living_child_has_failed(tmp_path):
    body = "mp.get_context('fork').Process(target=time.sleep, args=(50,), daemon=True).start()\nos._exit(9)"
    result = fate(tmp_path, body, timeout=40)
    assert result.status == "failed" and result.reason.endswith("process ended with code 9 during fit"), result.reason


@pytest.mark.parametrize(
    "body, reason",
    [
        ("input()", "EOFError"),
        ("import gpytorch", "ModuleNotFoundError: No module named 'gpytorch'"),
        ("import client", "ModuleNotFoundError: No module named 'client'"),
        ("Model.n_basis = -5", "n_basis is -5, which is not a whole number from 0"),
        ("Model.predict = lambda self, X: (np.zeros(len(X)) + 1j, np.ones(len(X)))", "predicts complex numbers"),
    ],
)
def test_what_an_adapter_may_not_do_is_told(tmp_path, body, reason):
    result = fate(tmp_path, body)
    assert result.status == "failed" and reason in result.reason


def test_approx_names_a_model_of_a_users_file_and_ard_reaches_it(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f"import numpy as np\ndef body(*_): pass\n{WORKING}")
    kernel = {"name": "ard-se", "ard": False}
    chosen = [trial("external", external=str(file), approx=a, kernel=kernel) for a in (None, "b", "c")]
    run_here(tmp_path / "out", chosen)
    results = ResultsFolder(tmp_path / "out").results(chosen)
    assert [list(results[t.id].notes[:2]) for t in chosen] == [["a", "False"], ["b", "False"], ["a", "False"]]


def test_arrays_of_a_killed_trial_are_taken_away(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    result = fate(tmp_path, "time.sleep(60)", timeout=4)
    assert result.status == "timeout"
    assert not list(tmp_path.glob("gpbench-adapter-*"))


def test_an_installation_is_no_part_of_a_trials_time(tmp_path, monkeypatch):
    """An environment without packages takes longer to make than the trial may."""
    file = tmp_path / "mine.py"
    file.write_text(f"import numpy as np\ndef body(*_): pass\n{WORKING}")
    (tmp_path / "requirements.txt").write_text("")
    monkeypatch.setenv("GPBENCH_DATA", str(tmp_path / "data"))
    one = trial("external", external=str(file))
    make = environment.install
    monkeypatch.setattr(environment, "install", lambda adapter: (time.sleep(4), make(adapter)))
    run_here(tmp_path / "out", [one], timeout=4)
    result = ResultsFolder(tmp_path / "out").results([one])[one.id]
    assert result.status == "failed" and "numpy is needed" in result.reason  # its own fate, not the clock's
