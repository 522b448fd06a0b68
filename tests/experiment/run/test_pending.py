"""A result of an earlier version stands for its successor until that exists; what is to run again is asked for."""

import csv
import json
import shutil
from dataclasses import replace

import pytest

from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.run import run
from gpbench.experiment.run.duration import estimate
from gpbench.experiment.run.pending import pending_trials
from tests.helpers.driver import gpbench, run_here, trial


def ids(folder):
    with open(folder / "results.csv", newline="") as f:
        return {row["trial_id"] for row in csv.DictReader(f)}


def at_version(trials, method):
    return [replace(t, versions={"method": method}) for t in trials]


@pytest.mark.parametrize("archived", [False, True])
def test_a_stale_trial_counts_marked_until_its_successor_exists(tmp_path, archived):
    old = [trial(index=i) for i in range(3)]
    run_here(tmp_path, old[:2])
    if archived:
        shutil.rmtree(tmp_path / "trials")
    new = at_version(old, 3)
    found = ResultsFolder(tmp_path).inventory(new)
    assert [t.id for t in pending_trials(new, found)] == [new[2].id]
    assert {r.trial.id for r in found.stale.values()} == {t.id for t in old[:2]}
    dry = estimate(new, ResultsFolder(tmp_path))
    assert (dry.done, dry.stale) == (2, 2)
    assert len(estimate(new, ResultsFolder(tmp_path), rerun="stale").missing) == 3

    summary = run_here(tmp_path, new)
    assert (summary.ran, summary.done, summary.stale, summary.exit_code) == (1, 3, 2, 0)
    assert summary.message == "3 done (2 stale); --rerun stale runs them again"
    assert ids(tmp_path) == {old[0].id, old[1].id, new[2].id}
    assert {k: run.status(tmp_path)[k] for k in ("done", "stale", "left")} == {"done": 3, "stale": 2, "left": 0}

    again = run_here(tmp_path, new, rerun="stale")
    assert (again.ran, again.stale) == (2, 0)
    assert ids(tmp_path) == {t.id for t in new}
    kept = {json.loads(line)["id"] for line in (tmp_path / "archive.jsonl").read_text().splitlines()}
    assert {t.id for t in [*old[:2], *new]} == kept, "what an older config asks for is still there"


def test_the_latest_of_several_earlier_versions_stands_for_the_trial(tmp_path):
    first = trial()
    second, third = at_version([first, first], 2)[0], at_version([first], 3)[0]
    run_here(tmp_path, [first])
    run_here(tmp_path, [second], rerun="stale")
    assert ResultsFolder(tmp_path).inventory([third]).stale[third.id].trial.id == second.id


def test_rerun_all_replaces_results_and_a_failure_is_what_came_of_it(tmp_path, monkeypatch):
    trials = [trial(behaviour="moody", index=i) for i in range(2)]
    run_here(tmp_path, trials)
    before = ResultsFolder(tmp_path).results(trials)
    assert run_here(tmp_path, trials, rerun="all").ran == 2
    after = ResultsFolder(tmp_path).results(trials)
    assert all(after[id] != before[id] and after[id].metrics == before[id].metrics for id in before)
    for mood in ("raise", "exit"):
        monkeypatch.setenv("GPBENCH_TEST_MOOD", mood)
        again = run_here(tmp_path, trials, rerun="all")
        assert (again.ran, again.failed) == (2, 2)
        assert run.status(tmp_path)["failed"] == 2
    monkeypatch.delenv("GPBENCH_TEST_MOOD")
    assert run_here(tmp_path, trials, rerun="failed").done == 2


def test_the_old_name_of_rerun_failed_is_a_hidden_alias(tmp_path):
    text = gpbench("run", "--help").stdout
    assert "--rerun [stale|failed|all]" in text and "--retry-failed" not in text
    (tmp_path / "c.yaml").write_text("name: c\ndataset: {name: friedman3, n_train: 20, n_test: 20}\nmethods: [sod]\n")
    assert gpbench("run", "c.yaml", "-n", "--retry-failed", cwd=tmp_path).returncode == 0
