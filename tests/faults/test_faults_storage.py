"""Locks, full disks, folders that cannot be written, damaged files: exit codes, and earlier trials intact."""

import os
import resource
import socket
import subprocess
import time

import pytest

from gpbench.errors import FolderInUse
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.lock import Lock, holder
from tests.helpers.driver import ballast, finish, rows, run_here, start, trial, unhurried, wait_until, write_job

# -- lock ---------------------------------------------------------------------------------------------------------


def test_a_second_run_on_the_folder_is_refused_and_told_who_holds_it(tmp_path):
    job = write_job(tmp_path / "job.json", [trial(behaviour="hang")])
    first = start(tmp_path / "out", job)
    try:
        wait_until(lambda: (tmp_path / "out" / "plan.json").exists())
        code, err = finish(tmp_path / "out", job)
        assert code == 6
        assert f"process {first.pid} on {socket.gethostname()}" in err
    finally:
        first.terminate()
        first.communicate()
    assert not (tmp_path / "out" / ".lock").exists()


@pytest.mark.parametrize("content", ['{"pid": 999999999, "host": "elsewhere"}', "", "not json"])
def test_a_lock_file_without_a_living_holder_stops_nobody(tmp_path, content):
    (tmp_path / ".lock").write_text(content)
    lock = Lock(tmp_path)
    lock.acquire()
    assert holder(tmp_path)[0] == os.getpid()
    lock.release()


def test_a_lock_is_exclusive_within_one_process_too(tmp_path):
    first, second = Lock(tmp_path), Lock(tmp_path)
    first.acquire()
    with pytest.raises(FolderInUse):
        second.acquire()
    first.release()
    second.acquire()
    second.release()


# -- damaged files ------------------------------------------------------------------------------------------------


def test_damaged_files_are_quarantined_and_run_again(tmp_path):
    hyper = {"schedule": "fixed", "from": "full-gp", "subset": 10, "evaluations": 3}
    trials = [trial(index=i, d_max=d, hyperparameters=hyper) for i in range(2) for d in (2, 3)]
    run_here(tmp_path, trials)
    before, store = rows(tmp_path), ResultsFolder(tmp_path)
    truncated, empty = (store.trial_path(t.id) for t in trials[:2])
    truncated.write_bytes(truncated.read_bytes()[:-40])
    empty.write_bytes(b"")
    edited = store.trial_path(trials[2].id)
    edited.write_text(edited.read_text().replace('"nmse": ', '"nmse": 1'))
    shared = next(tmp_path.glob("shared/*.json"))
    shared.write_bytes(b"{}")
    store.plan.write_bytes(store.plan.read_bytes()[:100])
    (tmp_path / "results.csv").write_text("gone")
    summary = run_here(tmp_path, trials)
    assert (summary.exit_code, summary.ran) == (0, 3)
    assert rows(tmp_path) == before
    assert len(list((tmp_path / "quarantine").iterdir())) == 5  # three trials, a full GP, the plan


# -- disks --------------------------------------------------------------------------------------------------------


def test_a_disk_that_fills_up_stops_the_run_with_earlier_trials_intact(small_disk, tmp_path):
    trials = [trial(index=i) for i in range(60)]
    job = write_job(tmp_path / "job.json", trials, jobs=2)
    ballast(small_disk, leave=200 * 1024)
    code, err = finish(small_disk / "out", job)
    assert code == 7, err
    assert "No space left" in err and "free some space" in err and "Traceback" not in err
    store = ResultsFolder(small_disk / "out")
    saved = list(store.folder.glob("trials/*.json"))
    assert 0 < len(saved) < len(trials)
    assert len(store.results(trials)) == len(saved)  # each of them whole
    assert not list(store.folder.rglob(".tmp-*"))
    assert not list(store.folder.glob("failures/*"))
    (small_disk / "ballast").unlink()
    code, err = finish(small_disk / "out", job)
    assert code == 0, err
    assert f"[{len(saved) + 1}/60]" in err


def test_a_full_disk_is_found_before_computing(small_disk, tmp_path):
    job = write_job(tmp_path / "job.json", [trial()])
    ballast(small_disk, leave=32 * 1024)
    code, err = finish(small_disk / "out", job)
    assert code == 7 and "No space left" in err
    assert not list(small_disk.glob("out/logs/*"))


def test_a_read_only_folder_is_found_before_computing(small_disk, tmp_path):
    job = write_job(tmp_path / "job.json", [trial()])
    assert finish(small_disk / "out", job)[0] == 0
    before = rows(small_disk / "out")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    begin = time.monotonic()
    code, err = finish(small_disk / "out", write_job(tmp_path / "more.json", [trial(), trial(index=1)]))
    assert code == 7 and "Read-only file system" in err and "--output" in err
    assert time.monotonic() - begin < unhurried(10)
    assert rows(small_disk / "out") == before


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path):
    job = write_job(tmp_path / "job.json", [trial()])
    code, err = finish("/proc/gpbench-results", job)
    assert code == 7 and "cannot write" in err


def test_a_file_size_limit_acts_like_a_full_disk(tmp_path):
    big = {"kind": "random", "n_train": 40, "n_test": 90_000}
    trials = [trial(), trial(dataset={"name": "toy", "rows": 100_000}, split=big)]
    job = write_job(tmp_path / "job.json", trials, save_predictions=True)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # noqa: E731
    code, err = finish(tmp_path / "out", job, preexec_fn=limit)
    assert code == 7 and "File too large" in err
    assert ResultsFolder(tmp_path / "out").results(trials).keys() == {trials[0].id}
    assert finish(tmp_path / "out", job)[0] == 0
