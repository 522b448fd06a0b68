"""The end of a run on one worker of a Dask cluster: a fork server (`local/server.py`) and the way back for results.

Jobs are processes of that server, so limits, logs and crashes are as on one machine; the worker itself only waits. The
run renews a lease twice a second; without it the server ends within `LEASE` seconds and takes its jobs with it,
whatever has happened to the run, the network or the worker. Each job writes to a scratch folder, and the content of
its files goes back to the run: no file system is shared.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from distributed import WorkerPlugin, get_worker

from gpbench.experiment.results.folder import FOLDERS, ResultsFolder
from gpbench.experiment.results.lock import Lock

from ..executor import ServerLost
from ..local.executor import LocalExecutor
from ..messages import (
    Event,
    Exited,
    Job,
    JobEvent,
    Order,
    Ready,
    RunContext,
    Started,
    TrialDone,
    WorkerLost,
    Working,
    decode,
)
from .file_bundle import FileBundle, end_files, full_gp_file, trial_files

LEASE = 2.0  # seconds
_TICK = 0.2  # seconds between looks at the server
_LOG = 2**20  # bytes of a log that travel: its end, where a traceback is


class _Attempt(NamedTuple):
    """A job that this worker has begun."""

    executor: LocalExecutor  # of the server that runs it
    folder: Path
    events: queue.SimpleQueue[Event]


class WorkerEndpoint(WorkerPlugin):
    def __init__(self, run: str, threads: int, offline: bool, bundle: FileBundle, context: RunContext):
        self.name, self.threads, self.offline, self.bundle, self.context = run, threads, offline, bundle, context
        self.executor: LocalExecutor | None = None
        self.attempts: dict[int, _Attempt] = {}  # by the number of the job
        self.opening = threading.Lock()  # of steps that find no server
        self.writing = threading.Lock()  # of `executor` and of what is written to it; held for moments only

    async def setup(self, worker: Any) -> None:
        self.folder = Path(worker.local_directory) / self.name
        await asyncio.to_thread(self._open)

    async def teardown(self, worker: Any) -> None:
        await asyncio.to_thread(self._close)

    def _open(self) -> LocalExecutor:
        """Start the server and wait until it has described its machine."""
        self.folder.mkdir(parents=True, exist_ok=True)
        plugins, copies = self.bundle.unpack(self.folder / "files")
        self.context = replace(self.context, folder=str(self.folder), plugins=tuple(plugins), copies=copies)
        lock = Lock(self.folder)
        lock.acquire()
        executor = LocalExecutor(1, self.threads, self.offline, self.folder / "server.log", lock, LEASE)
        executor.start(self.context)
        while not (events := executor.receive(_TICK)):
            pass
        self.env = next(event.env for event in events if isinstance(event, Ready))
        self.executor = executor
        self.listener = threading.Thread(target=self._listen, args=(executor,), daemon=True)
        self.listener.start()
        return executor

    def _close(self) -> None:
        with self.writing:
            executor, self.executor = self.executor, None
        if executor is not None:
            if threading.current_thread() is not self.listener:
                self.listener.join()  # it reads what is closed here
            executor.close()
            executor.lock.release()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _listen(self, executor: LocalExecutor) -> None:
        """Pass the server's events to the jobs they are about, until the server has ended."""
        with contextlib.suppress(ServerLost):
            while self.executor is executor:
                for event in executor.receive(_TICK):
                    if isinstance(event, JobEvent) and (attempt := self.attempts.get(event.job)) is not None:
                        attempt.events.put(event)
        if self.executor is executor:  # the server ended by itself: no lease, or killed
            self._close()
        for number, attempt in list(self.attempts.items()):
            if attempt.executor is executor:
                attempt.events.put(_server_lost(number))

    def step(self, job: Job, full_gp: str | None) -> tuple[list[Event], dict[str, bytes]]:
        """Begin the job unless it has begun; returns its events up to its next result or its end, and their files."""
        attempt = self.attempts.get(job.number) or self._begin(job, full_gp)
        events: list[Event] = []
        files: dict[str, bytes] = {}
        goes_on = True
        while goes_on:
            event = attempt.events.get()
            if isinstance(event, TrialDone):
                files |= _contents(attempt.folder, trial_files(event.trial))
            elif isinstance(event, Exited):
                files |= _contents(attempt.folder, end_files(job))
            if not isinstance(event, Started):  # the executor has reported it when it sent the job
                events.append(event)
            last = isinstance(event, TrialDone) and event.trial == job.trials[-1].id  # the end follows at once
            goes_on = last or not isinstance(event, (TrialDone, Working, Exited, WorkerLost))
        if isinstance(event, (Exited, WorkerLost)):
            del self.attempts[job.number]
            shutil.rmtree(attempt.folder, ignore_errors=True)
        return events, files

    def _begin(self, job: Job, full_gp: str | None) -> _Attempt:
        with self.opening:
            executor = self.executor or self._open()
        attempt = _Attempt(executor, self.folder / str(job.number), queue.SimpleQueue())
        self.attempts[job.number] = attempt
        for name in FOLDERS:
            (attempt.folder / name).mkdir(parents=True, exist_ok=True)
        if full_gp is not None and job.needs_full_gp is not None:
            ResultsFolder(attempt.folder).adopt(full_gp_file(job.needs_full_gp), full_gp.encode())
        if not self.send(replace(self.context, folder=str(attempt.folder)), job):  # each job has a folder of its own
            attempt.events.put(_server_lost(job.number))
        return attempt

    def send(self, *orders: Order) -> bool:
        """Pass orders to the server; False if there is none."""
        with self.writing, contextlib.suppress(ServerLost):
            if self.executor is not None:
                self.executor.send(*orders)
                return True
        return False


def _server_lost(job: int) -> WorkerLost:
    return WorkerLost(job, "the process that starts trials ended")


def _contents(folder: Path, names: list[str]) -> dict[str, bytes]:
    """Content, by name, of the files that are there; of a long log its end."""
    files = {name: path.read_bytes() for name in names if (path := folder / name).is_file()}
    for name, content in files.items():
        if name.endswith(".log") and len(content) > _LOG:
            files[name] = f"... {len(content) - _LOG} bytes are left out ...\n".encode() + content[-_LOG:]
    return files


# -- what a run calls through Dask --------------------------------------------------------------------------------


async def install(
    run: str, threads: int, offline: bool, bundle: FileBundle, context: RunContext, dask_worker: Any = None
) -> tuple[int, dict[str, Any]]:
    """Make this worker ready for a run; returns its number of slots and the description of its machine."""
    logging.getLogger("distributed.worker").addFilter(_is_no_order)
    if run not in dask_worker.plugins:
        endpoint = WorkerEndpoint(run, threads, offline, bundle, context)
        answer = await dask_worker.plugin_add(endpoint, name=run, catch_errors=False)
        if answer["status"] != "OK":
            raise RuntimeError(f"gpbench could not start on {dask_worker.address}")
    return dask_worker.state.nthreads, dask_worker.plugins[run].env


async def remove(run: str, dask_worker: Any = None) -> None:
    """End the server of a run on this worker, and its jobs."""
    if run in dask_worker.plugins:
        await dask_worker.plugin_remove(name=run)


def send_order(run: str, order: Order, dask_worker: Any = None) -> None:
    """Pass an order to the server of a run, if it has one here."""
    if (endpoint := dask_worker.plugins.get(run)) is not None:
        endpoint.send(order)


def _is_no_order(record: logging.LogRecord) -> bool:
    """False for the line that Dask's worker logs about each call of `send_order`, twice a second."""
    return record.args != (send_order.__name__,)


def step(run: str, job: bytes, full_gp: str | None) -> tuple[list[Event], dict[str, bytes]]:
    """The task that Dask runs; it holds a thread of the worker, and no more than that, while a trial computes.

    The job is encoded: Dask would put a result in the place of a text in an argument that happens to be a key.
    """
    endpoint = get_worker().plugins[run]
    assert isinstance(endpoint, WorkerEndpoint)
    decoded = decode(job)
    assert isinstance(decoded, Job)
    return endpoint.step(decoded, full_gp)
