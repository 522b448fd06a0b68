"""Running what is missing of a plan: each job in its own process, every result on disk the moment it exists."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gpbench.errors import GpbenchError, StorageError

from . import limits
from .jobs import Job, jobs_for
from .lock import Lock, alive, holder
from .pool import Pool, ServerLost
from .progress import Clock, Silent, describe
from .records import Result, Trial
from .storage import Damaged, read_json
from .store import FINAL, Store
from .worker import STORAGE_EXIT

_TICK = 0.2  # seconds between looks at deadlines and signals
_CSV_EVERY = 10.0  # seconds between renewals of results.csv
_RESTARTS = 3  # of a fork server that keeps dying


@dataclass
class Options:
    jobs: int = 1
    threads: int = 1  # of BLAS in each trial; another number changes the last bits
    timeout: float | None = None  # seconds per trial; along a nested path, from one size to the next
    memory: float | None = None  # MB that a trial may allocate
    retry_failed: bool = False
    fail_fast: bool = False
    save_predictions: bool = False
    offline: bool = False
    plugins: list[str] = field(default_factory=list)


@dataclass
class Summary:
    """Where an experiment stands, over all its planned trials."""

    done: int = 0  # ok or skipped
    skipped: int = 0
    failed: int = 0
    left: int = 0
    ran: int = 0  # trials that this call brought to an end
    signal: int | None = None  # that ended the run early
    missing_extra: str | None = None  # when nothing but an optional package is in the way
    failures: list[Result] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        if self.signal is not None:
            return 128 + self.signal
        if self.missing_extra:
            return 5
        return 1 if self.failed or self.left else 0

    @property
    def message(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        if self.left:
            return f"{self.done} done{failed}, {self.left} left; the same command continues"
        retry = "; --retry-failed runs them again" if self.failed else ""
        return f"{self.done} done{failed}{retry}"


def run(
    name: str,
    resolved: str,
    trials: list[Trial],
    folder: str | Path,
    options: Options | None = None,
    planned: list[Trial] | None = None,
    progress: Silent | None = None,
) -> Summary:
    """Run what is missing of `trials` and keep everything in `folder`; the same call continues where it stopped.

    `planned` are all trials of the config when `trials` is a selection of them; `resolved` is the text of
    config.resolved.yaml. Raises FolderInUse, StorageError or ConfigError; what trials do is in the summary.
    """
    options, progress, store = options or Options(), progress or Silent(), Store(folder)
    planned = _union(planned or trials, trials)
    store.create()
    lock = Lock(store.folder)
    lock.acquire()
    try:
        store.check_owner(name)
        store.prepare()
        store.write_plan(name, planned, resolved)
        session = _Session(store, options, planned, lock.fd, progress)
        with _signals(session):
            session.run(trials)
        return session.summary()
    finally:
        lock.release()


def _union(first: list[Trial], second: list[Trial]) -> list[Trial]:
    return list({t.id: t for t in [*first, *second]}.values())


def status(folder: str | Path) -> dict:
    """Counts and last errors of a results folder, also while a run is at work in it. FileNotFoundError without one."""
    store = Store(folder)
    try:
        name, trials = store.planned()
    except Damaged as e:
        raise StorageError(f"{store.manifest} is damaged ({e}); the run command writes it again") from e
    summary = summarise(trials, store.results(trials))
    pid, host = holder(store.folder) or (None, None)
    return {
        "name": name,
        "planned": len(trials),
        "done": summary.done,
        "skipped": summary.skipped,
        "failed": summary.failed,
        "left": summary.left,
        "running": {"pid": pid, "host": host} if pid and alive(pid) else None,
        "failures": [_brief(r) for r in summary.failures],
    }


def _brief(result: Result) -> dict:
    id, what = result.trial.id, describe(result)
    return {"trial": id, "status": result.status, "reason": result.reason, "what": what, "log": f"logs/{id}.log"}


def summarise(trials: list[Trial], results: dict[str, Result]) -> Summary:
    found = [results[t.id] for t in trials if t.id in results]
    failures = [r for r in found if r.status not in FINAL]
    skipped = sum(r.status == "skipped" for r in found)
    return Summary(len(found) - len(failures), skipped, len(failures), len(trials) - len(found), failures=failures)


@contextlib.contextmanager
def _signals(session: _Session):
    """Ctrl-C and SIGTERM stop the session at its next look; only the main thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = {s: signal.signal(s, session.stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


class _Session:
    """One run over the missing trials of a folder that is locked for it."""

    def __init__(self, store: Store, options: Options, planned: list[Trial], lock_fd: int, progress: Silent):
        self.store, self.options, self.planned, self.progress = store, options, planned, progress
        self.pool = Pool(options.threads, options.offline, store.log_path("server"), lock_fd)
        self.running: dict[int, Job] = {}
        self.signal: int | None = None
        self.halt = False
        self.ran, self.restarts = 0, 0
        self.errors: dict[str, str] = {}  # trial -> exception type
        self.results = store.results(planned, repair=True, predictions=options.save_predictions)

    def stop(self, number, _frame) -> None:
        self.signal = number

    # -- the loop -----------------------------------------------------------------------------------------------

    def run(self, trials: list[Trial]) -> None:
        again = lambda t: self.options.retry_failed and self.results[t.id].status not in FINAL  # noqa: E731
        missing = [t for t in trials if t.id not in self.results or again(t)]
        for trial in missing:
            self.results.pop(trial.id, None)
        self.progress.start(len(trials), len(trials) - len(missing))
        try:
            if missing:
                self._work(missing)
        finally:
            self.pool.close()
            self.progress.close()
            self._write_csv()

    def _work(self, missing: list[Trial]) -> None:
        self.queue = jobs_for(missing, self._have_shared)
        self._start_server()
        csv_clock = Clock(_CSV_EVERY)
        while (self.queue.waiting or self.running) and self.signal is None and not self.halt:
            try:
                self._fill()
                for event in self.pool.receive(_TICK):
                    self._handle(event)
                self._enforce_deadlines()
            except ServerLost:
                self._recover()
            if csv_clock.due():
                self._write_csv()

    def _start_server(self) -> None:
        """Its first event describes the libraries; a signal may come before it."""
        self.pool.start()
        while self.signal is None:
            for event in self.pool.receive(_TICK):
                self.env = self.store.write_env(event["env"])
                return

    def _fill(self) -> None:
        while len(self.running) < self.options.jobs and (job := self.queue.next()) is not None:
            self.running[job.number] = job
            self.pool.send(
                job=job.number,
                trials=[asdict(t) for t in job.trials],
                folder=str(self.store.folder.resolve()),
                log=job.name,
                needs=job.needs,
                shared=job.shared,
                plugins=self.options.plugins,
                memory=self.options.memory,
                save_predictions=self.options.save_predictions,
                env=self.env,
            )

    def _enforce_deadlines(self) -> None:
        for job in self.running.values():
            if time.monotonic() > job.deadline and not job.overdue:
                job.overdue = True
                self.pool.kill(job.number)

    def _recover(self) -> None:
        """The server is gone (killed by hand, say) and its jobs with it; the others get a new one."""
        self.restarts += 1
        self.pool.close()
        for job in list(self.running.values()):
            self._ended(job, reason="the process that starts trials was killed")
        if self.restarts > _RESTARTS:
            raise GpbenchError(f"the process that starts trials keeps dying; see {self.store.log_path('server')}")
        if self.queue.waiting:
            self._start_server()

    # -- events -------------------------------------------------------------------------------------------------

    def _handle(self, event: dict) -> None:
        job = self.running[event["job"]]
        kind = event["event"]
        if kind == "start":
            job.pid, job.kernel_oom_kills = event["pid"], limits.oom_kills()
            self._restart_clock(job)
        elif kind == "result":
            self._restart_clock(job)
            self._take(next(t for t in job.trials if t.id == event["trial"]))
        elif kind == "error":
            self.errors |= {t.id: event["error"] for t in job.trials}
        elif kind == "storage":
            raise StorageError(event["message"])
        elif kind == "shared-failed":
            job.overdue = False
            self._lose(job, event["reason"])
        elif kind == "exit":
            self._ended(job, *verdict(job, event["code"], self.options.timeout), event["peak_mb"])

    def _restart_clock(self, job: Job) -> None:
        if self.options.timeout:
            job.deadline = time.monotonic() + self.options.timeout

    def _take(self, trial: Trial) -> None:
        """A trial has come to its end; its result is on disk."""
        result = self.store.load(trial)
        self.results[trial.id] = result
        self.ran += 1
        self.progress.finished(result)
        if self.options.fail_fast and result.status not in FINAL:
            self.halt = True

    def _ended(self, job: Job, status: str = "crashed", reason: str = "", peak_mb: float | None = None) -> None:
        """The process is gone; trials without a result share its fate."""
        del self.running[job.number]
        if job.shared:
            if self._have_shared(job.shared):
                self.queue.ready.add(job.shared)
            else:
                self._lose(job, f"{status}: {reason}")
            return
        stored = self.store.results(job.trials)
        for trial in job.trials:
            if trial.id in self.results:
                continue
            if trial.id not in stored or stored[trial.id].status not in FINAL:
                self.store.save(Result(trial, status, reason, peak_mb=peak_mb, env=self.env))
            self._take(trial)

    def _lose(self, job: Job, reason: str) -> None:
        """Shared work failed: so do the trials that need it."""
        for lost in self.queue.drop(job.shared):
            for trial in lost.trials:
                self.store.save(Result(trial, "failed", f"full-GP hyperparameters: {reason}", env=self.env))
                self._take(trial)

    def _have_shared(self, key: str) -> bool:
        path = self.store.shared_path(key)
        try:
            read_json(path)
        except FileNotFoundError:
            return False
        except Damaged:
            self.store.quarantine(path)
            return False
        return True

    # -- the end ------------------------------------------------------------------------------------------------

    def _write_csv(self) -> None:
        self.store.write_csv([self.results[t.id] for t in self.planned if t.id in self.results])

    def summary(self) -> Summary:
        summary = summarise(self.planned, self.results)
        summary.ran, summary.signal = self.ran, self.signal
        if summary.failures and all(self.errors.get(r.trial.id) == "MissingExtra" for r in summary.failures):
            summary.missing_extra = summary.failures[0].reason
        return summary


def verdict(job: Job, code: int, timeout: float | None) -> tuple[str, str]:
    """Status and reason of a process that ended without the result of all its trials."""
    if job.overdue:
        return "timeout", f"over the time limit of {timeout:g} s"
    if code == -signal.SIGKILL and limits.oom_kills() > job.kernel_oom_kills:
        return "oom", "killed by the system for lack of memory"
    if code < 0:
        names = {s.value: s.name for s in signal.Signals}
        return "crashed", f"killed by {names.get(-code, f'signal {-code}')}"
    if code == STORAGE_EXIT:
        raise StorageError("a worker could not write its result")
    return "crashed", f"exited with code {code}"
