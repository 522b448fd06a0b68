"""What a run says of time and of shared work, and what a dry run expects."""

import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import plan
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.run.duration import OVERHEAD, estimate, model_seconds
from gpbench.experiment.run.jobs import jobs_for
from gpbench.experiment.run.progress import TimeLeft, name_of, varying
from gpbench.text import duration
from tests.helpers.driver import finish, run_here, trial, write_job
from tests.helpers.paths import REPO

ROOT = REPO


def test_times_are_said_for_people():
    assert [duration(s) for s in (0.2, 59, 90, 7500)] == ["1 s", "59 s", "2 min", "2 h 05 min"]


# -- the dry run's estimate ---------------------------------------------------------------------------------------


def test_the_estimate_uses_finished_trials_and_counts_what_is_left(tmp_path):
    trials = [trial(index=i, seconds=0.4) for i in range(5)]
    run_here(tmp_path, trials[:1])
    found = estimate(trials, ResultsFolder(tmp_path))
    assert (found.trials, found.done, found.jobs, found.measured) == (5, 1, 4, 4)
    assert 4 * 0.4 < found.seconds < 4 * 0.4 + 3


def test_the_estimate_grows_with_the_work(tmp_path):
    def seconds(**changes):
        split = {"kind": "random", "n_train": 10_000, "n_test": 100}
        return estimate([trial(split=split, **changes)], ResultsFolder(tmp_path)).seconds

    full_gp = {"schedule": "fixed", "from": "full-gp", "subset": 2000, "evaluations": 100}
    assert seconds(d_max=10) < seconds(d_max=1000) < seconds(d_max=1000, hyperparameters=full_gp)
    assert seconds(d_max=1000) < seconds(method="full-gp")


def archived(config):
    """Jobs of the finished trials of a committed config, and the seconds that they took."""
    config = load_config(ROOT / "configs" / config)
    store = ResultsFolder(ROOT / "results" / config.name)
    trials = plan(config, begun=store.begun(), fetch=False).trials
    found = store.inventory(trials)
    done = {id: r for id, r in (found.stale | found.results).items() if r.status == "ok"}
    for job in (s.job for s in jobs_for([t for t in trials if t.id in done], lambda key: True).waiting):
        seconds = done[job.trials[-1].id].seconds
        yield job, seconds["fit"] + seconds["predict"]


@pytest.mark.parametrize("config", ["cao/figure6.yaml", "cao/figure7.yaml"])
def test_the_estimate_is_within_a_factor_of_three_of_what_archived_trials_took(config):
    announced, took = Counter(), Counter()
    for job, seconds in archived(config):
        for name in ("all", job.trials[0].method):
            announced[name] += OVERHEAD + model_seconds(job)
            took[name] += seconds
    for name in ("all", "sod", "hybrid"):
        assert 1 / 3 < announced[name] / took[name] < 3, (name, announced[name], took[name])


def test_shared_work_is_one_job_for_all_that_need_it():
    full_gp = {"schedule": "fixed", "from": "full-gp", "subset": 10, "evaluations": 3}
    trials = [trial(m, d_max=d, hyperparameters=full_gp) for m in ("fake", "fake-path") for d in (3, 4)]
    queue = jobs_for(trials, lambda key: False)
    assert [(bool(s.job.makes_full_gp), len(s.job.trials)) for s in queue.waiting] == [
        (True, 4),
        (False, 1),
        (False, 1),
        (False, 2),
    ]


def test_shared_work_that_fails_takes_its_dependants_and_nobody_else(tmp_path):
    full_gp = {"schedule": "fixed", "from": "full-gp", "subset": 10, "evaluations": 3}
    lost = [trial(index=i, hyperparameters=full_gp, kernel={"name": "indefinite"}) for i in range(2)]
    fine = [trial(index=i, hyperparameters=full_gp) for i in range(2)]
    summary = run_here(tmp_path, [*lost, *fine])
    assert (summary.done, summary.failed) == (2, 2)
    assert all(r.status == "failed" and "full-GP hyperparameters: nonpsd" in r.reason for r in summary.failures)
    assert len(list(tmp_path.glob("shared/*.json"))) == 2


def test_a_method_in_the_working_folder_does_not_shadow_a_library(tmp_path):
    """A plug-in called random.py beside the config must not be imported by the workers in place of Python's."""
    (tmp_path / "random.py").write_text("raise RuntimeError('imported')")
    job = write_job(tmp_path / "job.json", [trial()])
    assert finish(tmp_path / "out", job, cwd=tmp_path)[0] == 0
    assert subprocess.run([sys.executable, "-c", "import random"], cwd=tmp_path, capture_output=True).returncode != 0


def test_no_two_lines_of_a_run_name_the_same_trial():
    trials = [trial(index=i, label=l, d_max=d, seed=s) for i in (0, 1) for l in "ab" for d in (3, 4) for s in (0, 1)]
    names = [name_of(t, varying(trials)) for t in trials]
    assert len(set(names)) == len(trials) and names[0] == "toy a d_max=3 seed=0 repetition 0"
    assert name_of(trials[0], varying(trials[:1])) == "toy a d_max=3 repetition 0"


def test_the_time_left_covers_what_the_rest_takes(monkeypatch):
    times = np.cumsum([0.0, *np.random.default_rng(0).exponential(10.0, 200)])
    clock = iter(times)
    monkeypatch.setattr("gpbench.experiment.run.progress.time.monotonic", lambda: next(clock))
    left = TimeLeft()
    texts = [left.after_one_more(200 - k) for k in range(1, 51)]
    low, high = map(int, re.fullmatch(r"(\d+) min to (\d+) min left", texts[-1]).groups())
    assert texts[:2] == ["", ""] and 60 * low < times[-1] - times[50] < 60 * high < 2.5 * 60 * low
    assert left.after_one_more(0) == ""
