"""One run over the missing trials of a locked results folder: the loop that sends jobs and receives results."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass, field, replace

from gpbench.errors import GpbenchError, StorageError
from gpbench.experiment.plan.full_gp_key import full_gp_key
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results import archive, provenance
from gpbench.experiment.results.checked_files import Damaged
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.inventory import FINAL, Inventory
from gpbench.experiment.results.lock import Lock
from gpbench.experiment.results.summary import Summary, summarise
from gpbench.experiment.results.trial_result import TrialResult

from .dask.connect import Scheduler
from .duration import model_seconds
from .executor import Executor, SchedulerLost, ServerLost
from .jobs import JobState, jobs_for, outcome_of_exit, timed_out
from .local.executor import LocalExecutor
from .messages import (
    Event,
    Exited,
    FullGPFailed,
    Job,
    JobEvent,
    Kill,
    Note,
    Outcome,
    Ready,
    RunContext,
    Started,
    StorageFailed,
    TrialDone,
    WorkerLost,
    Working,
)
from .pending import pending_trials
from .progress import Clock, Silent

_TICK = 0.2  # seconds between looks at deadlines and signals
_CSV_EVERY, _ARCHIVE_EVERY = 10.0, 600.0  # seconds between renewals of results.csv, of archive.jsonl
_RESTARTS = 3  # of the fork server in one run
_SERVER_LOSSES = 2  # fork servers that may end while a job runs, until the job counts as crashed
_WORKER_LOSSES = 3  # workers of a cluster that may die while a job runs, until the job counts as lost


@dataclass
class Options:
    jobs: int = 1
    threads: int = 1  # of BLAS in each trial; another number changes the last bits
    timeout: float | None = None  # seconds per trial; along a nested path, from one size to the next
    memory: float | None = None  # MB that a trial may allocate
    seconds: float | None = None  # for the whole run; trials that are not done by then are left
    rerun: str = ""  # which trials with a result run again: "stale", "failed" or "all"
    fail_fast: bool = False
    save_predictions: bool = False
    whole_paths: bool = False
    metrics: tuple[str, ...] = ()  # that are asked for; empty: all
    sources: tuple[str, ...] = ()  # folders whose finished trials of equal ids are taken over
    offline: bool = False
    plugins: list[str] = field(default_factory=list)
    on: str = "local"  # or "dask", or the address of a Dask scheduler
    rows_on: str = "local"  # the same choice for parts of the rows of one model beyond memory


def executor_for(options: Options, store: ResultsFolder, lock: Lock, trials: list[Trial]) -> Executor:
    """The executor that `options.on` names, not yet started."""
    log = store.log_path("server")
    if options.on == "local":
        jobs = 1 if options.rows_on == "dask" else options.jobs  # with rows on Dask, `jobs` counts its workers
        return LocalExecutor(jobs, options.threads, options.offline, log, lock)
    from .dask.executor import DaskExecutor
    from .dask.file_bundle import FileBundle

    bundle = FileBundle.of(options.plugins, trials)
    return DaskExecutor(options.on, options.jobs, options.threads, options.offline, store, bundle)


class Session:
    """`stop` may be called from a signal handler; everything else happens in `run`."""

    def __init__(
        self, store: ResultsFolder, options: Options, planned: list[Trial], lock: Lock, progress: Silent, begin: float
    ):
        self.end = begin + (options.seconds or float("inf"))
        self.store, self.options, self.planned, self.progress = store, options, planned, progress
        self.lock = lock
        self.known = Inventory()
        self.running: dict[int, JobState] = {}
        self.env = ""  # id of the description of the machine that was ready last; empty before the executor has started
        self.signal: int | None = None
        self.halt = False
        self.restarts = 0
        self.finished: set[str] = set()  # ids of the trials that this session has run

    def stop(self, number: int, _frame: object) -> None:
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
        self.executor = executor_for(self.options, self.store, self.lock, missing)
        self.progress.start(len(trials), len(trials) - len(missing), trials)
        rows_on = self.options.rows_on
        self.rows = Scheduler.at(rows_on, self.options.jobs) if missing and rows_on != "local" else None
        try:
            if missing:
                self._work(missing)
        finally:
            self.executor.close()
            if self.rows:
                self.rows.close()
            for state in self.running.values():
                self._take_written(state.job)
            self.progress.close()
            self._write_csv()
            self.store.write_archive(self._known())

    def _missing(self, trials: list[Trial]) -> list[Trial]:
        """What is to run; and, as this folder knows them, the results of all that is planned."""
        o = self.options
        self.known = self.store.inventory(self.planned, True, o.save_predictions, o.whole_paths)
        missing = pending_trials(trials, self.known, o.rerun, o.save_predictions, tuple(o.metrics))
        self.replaced = {t.id: self.known.results[t.id] for t in missing if t.id in self.known.results}
        return missing

    def _work(self, missing: list[Trial]) -> None:
        if self.options.rerun == "all":
            for key in {key for t in missing if (key := full_gp_key(t)) is not None}:
                self.store.shared_path(key).unlink(missing_ok=True)
        self.queue = jobs_for(missing, self._have_full_gp)
        if self.executor.longest_first:
            self.queue.waiting.sort(key=lambda state: (state.job.makes_full_gp is None, -model_seconds(state.job)))
        csv_clock, archive_clock = Clock(_CSV_EVERY), Clock(_ARCHIVE_EVERY)
        while (self.queue.waiting or self.running) and self.signal is None and not self.halt:
            if time.monotonic() > self.end:
                break
            try:
                if not self.env and not self._start():
                    break
                self._send_jobs()
                for event in self.executor.receive(_TICK):
                    self._handle(event)
                self._kill_overdue()
            except ServerLost:
                self._server_lost()
            except SchedulerLost as e:
                self.progress.say(str(e))
                self.signal = signal.SIGINT  # as if interrupted: the same command continues
            if csv_clock.due():
                self._write_csv()
            if archive_clock.due():
                self.store.write_archive(self._known())

    def _start(self) -> bool:
        """Start the executor and wait for its first machine; False if a signal comes before it."""
        o = self.options
        rows, plugins, metrics = self.rows.address if self.rows else None, tuple(o.plugins), tuple(o.metrics)
        folder = str(self.store.folder.resolve())
        self.executor.start(RunContext(folder, plugins, {}, o.memory, o.save_predictions, metrics, rows, o.whole_paths))
        while self.signal is None and not self.env:
            for event in self.executor.receive(_TICK):
                self._handle(event)
        return bool(self.env)

    def _send_jobs(self) -> None:
        while len(self.running) < self.executor.slots and (state := self.queue.next()) is not None:
            state.job = replace(state.job, env=self.env)
            self.running[state.job.number] = state
            self.executor.send(state.job)

    def _kill_overdue(self) -> None:
        for state in self.running.values():
            if time.monotonic() > state.deadline and not state.overdue:
                state.overdue = True
                self.executor.send(Kill(state.job.number))

    def _server_lost(self) -> None:
        """The fork server was killed, and its jobs with it: they run again.

        A job during which the server dies twice counts as crashed.
        """
        self.restarts += 1
        self.executor.close()
        for state in list(self.running.values()):
            if state.pid is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(state.pid, signal.SIGKILL)  # the processes that the job has started
            state.losses += 1
            if state.losses < _SERVER_LOSSES:
                self._requeue(state)
            else:
                self._job_ended(state, Outcome("crashed", "the process that starts trials was killed"))
        self.env = ""  # the executor starts again
        if self.restarts > _RESTARTS:
            raise GpbenchError(f"the process that starts trials keeps dying; see {self.store.log_path('server')}")

    def _requeue(self, state: JobState) -> None:
        """Put a job back at the head of the queue, without the trials that it has finished."""
        job = state.job
        del self.running[job.number]
        self._take_written(job)
        if not job.makes_full_gp:  # the trials of a full-GP fit belong to other jobs
            job = replace(job, trials=tuple(t for t in job.trials if t.id not in self.finished))
        if job.trials:
            self.queue.waiting.insert(0, JobState(job, losses=state.losses))

    # -- events -------------------------------------------------------------------------------------------------

    def _handle(self, event: Event) -> None:
        if isinstance(event, Ready):
            self.env = self.store.write_env(event.env)
        elif isinstance(event, Note):
            self.progress.say(event.text)
        elif (state := self.running.get(event.job)) is not None:
            self._handle_job(state, event)

    def _handle_job(self, state: JobState, event: JobEvent) -> None:
        match event:
            case Started():
                state.job, state.pid = replace(state.job, env=event.env), event.pid
                self._restart_clock(state)
                if state.job.makes_full_gp:
                    self.progress.say(f"{_place(state.job)}: a full GP learns the hyperparameters")
            case Working():
                self.progress.working(f"{_place(state.job)}: {event.text}")
            case TrialDone():
                self._restart_clock(state)
                for trial in state.job.trials:
                    if trial.id == event.trial:
                        self._take(trial)
            case StorageFailed():
                raise StorageError(event.reason)
            case FullGPFailed():
                self._fail_waiting(state.job, event.reason)
            case Exited():
                self._job_ended(state, outcome_of_exit(state, event, self.options.timeout), event.peak_mb)
            case WorkerLost():
                self._worker_lost(state, event.reason)

    def _worker_lost(self, state: JobState, reason: str) -> None:
        """The worker of a job died, which need not be the fault of the job: it runs again, a few times."""
        state.losses += 1
        if state.overdue:
            self._job_ended(state, timed_out(self.options.timeout))
        elif state.losses < _WORKER_LOSSES:
            self._requeue(state)
        else:
            self._job_ended(state, Outcome("lost", f"given out {state.losses} times, the last: {reason}"))

    def _restart_clock(self, state: JobState) -> None:
        if self.options.timeout:
            state.deadline = time.monotonic() + self.options.timeout

    def _take(self, trial: Trial) -> None:
        """A trial has come to its end; its result is on disk."""
        if trial.id in self.replaced and self.store.failure_path(trial.id).exists():
            # the result of the new run replaces the one before
            self.store.quarantine(self.store.trial_path(trial.id))
        if (result := self.store.load(trial)) is None:
            return  # the event named a trial whose file does not exist
        self.known.results[trial.id] = result
        self.finished.add(trial.id)
        self.progress.finished(result)
        if self.options.fail_fast and result.status not in FINAL:
            self.halt = True

    def _take_written(self, job: Job) -> None:
        """Take the trials that a process wrote in its last instant, without an event."""
        for id, result in self._new_results(job).items():
            if id not in self.finished and result.status in FINAL and not job.makes_full_gp:
                self._take(result.trial)

    def _new_results(self, job: Job) -> dict[str, TrialResult]:
        """Results of the job's trials, without those that the trials had before this run."""
        return {id: r for id, r in self.store.results(list(job.trials)).items() if r != self.replaced.get(id)}

    def _job_ended(self, state: JobState, outcome: Outcome, peak_mb: float | None = None) -> None:
        """The process of a job is gone; its trials without a result get the outcome."""
        job = state.job
        del self.running[job.number]
        if job.makes_full_gp:
            if self._have_full_gp(job.makes_full_gp):
                self.queue.ready.add(job.makes_full_gp)
            else:
                self._fail_waiting(job, f"{outcome.status}: {outcome.reason}")
            return
        stored = self._new_results(job)
        for trial in job.trials:
            if trial.id in self.finished:
                continue
            if trial.id not in stored or stored[trial.id].status not in FINAL:
                self._save(trial, outcome, job.env, peak_mb)
            self._take(trial)

    def _fail_waiting(self, job: Job, reason: str) -> None:
        """A full-GP fit failed: the trials that need it fail, too."""
        assert job.makes_full_gp is not None
        for waiting in self.queue.drop(job.makes_full_gp):
            for trial in (t for t in waiting.trials if t.id not in self.finished):
                self._save(trial, Outcome("failed", f"full-GP hyperparameters: {reason}"), self.env)
                self._take(trial)

    def _save(self, trial: Trial, outcome: Outcome, env: str, peak_mb: float | None = None) -> None:
        source = provenance.source()
        self.store.save(TrialResult(trial, outcome.status, outcome.reason, peak_mb=peak_mb, env=env, source=source))

    def _have_full_gp(self, key: str) -> bool:
        """Whether this full-GP fit is on disk; a damaged file moves to quarantine/."""
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
        """The result of every planned trial, or the stale result that it would replace."""
        known = self.known.stale | self.known.results
        return [known[t.id] for t in self.planned if t.id in known]

    def summary(self, trials: list[Trial]) -> Summary:
        summary = summarise(trials, self.known)
        summary.ran, summary.signal = len(self.finished), self.signal
        return summary


def _place(job: Job) -> str:
    return f"{job.trials[0].dataset_name} repetition {job.trials[0].index}"
