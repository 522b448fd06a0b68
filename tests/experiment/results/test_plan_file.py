"""plan.json gives back every planned trial, in a fraction of the bytes; damage and older folders are told apart."""

import csv
from dataclasses import asdict

import pytest

from gpbench.experiment.results import plan_file
from gpbench.experiment.results.checked_files import Damaged, write_checked
from gpbench.experiment.results.folder import ResultsFolder
from tests.helpers.driver import trial

TRIALS = [trial(index=i, d_max=m, label=label) for i in range(4) for m in (10, 20) for label in ("", "other")]


@pytest.fixture
def store(tmp_path):
    found = ResultsFolder(tmp_path)
    found.write_plan("test", TRIALS, "name: test\n")
    return found


def test_the_plan_comes_back_trial_by_trial(store):
    name, trials = store.planned()
    assert name == "test" and {t.id: t for t in trials} == {t.id: t for t in TRIALS}
    assert {t.id for t in trials} == plan_file.settings(plan_file.read(store.folder)).keys()


def test_repetitions_share_one_line(store):
    lines = store.plan.read_text().splitlines()
    assert len(lines) == 2 + 4 and all(line.count('"method"') == 1 for line in lines[1:-1])


def test_an_edited_plan_is_damaged_and_an_older_manifest_is_read(store):
    store.plan.write_text(store.plan.read_text().replace('"seed":0', '"seed":1'))
    with pytest.raises(Damaged):
        store.planned()
    store.plan.unlink()
    before = [{"id": t.id, **asdict(t)} for t in TRIALS]
    write_checked(store.folder / plan_file.BEFORE, {"name": "test", "trials": before})
    assert {t.id for t in store.planned()[1]} == {t.id for t in TRIALS}


def test_every_archived_trial_of_a_committed_folder_is_planned_or_an_earlier_version(repo):
    for folder in sorted((repo / "results").glob("*/")):
        planned = ResultsFolder(folder).planned()[1]
        known = {t.id for t in planned} | {e.id for t in planned if t.versions for e in t.earlier()}
        with open(folder / "results.csv", newline="", encoding="utf-8") as rows:
            assert {row["trial_id"] for row in csv.DictReader(rows)} <= known, folder
