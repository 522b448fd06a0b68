"""One run over the missing trials of a locked results folder: the loop that hands out jobs and takes in results."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import asdict, dataclass, field

from gpbench.errors import GpbenchError, StorageError
from gpbench.experiment.plan.full_gp_key import full_gp_key
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results import archive, provenance
from gpbench.experiment.results.checked_files import Damaged
from gpbench.experiment.results.folder import FINAL, ResultsFolder
from gpbench.experiment.results.lock import Lock
from gpbench.experiment.results.summary import Summary, summarise
from gpbench.experiment.results.trial_result import TrialResult

from .dask.row_map import RowWorkers
from .duration import model
from .executor import Executor, SchedulerLost, ServerLost
from .jobs import Job, jobs_for
from .local.executor import LocalExecutor
from .local.worker import STORAGE_EXIT
from .pending import pending_trials
from .progress import Clock, Silent

_TICK = 0.2  # seconds between looks at deadlines and signals
_CSV_EVERY, _ARCHIVE_EVERY = 10.0, 600.0  # seconds between renewals of results.csv, of archive.jsonl
_RESTARTS = 3  # of a fork server that keeps dying
_LOSSES = 2  # servers that a job may lose
_WORKERS_LOST = 3  # workers of a cluster that a job may lose


@dataclass
class Options:
    jobs: int = 1
    threads: int = 1  # of BLAS in each trial; another number changes the last bits
    timeout: float | None = None  # seconds per trial; along a nested path, from one size to the next
    memory: float | None = None  # MB that a trial may allocate
    seconds: float | None = None  # for the whole run; what is not done by then is left
    rerun: str = ""  # of what has a result: "stale", "failed" or "all"
    fail_fast: bool = False
    save_predictions: bool = False
    metrics: tuple[str, ...] = ()  # that are asked for; empty: all
    sources: tuple[str, ...] = ()  # folders whose finished trials of equal ids are taken over
    offline: bool = False
    plugins: list[str] = field(default_factory=list)
    on: str = "local"  # or "dask", or the address of a Dask scheduler
    rows_on: str = "local"  # the same for parts of the rows of one model beyond memory


def executor_for(options: Options, store: ResultsFolder, lock: Lock, trials: list[Trial]) -> Executor:
    log = store.log_path("server")
    if options.on == "local":
        jobs = 1 if options.rows_on == "dask" else options.jobs  # which are then the workers for the rows
        return LocalExecutor(jobs, options.threads, options.offline, log, lock)
    from .dask.executor import DaskExecutor
    from .dask.file_bundle import Parcel

    parcel = Parcel.of(options.plugins, trials)
    return DaskExecutor(options.on, options.jobs, options.threads, options.offline, store, parcel)


class Session:
    """`stop` may be called from a signal handler; everything else happens in `run`."""

    def __init__(
        self, store: ResultsFolder, options: Options, planned: list[Trial], lock: Lock, progress: Silent, begin: float
    ):
        self.end = begin + (options.seconds or float("inf"))
        self.store, self.options, self.planned, self.progress = store, options, planned, progress
        self.lock = lock
        self.running: dict[int, Job] = {}
        self.signal: int | None = None
        self.halt = False
        self.restarts = 0
        self.finished: set[str] = set()  # trials that came to their end in this session

    def stop(self, number, _frame) -> None:
        self.signal = number

    # -- the loop -----------------------------------------------------------------------------------------------

    def run(self, trials: list[Trial]) -> None:
        if damaged := archive.repair(self.store.folder):
            self.progress.say(
                f"{damaged} damaged line(s) of {archive.NAME} moved to quarantine/; their trials run again"
            )
        for name in self.store.repair_environments():
            self.progress.say(f"env/{name} was damaged and is now in quarantine/")
        missing = self._missing(trials)
        self.pool = executor_for(self.options, self.store, self.lock, missing)
        self.progress.start(len(trials), len(trials) - len(missing))
        self.rows = RowWorkers.find(self.options.rows_on, self.options.jobs) if missing else None
        try:
            if missing:
                self._work(missing)
        finally:
            self.pool.close()
            if self.rows:
                self.rows.close()
            for job in self.running.values():
                self._take_written(job)
            self.progress.close()
            self._write_csv()
            self.store.write_archive(self._known())

    def _missing(self, trials: list[Trial]) -> list[Trial]:
        """What is to run; and, as this folder knows them, the results of all that is planned."""
        rules = self.options.rerun, self.options.save_predictions
        missing = pending_trials(trials, self.store, *rules, repair=True, metrics=self.options.metrics).missing
        known = pending_trials(self.planned, self.store, repair=True)
        self.results, self.stale = known.results, known.stale
        self.replaced = {t.id: self.results[t.id] for t in missing if t.id in self.results}
        return missing

    def _work(self, missing: list[Trial]) -> None:
        if self.options.rerun == "all":
            for key in {full_gp_key(t) for t in missing} - {None}:
                self.store.shared_path(key).unlink(missing_ok=True)
        self.queue = jobs_for(missing, self._have_shared)
        if self.pool.longest_first:
            self.queue.waiting.sort(key=lambda job: (job.shared is None, -model(job)))
        csv_clock, archive_clock = Clock(_CSV_EVERY), Clock(_ARCHIVE_EVERY)
        while (self.queue.waiting or self.running) and self.signal is None and not self.halt:
            if time.monotonic() > self.end:
                break
            try:
                if not self.pool.started and not self._start():
                    break
                self._fill()
                for event in self.pool.receive(_TICK):
                    self._handle(event)
                self._kill_overdue()
            except ServerLost:
                self._recover()
            except SchedulerLost as e:
                self.progress.say(str(e))
                self.signal = signal.SIGINT  # as if interrupted: the same command continues
            if csv_clock.due():
                self._write_csv()
            if archive_clock.due():
                self.store.write_archive(self._known())

    def _start(self) -> bool:
        """Wait for the first machine's description of itself; False when a signal comes before it."""
        self.pool.start()
        self.env = None
        while self.signal is None and self.env is None:
            for event in self.pool.receive(_TICK):
                self._handle(event)
        return self.env is not None

    def _fill(self) -> None:
        while len(self.running) < self.pool.slots and (job := self.queue.next()) is not None:
            self.running[job.number], job.env = job, self.env
            self.pool.send(
                job=job.number,
                trials=[asdict(t) for t in job.trials],
                folder=str(self.store.folder.resolve()),
                logs=[job.name, *(t.id for t in job.trials)],
                needs=job.needs,
                shared=job.shared,
                plugins=self.options.plugins,
                memory=self.options.memory,
                save_predictions=self.options.save_predictions,
                metrics=self.options.metrics,
                env=self.env,
                rows_on=self.rows.address if self.rows else None,
            )

    def _kill_overdue(self) -> None:
        for job in self.running.values():
            if time.monotonic() > job.deadline and not job.overdue:
                job.overdue = True
                self.pool.kill(job.number)

    def _recover(self) -> None:
        """The server is gone (killed by hand, say) and its jobs with it: no result of theirs, so they run again.

        A job that takes its server with it every time has crashed.
        """
        self.restarts += 1
        self.pool.close()
        for job in list(self.running.values()):
            if job.pid is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(job.pid, signal.SIGKILL)  # what it had started itself
            job.losses += 1
            if job.losses < _LOSSES:
                self._again(job)
            else:
                self._ended(job, reason="the process that starts trials was killed")
        if self.restarts > _RESTARTS:
            raise GpbenchError(f"the process that starts trials keeps dying; see {self.store.log_path('server')}")

    def _again(self, job: Job) -> None:
        del self.running[job.number]
        self._take_written(job)
        if not job.shared:  # whose trials are others' too
            job.trials = [t for t in job.trials if t.id not in self.finished]
        job.pid, job.deadline, job.overdue = None, float("inf"), False
        self.queue.waiting[:0] = [job] if job.trials else []

    # -- events -------------------------------------------------------------------------------------------------

    def _handle(self, event: dict) -> None:
        job, kind = self.running.get(event.get("job")), event["event"]
        if kind == "ready":
            self.env = self.store.write_env(event["env"])
        elif kind == "note":
            self.progress.say(event["text"])
        elif job is not None:
            self._handle_job(job, kind, event)

    def _handle_job(self, job: Job, kind: str, event: dict) -> None:
        if kind == "start":
            job.pid, job.env = event.get("pid"), event.get("env", job.env)
            self._restart_clock(job)
            if job.shared:
                self.progress.say(f"{_place(job)}: a full GP learns the hyperparameters")
        elif kind == "working":
            self.progress.working(f"{_place(job)}: {event['text']}")
        elif kind == "result":
            self._restart_clock(job)
            for trial in job.trials:
                if trial.id == event["trial"]:
                    self._take(trial)
        elif kind == "storage":
            raise StorageError(event["message"])
        elif kind == "shared-failed":
            self._lose(job, event["reason"])
        elif kind == "exit":
            self._ended(job, *verdict(job, event, self.options.timeout), event["peak_mb"])
        elif kind == "lost":
            self._give_out_again(job, event["reason"])

    def _give_out_again(self, job: Job, reason: str) -> None:
        """Its worker died, or the worker's host: nobody's fault at first."""
        job.losses += 1
        if job.overdue:
            self._ended(job, *_timed_out(self.options.timeout))
        elif job.losses < _WORKERS_LOST:
            self._again(job)
        else:
            self._ended(job, "lost", f"given out {job.losses} times, the last: {reason}")

    def _restart_clock(self, job: Job) -> None:
        if self.options.timeout:
            job.deadline = time.monotonic() + self.options.timeout

    def _take(self, trial: Trial) -> None:
        """A trial has come to its end; its result is on disk."""
        if trial.id in self.replaced and self.store.failure_path(trial.id).exists():
            # it was to be run again, and that is what came of it
            self.store.quarantine(self.store.trial_path(trial.id))
        if (result := self.store.load(trial)) is None:
            return  # somebody only said so
        self.results[trial.id] = result
        self.finished.add(trial.id)
        self.progress.finished(result)
        if self.options.fail_fast and result.status not in FINAL:
            self.halt = True

    def _take_written(self, job: Job) -> None:
        """Trials that were written in the last instant of a process: no event told of them."""
        for id, result in self._new_results(job).items():
            if id not in self.finished and result.status in FINAL and not job.shared:
                self._take(result.trial)

    def _new_results(self, job: Job) -> dict[str, TrialResult]:
        """Without those that the trials had before they were to run again."""
        return {id: r for id, r in self.store.results(job.trials).items() if r != self.replaced.get(id)}

    def _ended(self, job: Job, status: str = "crashed", reason: str = "", peak_mb: float | None = None) -> None:
        """The process is gone; trials without a result share its fate."""
        del self.running[job.number]
        if job.shared:
            if self._have_shared(job.shared):
                self.queue.ready.add(job.shared)
            else:
                self._lose(job, f"{status}: {reason}")
            return
        stored = self._new_results(job)
        for trial in job.trials:
            if trial.id in self.finished:
                continue
            if trial.id not in stored or stored[trial.id].status not in FINAL:
                self.store.save(
                    TrialResult(trial, status, reason, peak_mb=peak_mb, env=job.env, source=provenance.source())
                )
            self._take(trial)

    def _lose(self, job: Job, reason: str) -> None:
        """Shared work failed: so do the trials that need it."""
        why = f"full-GP hyperparameters: {reason}"
        for lost in self.queue.drop(job.shared):
            for trial in (t for t in lost.trials if t.id not in self.finished):
                self.store.save(TrialResult(trial, "failed", why, env=self.env, source=provenance.source()))
                self._take(trial)

    def _have_shared(self, key: str) -> bool:
        try:
            self.store.shared(key)
        except FileNotFoundError:
            return False
        except Damaged:
            self.store.quarantine(self.store.shared_path(key))
            return False
        return True

    # -- the end ------------------------------------------------------------------------------------------------

    def _write_csv(self) -> None:
        self.store.write_csv(self._known())

    def _known(self) -> list[TrialResult]:
        """Of every planned trial its result, or the stale one that stands for it."""
        known = self.stale | self.results
        return [known[t.id] for t in self.planned if t.id in known]

    def summary(self, trials: list[Trial]) -> Summary:
        summary = summarise(trials, self.results, self.stale)
        summary.ran, summary.signal = len(self.finished), self.signal
        return summary


def _place(job: Job) -> str:
    return f"{job.trials[0].dataset_name} trial {job.trials[0].index}"


def verdict(job: Job, event: dict, timeout: float | None) -> tuple[str, str]:
    """Status and reason of a process that ended without the result of all its trials."""
    code = event["code"]
    if job.overdue:
        return _timed_out(timeout)
    if event["oom"]:
        return "oom", "killed by the system for lack of memory"
    if code < 0:
        names = {s.value: s.name for s in signal.Signals}
        return "crashed", f"killed by {names.get(-code, f'signal {-code}')}"
    if code == STORAGE_EXIT:
        raise StorageError("a worker could not write its result")
    return "crashed", f"exited with code {code}"


def _timed_out(timeout: float) -> tuple[str, str]:
    return "timeout", f"over the time limit of {timeout:g} s"
