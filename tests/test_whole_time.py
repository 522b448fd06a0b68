"""What a trial costs is told whole: shared learning, fit and prediction, wall and CPU seconds."""

import pytest
from driver import run_here, trial

from gpbench.keeping.files import read_json, write_json
from gpbench.keeping.store import Store
from gpbench.report import frame

SHARED = {"schedule": "fixed", "from": "full-gp", "subset": 30, "evaluations": 10}


@pytest.fixture
def ran(tmp_path):
    """(folder, trials) of two methods that share a full GP and one that needs none."""
    trials = [trial("sod", d_max=20, hyperparameters=SHARED), trial("full-gp", hyperparameters=SHARED), trial("fake")]
    assert run_here(tmp_path, trials).done == 3
    return tmp_path, trials


def test_shared_learning_is_told_with_every_trial_that_shares_it(ran):
    folder, trials = ran
    found = Store(folder).results(trials)
    shared = read_json(next((folder / "shared").glob("*.json")))
    for t in trials[:2]:
        seconds = found[t.id].seconds
        assert seconds["learn"] == shared["seconds"]["wall"] > 0
        assert seconds["cpu"] > shared["seconds"]["cpu"]
    alone = found[trials[2].id].seconds
    assert "learn" not in alone and alone["cpu"] >= 0


def test_the_report_adds_up_what_is_known(ran):
    rows = frame.load(ran[0]).rows
    parts = rows[["learn_seconds", "fit_seconds", "predict_seconds"]].fillna(0).sum(axis=1)
    assert rows["total_seconds"].tolist() == pytest.approx(parts.tolist())
    assert rows["learn_seconds"].notna().sum() == 2


def test_shared_work_of_old_that_kept_no_time_leaves_the_columns_empty(ran):
    folder, _ = ran
    path = next((folder / "shared").glob("*.json"))
    write_json(path, {k: v for k, v in read_json(path).items() if k not in ("seconds", "checksum")})
    later = trial("sod", d_max=25, hyperparameters=SHARED)
    run_here(folder, [later])
    seconds = Store(folder).results([later])[later.id].seconds
    assert {"fit", "predict"} <= seconds.keys() and not {"learn", "cpu"} & seconds.keys()
