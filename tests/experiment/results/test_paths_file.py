"""`run --whole-paths` adds the rest of greedy paths and leaves ids and numbers as they are."""

import csv
import shutil

import pytest

from gpbench.experiment.results import paths_file
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.methods.families.stopping import READINGS, size_of
from gpbench.methods.stop_rules.patience import Patience
from tests.helpers.driver import gpbench

CONFIG = """
name: small
dataset: friedman3
trials: 2
seed: 0
hyperparameters: {schedule: fixed, from: full-gp, subset: 60}
d_max: 60
stop: {patience: 5, evaluate: termination}
methods: [{method: nlpp, label: NLPP, stop: d_max}, {method: nlml, label: NLML}, {method: gpe, label: GPE}]
metrics: [nmse, nlpd]
"""
RULE = Patience(patience=5)


def rows_of(folder):
    with open(folder / "results.csv", newline="") as f:
        return {row["trial_id"]: row for row in csv.DictReader(f)}


def paths_of(folder):
    found = {}
    for row in paths_file.read(folder):
        found.setdefault(row["trial_id"], []).append(row)
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    here = tmp_path_factory.mktemp("paths")
    (here / "small.yaml").write_text(CONFIG)
    assert gpbench("-q", "run", "small.yaml", "-o", "stopped", cwd=here).returncode == 0
    shutil.copytree(here / "stopped", here / "whole")
    assert "4 done; " not in gpbench("run", "small.yaml", "-o", "whole", "--whole-paths", "-n", cwd=here).stdout
    assert gpbench("-q", "run", "small.yaml", "-o", "whole", "--whole-paths", cwd=here).returncode == 0
    return here


def test_finished_trials_run_again_for_their_paths_and_their_numbers_stay(ran):
    before, after = rows_of(ran / "stopped"), rows_of(ran / "whole")
    assert before.keys() == after.keys() and len(after) == 6
    for id, row in before.items():
        assert [after[id][k] for k in ("nmse", "nlpd", "n_basis")] == [row[k] for k in ("nmse", "nlpd", "n_basis")]
    assert not (ran / "stopped" / paths_file.NAME).exists()


def test_the_frozen_rule_read_off_the_path_is_the_archived_trial(ran):
    rows, paths = rows_of(ran / "whole"), paths_of(ran / "whole")
    assert paths.keys() == {id for id, row in rows.items() if row["label"] != "NLPP"}
    for id, path in paths.items():
        assert [int(row["size"]) for row in path] == list(range(1, 61))
        measures = [float(row["measure"]) for row in path]
        at = path[size_of(RULE, measures) - 1]
        assert int(at["size"]) == float(rows[id]["n_basis"])
        for metric in paths_file.SCORES:
            assert float(at[metric]) == pytest.approx(float(rows[id][metric]), rel=1e-9)
        assert {int(row["size"]) for row in path if row["nmse"]} >= {size_of(rule, measures) for rule in READINGS}


def test_kept_paths_need_no_other_run_also_without_the_trials_files(ran, tmp_path):
    shutil.copytree(ran / "whole", tmp_path / "committed")
    shutil.copy(ran / "small.yaml", tmp_path)
    shutil.rmtree(tmp_path / "committed" / "trials")
    done = gpbench("run", "small.yaml", "-o", "committed", "--whole-paths", "-n", cwd=tmp_path)
    assert "6 done; nothing left" in done.stdout, done.stdout
    kept = (tmp_path / "committed" / paths_file.NAME).read_bytes()
    gpbench("-q", "run", "small.yaml", "-o", "committed", "--whole-paths", cwd=tmp_path)
    assert (tmp_path / "committed" / paths_file.NAME).read_bytes() == kept
    (tmp_path / "committed" / paths_file.NAME).write_bytes(kept[:-9])
    damaged = gpbench("run", "small.yaml", "-o", "committed", "--whole-paths", "-n", cwd=tmp_path)
    assert "2 done" in damaged.stdout, damaged.stdout


def test_the_same_paths_give_the_same_bytes(ran):
    file = ran / "whole" / paths_file.NAME
    before = file.read_bytes()
    paths_file.keep(ran / "whole")
    assert file.read_bytes() == before
    assert ResultsFolder(ran / "whole").inventory([]).pathless == frozenset()
