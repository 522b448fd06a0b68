"""What a trial costs is told whole: shared learning, fit and prediction, wall and CPU seconds."""

import time

import numpy as np
import pytest
from numba.core import event

from gpbench.analysis import results_table
from gpbench.experiment.evaluation import evaluate, problem
from gpbench.experiment.results.checked_files import read_checked, write_checked
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.gp.kernels.ard_se import ArdSE
from tests.helpers.driver import run_here, trial

SHARED = {"schedule": "fixed", "from": "full-gp", "subset": 30, "evaluations": 10}


@pytest.fixture
def ran(tmp_path):
    """(folder, trials) of two methods that share a full GP and one that needs none."""
    trials = [trial("sod", d_max=20, hyperparameters=SHARED), trial("full-gp", hyperparameters=SHARED), trial("fake")]
    assert run_here(tmp_path, trials).done == 3
    return tmp_path, trials


def test_shared_learning_is_told_with_every_trial_that_shares_it(ran):
    folder, trials = ran
    found = ResultsFolder(folder).results(trials)
    shared = read_checked(next((folder / "shared").glob("*.json")))
    for t in trials[:2]:
        seconds = found[t.id].seconds
        assert seconds["learn"] == shared["seconds"]["wall"] > 0
        assert seconds["cpu"] > shared["seconds"]["cpu"]
    alone = found[trials[2].id].seconds
    assert "learn" not in alone and alone["cpu"] >= 0


def test_the_report_adds_up_what_is_known(ran):
    rows = results_table.load(ran[0]).rows
    parts = rows[["learn_seconds", "fit_seconds", "predict_seconds"]].fillna(0).sum(axis=1)
    assert rows["total_seconds"].tolist() == pytest.approx(parts.tolist())
    assert rows["learn_seconds"].notna().sum() == 2


def test_shared_work_of_old_that_kept_no_time_leaves_the_columns_empty(ran):
    folder, _ = ran
    path = next((folder / "shared").glob("*.json"))
    write_checked(path, {k: v for k, v in read_checked(path).items() if k not in ("seconds", "checksum")})
    later = trial("sod", d_max=25, hyperparameters=SHARED)
    run_here(folder, [later])
    seconds = ResultsFolder(folder).results([later])[later.id].seconds
    assert {"fit", "predict"} <= seconds.keys() and not {"learn", "cpu"} & seconds.keys()


COMPILING, WORKING = 0.4, 0.2  # seconds


class Compiling(ArdSE):
    """Compiles at its first use: on a busy machine that takes its time and little of the processor's."""

    done = False

    def __call__(self, X, X2=None):
        self.compile()
        return super().__call__(X, X2)

    def diag(self, X):
        self.compile()
        return super().diag(X)

    def compile(self):
        if not Compiling.done:
            Compiling.done = True
            event.start_event("numba:compile")
            time.sleep(COMPILING)
            event.end_event("numba:compile")
            busy_until = time.process_time() + WORKING
            while time.process_time() < busy_until:
                pass


@pytest.mark.parametrize("method", ["hybrid", "nlml"])
def test_compiling_is_in_no_seconds_so_no_part_is_longer_than_the_fit(method, monkeypatch):
    monkeypatch.setattr(Compiling, "done", False)
    monkeypatch.setattr(problem, "build_kernel", lambda spec, X: Compiling(np.zeros(X.shape[1] + 1), X.shape[1]))
    hyperparameters = {"schedule": "interleaved", "rounds": 1, "evaluations": 3}
    ((result, _),) = evaluate.results([trial(method, d_max=5, hyperparameters=hyperparameters)], None, lambda t: None)
    seconds = result.seconds
    assert WORKING <= seconds["select"] + seconds["adapt"] <= seconds["fit"]
    assert WORKING <= seconds["cpu"] and max(row["seconds"] for row in result.trace) <= seconds["fit"]


def test_a_size_with_a_path_of_its_own_is_not_charged_with_the_sizes_before(monkeypatch):
    """The first size is slow; the second is so only where its path goes on from the first."""
    turns = {"schedule": "interleaved", "rounds": 1, "evaluations": 3}
    for hyperparameters, charged in ((turns, False), ({"schedule": "fixed", "values": {"noise": 0.1}}, True)):
        monkeypatch.setattr(Compiling, "done", False)
        monkeypatch.setattr(problem, "build_kernel", lambda spec, X: Compiling(np.zeros(X.shape[1] + 1), X.shape[1]))
        trials = [trial("nlml", d_max=d, hyperparameters=hyperparameters) for d in (3, 4)]
        first, second = (r.seconds for r, _ in evaluate.results(trials, None, lambda t: None))
        assert first["cpu"] >= WORKING
        assert (second["cpu"] >= WORKING) == charged
