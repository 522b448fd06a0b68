"""Real signals to real processes: nothing finished is lost, nothing is left running."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpbench.errors import FolderInUse
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.lock import Lock
from gpbench.experiment.run import run
from tests.helpers.driver import (
    finish,
    marked,
    rows,
    run_here,
    server_of,
    start,
    trial,
    unhurried,
    wait_until,
    write_job,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def finished(folder):
    """Inode and time of every finished trial: they change when a trial is run again."""
    return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in Path(folder).glob("trials/*.json")}


TIMES = ("seconds", "peak_mb", "env", "checksum")  # what two runs of one trial may differ in


def timeless(content):
    if isinstance(content, dict):
        return {k: timeless(v) for k, v in content.items() if k not in TIMES and not k.endswith("_seconds")}
    return [timeless(v) for v in content] if isinstance(content, list) else content


def records(folder):
    """The bytes of every record and of every archived line, without times."""
    files = {str(p.relative_to(folder)): p.read_text() for p in Path(folder).glob("*/*.json") if p.parent.name != "env"}
    lines = (Path(folder) / "archive.jsonl").read_text().splitlines()
    texts = files | {json.loads(line)["id"]: line for line in lines}
    return {name: json.dumps(timeless(json.loads(text))) for name, text in texts.items()}


@pytest.mark.parametrize("kills", [8, pytest.param(50, marks=[pytest.mark.long, pytest.mark.timeout(1500)])])
def test_kill_9_at_random_moments_loses_nothing_stores_no_failure_and_leaves_no_process(kills, tmp_path):
    trials = [trial(index=i, seconds=0.25) for i in range(kills)]
    trials += [
        trial("fake-path", index=i, d_max=d, seconds=0.15) for i in range(max(3, kills // 5)) for d in (3, 7, 12)
    ]
    job = write_job(tmp_path / "job.json", trials, jobs=2)
    draw, known, first_result, partial = random.Random(7), {}, None, 0
    for kill in range(kills):
        begin, mark = time.monotonic(), f"kill-{os.getpid()}-{kill}"
        process = start(tmp_path / "out", job, mark=mark)
        if first_result is None:  # how long a run needs to get going on this machine
            wait_until(lambda: finished(tmp_path / "out"), seconds=60)
            first_result = time.monotonic() - begin
        else:
            time.sleep(draw.uniform(0.0, first_result + 0.6))
        process.kill()
        process.communicate()
        wait_until(lambda mark=mark: not marked(mark), seconds=60)
        now = finished(tmp_path / "out")
        assert known.items() <= now.items() and not list((tmp_path / "out").glob("failures/*"))
        known = now
        partial += len(known) < len(trials)
    assert partial >= kills // 4  # else the test has shown little: give it more trials
    code, err = finish(tmp_path / "out", job)
    assert code == 0, err
    assert known.items() <= finished(tmp_path / "out").items()
    assert not list((tmp_path / "out").rglob(".tmp-*"))
    quick = write_job(tmp_path / "whole.json", trials, jobs=4)
    assert finish(tmp_path / "whole", quick)[0] == 0
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")
    assert records(tmp_path / "out") == records(tmp_path / "whole"), "byte for byte, and none of a failure"
    assert len(records(tmp_path / "out")) == 2 * len(trials)


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_soon_with_everything_saved(tmp_path, number, code):
    trials = [trial(index=0), trial(index=1), *(trial(index=i, behaviour="hang") for i in range(3))]
    job = write_job(tmp_path / "job.json", trials, jobs=2)
    mark = f"signal-{code}-{os.getpid()}"
    process = start(tmp_path / "out", job, mark=mark)
    wait_until(lambda: len(finished(tmp_path / "out")) == 2)
    begin = time.monotonic()
    os.killpg(process.pid, number)  # as a terminal does
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - begin < unhurried(10)
    assert process.returncode == code
    assert "2 done, 3 left; the same command continues" in err
    assert "Traceback" not in err
    assert len(rows(tmp_path / "out").splitlines()) == 3
    assert not marked(mark)
    assert run.status(tmp_path / "out")["left"] == 3


def test_a_signal_before_the_first_trial_is_heard(tmp_path):
    job = write_job(tmp_path / "job.json", [trial(behaviour="hang")])
    process = start(tmp_path / "out", job)
    wait_until(lambda: (tmp_path / "out" / "plan.json").exists())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "0 done, 1 left" in err


def test_status_is_readable_while_a_run_is_at_work(tmp_path):
    job = write_job(tmp_path / "job.json", [trial(), trial(behaviour="hang")])
    process = start(tmp_path / "out", job)
    try:
        wait_until(lambda: len(finished(tmp_path / "out")) == 1)
        found = run.status(tmp_path / "out")
        assert (found["done"], found["left"], found["running"]["pid"]) == (1, 1, process.pid)
    finally:
        process.terminate()
        process.communicate()


def test_what_a_method_starts_ends_with_it(tmp_path):
    mark = f"spawn-{os.getpid()}"
    job = write_job(tmp_path / "job.json", [trial(behaviour="spawn")])
    assert finish(tmp_path / "out", job, mark=mark)[0] == 0
    assert not marked(mark)


def test_jobs_of_a_killed_server_run_again_and_nothing_false_is_stored(tmp_path):
    trials = [trial(index=i, seconds=0.3) for i in range(4)]
    trials += [trial("fake-path", d_max=d, seconds=0.3) for d in (3, 7, 12)]
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", trials, jobs=2))
    wait_until(lambda: len(finished(tmp_path / "out")) >= 2)
    os.kill(server_of(process), signal.SIGKILL)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "7 done" in err, err
    assert not list((tmp_path / "out").glob("failures/*"))


def test_a_trial_that_kills_the_server_every_time_has_crashed(tmp_path):
    trials = [trial(behaviour="parricide"), *(trial(index=i) for i in range(2))]
    summary = run_here(tmp_path, trials)
    assert (summary.done, summary.failed, summary.left) == (2, 1, 0)
    assert summary.failures[0].reason == "the process that starts trials was killed"


def test_a_killed_server_whose_pipe_is_held_by_a_methods_child_is_noticed(tmp_path):
    """The child holds the pipe because it was forked before gpbench could take it away: by C code, say."""
    mark = f"held-{os.getpid()}"
    trials = [trial(behaviour="fork-and-hang"), trial(index=1)]
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", trials), mark=mark)
    wait_until(lambda: (tmp_path / "out/logs").exists() and list((tmp_path / "out").glob("logs/[0-9a-f]*.log")))
    wait_until(lambda: len(marked(mark)) >= 4)  # main, server, job, the job's child
    for _ in range(2):  # the job runs again once
        os.kill(server_of(process), signal.SIGKILL)
        time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (1, 130), err
    wait_until(lambda: not marked(mark), seconds=unhurried(20))


def test_a_daemon_that_a_method_leaves_behind_holds_no_lock_and_ends_with_the_run(tmp_path):
    mark = f"daemon-{os.getpid()}"
    job = write_job(tmp_path / "job.json", [trial(behaviour="hang"), trial(behaviour="daemon")], jobs=2)
    process = start(tmp_path / "out", job, mark=mark)
    wait_until(lambda: len(finished(tmp_path / "out")) == 1)
    wait_until(lambda: len(marked(mark)) == 4)  # main, server, the hanging job, the daemon
    process.kill()
    process.communicate()
    assert run_here(tmp_path / "out", [trial(behaviour="daemon")]).exit_code == 0  # not exit 6
    wait_until(lambda: not marked(mark), seconds=unhurried(20))


def test_a_child_of_a_method_that_comes_back_stores_nothing(tmp_path):
    trials = [trial("fake-path", d_max=d, forks=True) for d in (3, 7)]
    assert run_here(tmp_path, trials).done == 2
    assert run_here(tmp_path / "alone", trials[:1]).done == 1


def test_a_lock_held_by_an_unknown_process_names_that_process_and_not_a_dead_one(tmp_path):
    lock = tmp_path / ".lock"
    lock.write_text(json.dumps({"pid": 999999999, "host": socket.gethostname()}))
    code = "import fcntl, sys, time; f = open(sys.argv[1]); fcntl.flock(f, 2); print(1, flush=True); time.sleep(60)"
    other = subprocess.Popen([sys.executable, "-c", code, str(lock)], stdout=subprocess.PIPE)
    other.stdout.readline()
    try:
        with pytest.raises(FolderInUse, match=rf"in use by process {other.pid}, left behind by a run that has ended"):
            Lock(tmp_path).acquire()
    finally:
        other.kill()
        other.communicate()


def test_without_waitid_jobs_are_reaped_all_the_same(tmp_path):
    """macOS before Python 3.13 has no os.waitid; here it is taken away from the server, too."""
    (tmp_path / "sitecustomize.py").write_text("import os\ndel os.waitid\n")
    trials = [trial(), trial(behaviour="exit"), trial("fake-path", d_max=4), trial(behaviour="spawn"), trial(index=1)]
    mark = f"waitid-{os.getpid()}"
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    code, err = finish(
        tmp_path / "out", write_job(tmp_path / "job.json", trials, jobs=2), mark=mark, env={"PYTHONPATH": path}
    )
    assert code == 1 and "4 done, 1 failed" in err, err
    assert "exited with code 3" in err and not marked(mark)


def test_a_log_is_capped_and_keeps_both_ends(tmp_path):
    loud = trial(behaviour="loud")
    summary = run_here(tmp_path, [loud, trial()])
    assert (summary.done, summary.failed) == (1, 1)
    log = ResultsFolder(tmp_path).log_path(loud.id)
    text = log.read_text(errors="replace")
    assert log.stat().st_size < 11 * 2**20
    assert text.startswith("the first line") and "ValueError: the last line" in text[-200:]
