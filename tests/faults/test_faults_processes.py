"""Real signals to real processes: nothing finished is lost, nothing is left running."""

import os
import random
import re
import signal
import sys
import time
from pathlib import Path

import pytest
from driver import finish, marked, rows, server_of, start, trial, wait_until, write_job

from gpbench.experiment import runner
from gpbench.experiment.store import Store

pytestmark = [pytest.mark.faults, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")]


def finished(folder):
    """Inode and time of every finished trial: they change when a trial is run again."""
    return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in Path(folder).glob("trials/*.json")}


def test_kill_9_at_twenty_random_moments_loses_nothing_and_leaves_no_process(tmp_path):
    trials = [trial(index=i, seconds=0.25) for i in range(20)]
    trials += [trial("fake-path", index=i, d_max=d, seconds=0.15) for i in range(3) for d in (3, 7, 12)]
    job = write_job(tmp_path / "job.json", trials, jobs=2)
    draw, known, first_result, partial = random.Random(7), {}, None, 0
    for kill in range(20):
        begin = time.monotonic()
        process = start(tmp_path / "out", job, mark=f"kill-{kill}")
        if first_result is None:  # how long a run needs to get going on this machine
            wait_until(lambda: finished(tmp_path / "out"), seconds=60)
            first_result = time.monotonic() - begin
        else:
            time.sleep(draw.uniform(0.0, first_result + 0.6))
        process.kill()
        process.communicate()
        wait_until(lambda mark=f"kill-{kill}": not marked(mark), seconds=10)
        now = finished(tmp_path / "out")
        assert known.items() <= now.items()
        known = now
        partial += len(known) < len(trials)
    assert partial >= 5  # else the test has shown little: give it more trials
    code, err = finish(tmp_path / "out", job)
    assert code == 0, err
    assert known.items() <= finished(tmp_path / "out").items()
    assert not list((tmp_path / "out").rglob(".tmp-*"))
    quick = write_job(tmp_path / "whole.json", trials, jobs=4)
    assert finish(tmp_path / "whole", quick)[0] == 0
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_soon_with_everything_saved(tmp_path, number, code):
    trials = [trial(index=0), trial(index=1), *(trial(index=i, behaviour="hang") for i in range(3))]
    job = write_job(tmp_path / "job.json", trials, jobs=2)
    mark = f"signal-{code}-{os.getpid()}"
    process = start(tmp_path / "out", job, mark=mark)
    wait_until(lambda: len(finished(tmp_path / "out")) == 2)
    begin = time.monotonic()
    os.killpg(process.pid, number)  # as a terminal does
    _, err = process.communicate(timeout=15)
    assert time.monotonic() - begin < 10
    assert process.returncode == code
    assert "2 done, 3 left; the same command continues" in err
    assert "Traceback" not in err
    assert len(rows(tmp_path / "out").splitlines()) == 3
    assert not marked(mark)
    assert runner.status(tmp_path / "out")["left"] == 3


def test_a_signal_before_the_first_trial_is_heard(tmp_path):
    job = write_job(tmp_path / "job.json", [trial(behaviour="hang")])
    process = start(tmp_path / "out", job)
    wait_until(lambda: (tmp_path / "out" / "manifest.json").exists())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=15)
    assert process.returncode == 130
    assert "0 done, 1 left" in err


def test_status_is_readable_while_a_run_is_at_work(tmp_path):
    job = write_job(tmp_path / "job.json", [trial(), trial(behaviour="hang")])
    process = start(tmp_path / "out", job)
    try:
        wait_until(lambda: len(finished(tmp_path / "out")) == 1)
        found = runner.status(tmp_path / "out")
        assert (found["done"], found["left"], found["running"]["pid"]) == (1, 1, process.pid)
    finally:
        process.terminate()
        process.communicate()


def test_the_fork_server_itself_may_be_killed(tmp_path):
    trials = [trial(behaviour="hang"), *(trial(index=i, seconds=0.1) for i in range(4))]
    job = write_job(tmp_path / "job.json", trials, jobs=1)
    process = start(tmp_path / "out", job)
    wait_until(lambda: list((tmp_path / "out").glob("logs/[0-9a-f]*.log")))  # the first trial has begun
    os.kill(server_of(process), signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert re.search(r"4 done, 1 failed", err)
    assert Store(tmp_path / "out").load(trials[0]).status == "crashed"


def test_what_a_method_starts_ends_with_it(tmp_path):
    mark = f"spawn-{os.getpid()}"
    job = write_job(tmp_path / "job.json", [trial(behaviour="spawn")])
    assert finish(tmp_path / "out", job, mark=mark)[0] == 0
    assert not marked(mark)
