"""Deaths on a cluster, with real signals: nothing finished is lost or counted twice, nothing is left running."""

import os
import signal
import sys
from pathlib import Path

import pytest

from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.lock import alive
from gpbench.experiment.run import run
from tests.helpers.dask_processes import Processes, children, jobs_below, server_below, worker_of
from tests.helpers.driver import finish, marked, rows, run_here, start, trial, unhurried, wait_until, write_job

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler that soon gives up silent workers; every test adds workers and ends them."""
    processes = Processes(tmp_path_factory.mktemp("cluster"), f"faults-{os.getpid()}", ttl="2s")
    yield processes
    processes.close()


@pytest.fixture
def workers(cluster):
    """Two nannies, each with a worker."""
    nannies = [cluster.add_worker() for _ in range(2)]
    yield nannies
    for nanny in nannies:
        for end in (signal.SIGCONT, signal.SIGKILL):
            for pid in (nanny.pid, *_descendants(nanny.pid)):
                _send(pid, end)


def _descendants(pid):
    with_children = [pid]
    for one in with_children:
        with_children += children(one)
    return with_children[1:]


def _send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _finished(folder):
    return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in Path(folder).glob("trials/*.json")}


def _counting(folder, *trials):
    """Paths that write down each of their starts."""
    return [trial("fake-path", index=i, d_max=d, seconds=s, count=str(folder / f"{i}")) for i, d, s in trials]


def _busy(nannies):
    """(nanny, worker, trial) pids of a worker with a trial at work; None when there is none."""
    for nanny in nannies:
        worker = worker_of(nanny)
        if jobs := jobs_below(worker):
            return nanny, worker, jobs[0]
    return None


@pytest.mark.parametrize("nanny_too", [False, True])
def test_a_killed_worker_costs_nothing_but_time(tmp_path, cluster, workers, nanny_too):
    trials = [*_counting(tmp_path, *((0, d, 0.8) for d in (3, 7, 12))), *(trial(index=i) for i in range(6))]
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", trials, on=cluster.address))
    store = ResultsFolder(tmp_path / "out")
    wait_until(lambda: store.trial_path(trials[0].id).exists())
    nanny, worker, job = _busy(workers)  # only the path is long enough to be found
    before = _finished(tmp_path / "out")
    for pid in (nanny.pid, worker) if nanny_too else (worker,):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not alive(job), seconds=unhurried(1.5))  # its server reads the end of its orders
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "9 done" in err, err
    assert before.items() <= _finished(tmp_path / "out").items()
    assert err.count("] ok ") == 9  # each told once
    (line,) = [line for line in err.splitlines() if line.startswith("the worker at ")]
    assert line.endswith(" is gone, 1 is left; its trial runs again, twice at most")
    assert (tmp_path / "0").read_text().count("started") == 2
    assert run_here(tmp_path / "alone", trials).done == 9
    assert rows(tmp_path / "out") == rows(tmp_path / "alone")


def test_a_dead_scheduler_interrupts_the_run_and_the_same_command_continues(tmp_path):
    cluster = Processes(tmp_path / "cluster", mark := f"scheduler-{os.getpid()}")
    try:
        cluster.add_worker()
        trials = [trial(index=0), trial(index=1), trial(behaviour="hang")]
        process = start(tmp_path / "out", write_job(tmp_path / "job.json", trials, on=cluster.address))
        wait_until(lambda: len(_finished(tmp_path / "out")) == 2)
        wait_until(lambda: len(marked(mark)) > 4)
        cluster.scheduler.kill()
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "is gone" in err and "2 done, 1 left; the same command continues" in err and "Traceback" not in err
    finally:
        cluster.close()
    before = _finished(tmp_path / "out")
    again = write_job(tmp_path / "again.json", trials, on="dask", timeout=0.5)
    code, err = finish(tmp_path / "out", again)
    assert code == 1 and "2 done, 1 failed" in err, err
    assert before == _finished(tmp_path / "out")


def test_a_killed_client_leaves_no_orphan_after_two_seconds(tmp_path, cluster, workers):
    trials = [trial(index=0), trial(index=1), *(trial(index=i, behaviour="hang") for i in range(3))]
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", trials, on=cluster.address))
    wait_until(lambda: len(_finished(tmp_path / "out")) == 2)
    wait_until(lambda: all(jobs_below(worker_of(n)) for n in workers))
    ours = [p for n in workers for p in (server_below(worker_of(n)), *jobs_below(worker_of(n)))]
    process.kill()
    process.communicate()
    wait_until(
        lambda: not any(map(alive, ours)), seconds=unhurried(2.5)
    )  # the lease of two seconds, and an instant to end
    assert run.status(tmp_path / "out")["done"] == 2
    wait_until(lambda: not _locks(cluster.folder), seconds=unhurried(5))  # workers take the folders of dead jobs away


def _locks(folder):
    """In folders that vanish while one looks: a walk passes over them."""
    found = [(Path(name).name, files) for name, _, files in os.walk(folder)]
    return [f for name, files in found if name.startswith("gpbench-") for f in files if f.endswith(".lock")]


def test_a_killed_client_of_a_local_cluster_leaves_nothing(tmp_path):
    mark = f"local-cluster-{os.getpid()}"
    trials = [trial(index=0), trial(behaviour="hang")]
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", trials, on="dask", jobs=2), mark=mark)
    wait_until(lambda: len(_finished(tmp_path / "out")) == 1)
    process.kill()
    process.communicate()
    wait_until(lambda: not marked(mark), seconds=unhurried(3))
    before = _finished(tmp_path / "out")
    assert run_here(tmp_path / "out", trials[:1], on="dask").ran == 0
    assert before == _finished(tmp_path / "out")


def test_a_killed_trial_has_crashed_and_is_not_run_again(tmp_path, cluster, workers):
    (path,) = _counting(tmp_path, (0, 5, 60.0))
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", [path, trial()], on=cluster.address))
    wait_until(lambda: (tmp_path / "0").exists() and len(_finished(tmp_path / "out")) == 1 and _busy(workers))
    os.kill(_busy(workers)[2], signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "1 done, 1 failed" in err, err
    assert ResultsFolder(tmp_path / "out").load(path).status == "crashed"
    assert "killed by SIGKILL" in err
    assert (tmp_path / "0").read_text().count("started") == 1


def test_a_trial_that_loses_its_worker_thrice_is_lost(tmp_path, cluster, workers):
    bad = trial(behaviour="parricide")
    summary = run_here(tmp_path, [bad, trial()], on=cluster.address)
    assert (summary.done, summary.failed, summary.exit_code) == (1, 1, 1)
    assert summary.failures[0].status == "lost" and "given out 3 times" in summary.failures[0].reason
    assert run_here(tmp_path, [bad, trial()]).ran == 0  # until --retry-failed


def test_a_stopped_worker_that_goes_on_later_counts_for_nothing(tmp_path, cluster):
    """Its trial ends while it is stopped, so its result arrives after the job was given out again.

    Without nannies, which would kill a silent worker and start another.
    """
    workers = [cluster.add_worker("--no-nanny") for _ in range(2)]
    (path,) = _counting(tmp_path, (0, 5, 1.5))
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", [path], on=cluster.address))
    wait_until(lambda: (tmp_path / "0").exists())
    stopped, job = next((w, jobs[0]) for w in workers if (jobs := jobs_below(w.pid)))
    stopped.send_signal(signal.SIGSTOP)
    wait_until(lambda: not alive(job), seconds=unhurried(5))  # finished, or without a lease
    wait_until(lambda: (tmp_path / "0").read_text().count("started") == 2, seconds=unhurried(40))
    stopped.send_signal(signal.SIGCONT)  # what it says now comes while the second attempt is at work
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "1 done" in err, err
    assert err.count("] ok ") == 1
    for worker in workers:
        worker.kill()
    assert run_here(tmp_path / "alone", [path]).done == 1
    assert rows(tmp_path / "out") == rows(tmp_path / "alone")
