"""Run one job in a process of its own: limits, log, trials, and the files and events that report them.

All jobs send their events through one pipe, each event in one write below PIPE_BUF, which the kernel keeps whole. If
no process reads the pipe, the run has ended: the job ends at once, and what happens to it from then on is no result.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpbench.errors import StorageError
from gpbench.experiment.results.checked_files import FULL

from ..messages import Event, FullGPFailed, Job, RunContext, StorageFailed, TrialDone, Working, encode
from . import logs, os_limits

if TYPE_CHECKING:  # loaded in the process of the job, where their errors belong to its trials
    from gpbench.experiment.plan.trial import Trial
    from gpbench.experiment.results.folder import ResultsFolder
    from gpbench.experiment.results.trial_result import TrialResult
    from gpbench.methods.base import Problem

STORAGE_EXIT = 77  # exit code of a job that could not write; the run must stop
ORPHAN_EXIT = 78  # exit code of a job whose run has ended; no process reads it
_WORKING_EVERY = 2.0  # seconds between events about a full-GP fit
_TEXT = 300  # characters of a message in an event; escaped they stay below PIPE_BUF
_leave = partial(os._exit, ORPHAN_EXIT)


def send(fd: int, event: Event, orphaned: Callable[[], object] = _leave) -> None:
    """Write an event to the pipe; call `orphaned` if no process reads it."""
    try:
        os.write(fd, encode(event))
    except BrokenPipeError:
        orphaned()
    except OSError:  # a method has closed files that are not its own: the run learns from disk what was done
        pass


def work(job: Job, context: RunContext, events: int, server: int, lock: int) -> int:
    """Do the job in this forked process; returns the exit code to leave with."""
    os.setsid()
    # what a method forks holds neither the folder nor the pipe, else a run would wait for it
    os.register_at_fork(after_in_child=lambda: _close(events, lock))
    os_limits.die_with_parent(server)
    for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(name, signal.SIG_DFL)
    os_limits.no_core_dump()
    log = _Log(Path(context.folder) / "logs")
    try:
        log.open(job.logs[0])
        os_limits.limit_memory(context.memory_mb)
        _run_trials(job, context, events, log)
        log.close()
        return 0
    except StorageError as e:
        send(events, StorageFailed(job.number, str(e)[:_TEXT]))
        return STORAGE_EXIT


def _close(*fds: int) -> None:
    for fd in fds:
        os.closerange(fd, fd + 1)  # a method may have closed it already: no error


class _Log:
    """Standard output and error of the process, written to the log of the current trial; empty logs are removed."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.path: Path | None = None

    def open(self, name: str) -> None:
        self.close()
        self.path = self.folder / f"{name}.log"
        with _full_disk_ends_the_run():
            fd = logs.create(self.path)
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        os.close(fd)
        if isinstance(sys.stdout, io.TextIOWrapper):
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
def _full_disk_ends_the_run() -> Iterator[None]:
    """Turns the error of a full disk, met anywhere, into the StorageError that ends the run."""
    try:
        yield
    except OSError as e:
        if e.errno in FULL:
            raise StorageError(f"{e.strerror}; free some space, then run the same command") from e
        raise


def _equip(
    trial: Trial, store: ResultsFolder, context: RunContext, at_end: contextlib.ExitStack
) -> Callable[[Problem], Problem]:
    """Gives a problem with rows beyond memory a journal of its optimisation and, if the run says so, Dask's workers.

    `at_end` is closed after the trials have succeeded; otherwise the journal stays.
    """

    def equip(problem: Problem) -> Problem:
        problem = replace(problem, whole_path=context.whole_paths)
        if not problem.large:
            return problem
        from gpbench.experiment.evaluation.checkpoint import Journal

        from ..dask.row_map import RowMap

        journal, do = Journal(store.journal_path(trial)), problem.do
        at_end.callback(journal.remove)
        if context.row_scheduler and not trial.code:  # Dask's workers know no plug-ins
            do = RowMap(context.row_scheduler)
            at_end.callback(do.close)
        return replace(problem, journal=journal, do=do)

    return equip


def _full_gp_fit(job: Job, events: int, finish: Callable[[TrialResult], None]) -> dict[str, Any] | None:
    """The full-GP fit that the trials of the job need.

    None if the methods of all these trials refuse the data; the trials are then finished with that reason.
    """
    from gpbench import catalog
    from gpbench.experiment.evaluation import evaluate
    from gpbench.experiment.evaluation.problem import shared_fit
    from gpbench.experiment.evaluation.trial_data import trial_data

    from ..progress import Clock

    clock, own = Clock(_WORKING_EVERY), os.getpid()

    def report(text: str) -> None:
        if clock.due() and os.getpid() == own:
            send(events, Working(job.number, text[:_TEXT]))

    data = trial_data(job.trials[0])
    found = [evaluate.refusal(catalog.find("method", t.method), data, t.params) for t in job.trials]
    refusals = [refusal for refusal in found if refusal is not None]
    if len(refusals) < len(job.trials):
        return shared_fit(job.trials[0], report, data)
    for trial, reason in zip(job.trials, refusals):
        finish(evaluate.failure(trial, reason, data))
    return None


def _load_files(job: Job, context: RunContext) -> None:
    """Load the run's plug-ins and name the copies of the user's files; an error if a file changed since the plan."""
    from gpbench import catalog
    from gpbench.adapters import environment
    from gpbench.data.tables import csv_file

    for plugin in context.plugins:
        catalog.load_plugin(plugin)
    for path, copy in context.copies.items():
        csv_file.keep_copy(path, copy)
        environment.keep_copy(path, copy)
    first = job.trials[0]
    catalog.refuse_changed(first.code)
    if first.method == "external":
        environment.refuse_changed(*(first.params[k] for k in ("external", "lock", "approx")))


def _run_trials(job: Job, context: RunContext, events: int, log: _Log) -> None:
    import numpy as np

    from gpbench.experiment.evaluation import evaluate
    from gpbench.experiment.results import provenance
    from gpbench.experiment.results.folder import ResultsFolder

    store, trials = ResultsFolder(context.folder), list(job.trials)
    remaining, own, at_end = {t.id: t for t in trials}, os.getpid(), contextlib.ExitStack()

    def finish(result: TrialResult, predictions: dict[str, Any] | None = None) -> None:
        if os.getpid() != own:  # a method has forked, and its child returned to this code
            os._exit(ORPHAN_EXIT)
        result.env, result.source = job.env, provenance.source()
        with _full_disk_ends_the_run():
            store.save(result, predictions if context.save_predictions else None)
        del remaining[result.trial.id]
        send(events, TrialDone(job.number, result.trial.id))

    # libraries that draw from the global streams are repeatable too; gpbench itself never uses them
    np.random.seed(int(trials[0].path_key[:8], 16))
    random.seed(trials[0].path_key)
    try:
        with _full_disk_ends_the_run():
            _load_files(job, context)
            if job.makes_full_gp:
                found = _full_gp_fit(job, events, finish)
                if found is not None and os.getpid() == own:
                    store.save_shared(job.makes_full_gp, found)
                return
            full_gp = store.shared(job.needs_full_gp) if job.needs_full_gp else None
            equip, asked = _equip(trials[0], store, context, at_end), context.metrics
            for result, predictions in evaluate.results(trials, full_gp, lambda t: log.open(t.id), equip, asked):
                finish(result, predictions)
            at_end.close()
    except StorageError:
        raise
    except BaseException as e:  # SystemExit and KeyboardInterrupt of a method are its failures too
        os_limits.lift_memory()
        traceback.print_exc()
        if job.makes_full_gp:
            reason = f"{evaluate.status_of(e)}: {evaluate.reason_of(e)}"
            send(events, FullGPFailed(job.number, reason[:_TEXT]))
            return
        for trial in list(remaining.values()):
            finish(evaluate.failure(trial, e))
