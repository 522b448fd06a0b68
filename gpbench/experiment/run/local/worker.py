"""One job in its own process: limits, log, trials, and the files and events that tell of them.

Events leave through a pipe that all jobs share, each in one write below PIPE_BUF, which the kernel keeps whole. A pipe
that nobody reads means that the run is gone: the job ends there and then, for what happens to it now is no result.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from . import logs, os_limits

STORAGE_EXIT = 77  # of a job that could not write; the run must stop
ORPHAN_EXIT = 78  # of a job whose run is gone; nobody will ask
_WORKING_EVERY = 2.0  # seconds between words about shared work
_TEXT = 300  # characters of a message in an event; escaped they stay below PIPE_BUF


def _leave() -> None:
    os._exit(ORPHAN_EXIT)


def send(fd: int, orphaned: Callable[[], None] = _leave, **event) -> None:
    """Between line ends, so that what a method may have written to this pipe spoils no event but its own."""
    try:
        os.write(fd, f"\n{json.dumps(event)}\n".encode())
    except BrokenPipeError:
        orphaned()
    except OSError:  # a method has closed files that are not its own: the run learns from disk what was done
        pass


def work(job: dict, events: int, server: int, lock: int) -> int:
    """Do the job in this forked process; the exit code to leave with."""
    os.setsid()
    # what a method forks holds neither the folder nor the pipe, else a run would wait for it
    os.register_at_fork(after_in_child=lambda: [_close(fd) for fd in (events, lock)])
    os_limits.die_with_parent(server)
    for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(name, signal.SIG_DFL)
    os_limits.no_core_dump()
    log = _Log(Path(job["folder"]) / "logs")
    try:
        log.open(job["logs"][0])
        os_limits.limit_memory(job["memory"])
        _trials(job, events, log)
        log.close()
        return 0
    except _Storage as e:
        send(events, event="storage", job=job["job"], message=str(e)[:_TEXT])
        return STORAGE_EXIT


def _close(fd: int) -> None:
    with contextlib.suppress(OSError):
        os.close(fd)


class _Storage(Exception):
    pass


class _Log:
    """Standard output and error of the process, kept in the log of the trial at hand; empty logs are removed."""

    def __init__(self, folder: Path):
        self.folder, self.path = folder, None

    def open(self, name: str) -> None:
        self.close()
        self.path = self.folder / f"{name}.log"
        with _storage_trouble():
            fd = logs.create(self.path)
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        os.close(fd)
        sys.stdout.reconfigure(line_buffering=True)  # a crash loses no line
        faulthandler.enable(file=2)  # a segmentation fault leaves its Python stack here

    def close(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        if self.path is not None:
            with contextlib.suppress(OSError):
                if self.path.stat().st_size == 0:
                    self.path.unlink()


@contextlib.contextmanager
def _storage_trouble():
    """Storage errors, and a full disk met anywhere else, end the run instead of marking the trial."""
    from gpbench.errors import StorageError
    from gpbench.experiment.results.checked_files import FULL

    try:
        yield
    except StorageError as e:
        raise _Storage(str(e)) from e
    except OSError as e:
        if e.errno in FULL:
            raise _Storage(f"{e.strerror}; free some space, then run the same command") from e
        raise


def _teller(job: dict, events: int) -> Callable[[str], None]:
    """Passes on, now and then, how far shared work has come."""
    from ..progress import Clock

    clock, own = Clock(_WORKING_EVERY), os.getpid()

    def tell(text: str) -> None:
        if clock.due() and os.getpid() == own:
            send(events, event="working", job=job["job"], text=text[:_TEXT])

    return tell


class _Equipment:
    """What a problem with rows beyond memory gets: a journal of its climbs and, if the run says so, Dask's workers."""

    def __init__(self, job: dict, trials: list, store):
        self.job, self.trials, self.store = job, trials, store
        self.journal = self.crew = None

    def __call__(self, problem):
        if not problem.large:
            return problem
        from dataclasses import replace

        from gpbench.experiment.evaluation.checkpoint import Journal

        from ..dask.row_map import RowMap

        self.journal = Journal(self.store.journal_path(self.trials[0]))
        travels = self.job.get("rows_on") and not self.trials[0].code  # Dask's workers know no plug-ins
        self.crew = RowMap(self.job["rows_on"]) if travels else None
        return replace(problem, journal=self.journal, do=self.crew or problem.do)

    def put_away(self) -> None:
        if self.journal is not None:
            self.journal.remove()
        if self.crew is not None:
            self.crew.close()


def _shared(trials: list, finish: Callable, tell: Callable[[str], None]) -> dict | None:
    """What the full GP has learned for these trials; None where all their methods refuse the data, which is told."""
    from gpbench import catalog
    from gpbench.experiment.evaluation import evaluate
    from gpbench.experiment.evaluation.problem import shared_fit
    from gpbench.experiment.evaluation.trial_data import trial_data

    draw = trial_data(trials[0])
    refused = [evaluate.refusal(catalog.find("method", t.method), draw) for t in trials]
    if None in refused:
        return shared_fit(trials[0], tell, draw)
    for trial, why in zip(trials, refused):
        finish(evaluate.failure(trial, why, draw))
    return None


def _trials(job: dict, events: int, log: _Log) -> None:
    import numpy as np

    from gpbench import catalog
    from gpbench.adapters import environment
    from gpbench.data.tables import csv_file
    from gpbench.experiment.evaluation import evaluate
    from gpbench.experiment.plan.trial import Trial
    from gpbench.experiment.results import provenance
    from gpbench.experiment.results.folder import ResultsFolder

    store, trials = ResultsFolder(job["folder"]), [Trial(**t) for t in job["trials"]]
    remaining, own = {t.id: t for t in trials}, os.getpid()

    def finish(result, predictions=None):
        if os.getpid() != own:  # a method has forked, and its child came back here
            os._exit(ORPHAN_EXIT)
        result.env, result.source = job["env"], provenance.source()
        with _storage_trouble():
            store.save(result, predictions if job["save_predictions"] else None)
        del remaining[result.trial.id]
        send(events, event="result", job=job["job"], trial=result.trial.id)

    # libraries that draw from the global streams are repeatable too; gpbench itself never uses them
    np.random.seed(int(trials[0].path_key[:8], 16))
    random.seed(trials[0].path_key)
    try:
        with _storage_trouble():
            for plugin in job["plugins"]:
                catalog.load_plugin(plugin)
            for path, copy in job.get("copies", {}).items():
                csv_file.keep_copy(path, copy)
                environment.keep_copy(path, copy)
            catalog.refuse_changed(trials[0].code)
            if trials[0].method == "external":
                environment.refuse_changed(trials[0].params["external"], trials[0].params["lock"])
            if job["shared"]:
                found = _shared(trials, finish, _teller(job, events))
                if found is not None and os.getpid() == own:
                    store.save_shared(job["shared"], found)
                return
            shared = store.shared(job["needs"]) if job["needs"] else None
            equipment, asked = _Equipment(job, trials, store), job.get("metrics")
            for result, predictions in evaluate.results(trials, shared, lambda t: log.open(t.id), equipment, asked):
                finish(result, predictions)
            equipment.put_away()
    except _Storage:
        raise
    except BaseException as e:  # SystemExit and KeyboardInterrupt of a method are its failures too
        os_limits.lift_memory()
        traceback.print_exc()
        if job["shared"]:
            reason = f"{evaluate.status_of(e)}: {evaluate.reason_of(e)}"
            send(events, event="shared-failed", job=job["job"], reason=reason[:_TEXT])
            return
        for trial in list(remaining.values()):
            finish(evaluate.failure(trial, e))
