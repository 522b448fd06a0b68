"""Run jobs on the workers of a Dask scheduler: the run's end (`worker_endpoint.py` is the worker's end).

Dask moves the jobs and watches the workers; gpbench itself starts processes, sets limits and stores results. A job is
bound to one worker, and no more jobs are sent than there are threads, so that a dead worker costs the trials that ran
there and Dask sends no job a second time. Only this process writes to the results folder.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from gpbench.errors import ConfigError
from gpbench.experiment.plan.trial import digest
from gpbench.experiment.results.folder import ResultsFolder

from ..executor import Executor, SchedulerLost
from ..messages import Event, Exited, Job, Kill, Note, Order, Ready, Renew, RunContext, Started, WorkerLost, encode
from .connect import Scheduler, client_of
from .file_bundle import FileBundle, end_files, trial_files
from .worker_versions import complaint, versions

_RENEW = 0.5  # seconds between renewals of the lease (worker_endpoint.LEASE)
_ANSWER = 30.0  # seconds that a worker has to answer
_CURE = "install the same there, see docs/reference/clusters.md"


class _Worker(NamedTuple):
    slots: int
    env: str  # id of the description of its machine


@dataclass
class RemoteJob:
    """A job at a worker. Each time a job is sent it gets another number there, so that late answers are recognised."""

    number: int  # of the session
    job: Job  # as sent
    worker: str  # address
    full_gp: str | None  # content of the file of the full-GP fit that it needs
    future: Any = None
    steps: itertools.count[int] = field(default_factory=itertools.count)


class DaskExecutor(Executor):
    longest_first = True

    def __init__(self, where: str, jobs: int, threads: int, offline: bool, store: ResultsFolder, bundle: FileBundle):
        """`where` is "dask", for `jobs` workers on this machine, or the address of a scheduler."""
        self.where, self.jobs, self.threads, self.offline = where, jobs, threads, offline
        self.store, self.bundle = store, bundle
        self.run = f"gpbench-{uuid.uuid4().hex[:8]}"
        self.client: Any = None
        self.scheduler: Scheduler | None = None
        self.workers: dict[str, _Worker] = {}  # by address: those that may be given jobs
        self.remote: dict[int, RemoteJob] = {}  # by the number at the worker
        self.numbers = itertools.count()
        self.inbox: queue.SimpleQueue[Callable[[], list[Event]]] = queue.SimpleQueue()

    @property
    def slots(self) -> int:  # type: ignore[override]
        return sum(worker.slots for worker in self.workers.values())

    # -- beginning and end --------------------------------------------------------------------------------------

    def start(self, context: RunContext) -> None:
        self.context = context
        self.scheduler = Scheduler.at(self.where, self.jobs)
        self.client = client_of(self.scheduler.address, "gpbench")
        self.client.subscribe_topic("all", self._on_scheduler_event)
        present = list(self.client.scheduler_info(n_workers=-1)["workers"])
        self._check_versions(present)
        if not present:
            self._note(f"{self.where} has no worker yet: waiting for one")
        for address in present:
            self._in_background(self._install(address))
        self._in_background(self._renew_leases())

    def _check_versions(self, present: list[str]) -> None:
        """ConfigError if the software of a worker would compute other numbers."""
        look = partial(self.client._run, versions(), workers=present, on_error="return")
        answers = self.client.sync(look, callback_timeout=_ANSWER) if present else {}
        if sentences := [s for address, found in answers.items() if (s := complaint(address, found))]:
            raise ConfigError("; ".join([*sentences[:3], _CURE]))

    def close(self) -> None:
        if self.client is not None:
            remote, self.remote = self.remote, {}
            for sent in remote.values():
                sent.future.release()
            with contextlib.suppress(Exception):  # if the scheduler has ended, its workers have ended with it
                from .worker_endpoint import remove

                if self.client.status == "running":
                    self.client.unsubscribe_topic("all")
                    present = list(self.workers)
                    self.client.sync(self.client._run, remove, self.run, workers=present, callback_timeout=5)
            with contextlib.suppress(Exception):
                self.client.close(timeout=2)
            self.client, self.workers = None, {}
        if self.scheduler is not None:
            self.scheduler.close()

    # -- workers that come and go -------------------------------------------------------------------------------

    def _on_scheduler_event(self, event: tuple[object, dict[str, Any]]) -> None:
        """Called by Dask, in its own thread, with everything that happens at the scheduler."""
        _, message = event
        if message.get("action") == "add-worker":
            self._in_background(self._install(message["worker"], check=True))
        elif message.get("action") == "remove-worker":
            self.inbox.put(partial(self._remove_worker, message["worker"]))

    def _in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)

    async def _install(self, address: str, check: bool = False) -> None:
        """Make a worker ready for this run, and report it when it is; with `check` compare its versions first."""
        from .worker_endpoint import install

        ask = partial(self.client._run, workers=[address], on_error="return")
        try:
            if check and (sentence := complaint(address, (await ask(versions()))[address])):
                self.inbox.put(partial(self._refuse_worker, sentence))
                return
            found = (await ask(install, self.run, self.threads, self.offline, self.bundle, self.context))[address]
            if isinstance(found, Exception):
                raise found
        except KeyError:  # the worker has left again
            return
        except Exception as e:
            self._note(f"the worker at {address} gets no trials: {type(e).__name__}: {e}")
            return
        self.inbox.put(partial(self._add_worker, address, *found))

    def _refuse_worker(self, sentence: str) -> list[Event]:
        if not self.workers:
            raise ConfigError(f"{sentence}; {_CURE}")
        return [Note(f"{sentence}; it gets no trials")]

    def _note(self, text: str) -> None:
        self.inbox.put(lambda: [Note(text)])

    def _add_worker(self, address: str, slots: int, env: dict[str, Any]) -> list[Event]:
        self.workers[address] = _Worker(slots, digest(env))
        return [Ready(env)]

    def _remove_worker(self, address: str) -> list[Event]:
        """Called for a dead worker by Dask's list of workers and by each job that fails there; the first call acts."""
        if self.workers.pop(address, None) is None:
            return []
        gone = [number for number, sent in self.remote.items() if sent.worker == address]
        lost = [self._job_lost(number, f"the worker at {address} died") for number in gone]
        return [Note(_worker_lost_message(address, len(self.workers), len(gone))), *lost]

    async def _renew_leases(self) -> None:
        """Tell every worker that the run is alive, without waiting for those that do not answer."""
        pending: set[asyncio.Task[None]] = set()
        while (client := self.client) is not None:
            if self.workers and client.status == "running" and len(pending) < 200:
                pending.add(task := asyncio.ensure_future(self._send_order(Renew(), *self.workers)))
                task.add_done_callback(pending.discard)
            await asyncio.sleep(_RENEW)

    async def _send_order(self, order: Order, *workers: str) -> None:
        from .worker_endpoint import send_order

        with contextlib.suppress(Exception):  # for example, the worker has just died, which is reported elsewhere
            await self.client._run(send_order, self.run, order, workers=list(workers), on_error="ignore")

    # -- jobs ---------------------------------------------------------------------------------------------------

    def send(self, order: Job | Kill) -> None:
        if isinstance(order, Job):
            self._send_job(order)
            return
        for number, sent in self.remote.items():
            if sent.number == order.job:
                self._in_background(self._send_order(Kill(number), sent.worker))

    def _send_job(self, job: Job) -> None:
        busy = [sent.worker for sent in self.remote.values()]
        address = min(self.workers, key=lambda w: busy.count(w) - self.workers[w].slots)
        env, number = self.workers[address].env, next(self.numbers)
        full_gp = self.store.shared_path(job.needs_full_gp).read_text() if job.needs_full_gp else None
        self.remote[number] = RemoteJob(job.number, replace(job, number=number, env=env), address, full_gp)
        self._step(self.remote[number])
        self.inbox.put(lambda: [Started(job.number, env, None)])

    def _step(self, sent: RemoteJob) -> None:
        """Ask the worker for the next events of the job."""
        from .worker_endpoint import step

        number = sent.job.number
        sent.future = self.client.submit(
            step, self.run, encode(sent.job), sent.full_gp, key=f"{self.run}-{number}-{next(sent.steps)}",
            workers=[sent.worker], allow_other_workers=False, pure=False, retries=0,
        )  # fmt: skip
        sent.future.add_done_callback(lambda future: self.inbox.put(partial(self._step_done, number, future)))

    def receive(self, timeout: float) -> list[Event]:
        events: list[Event] = []
        with contextlib.suppress(queue.Empty):
            events += self.inbox.get(timeout=timeout)()
            while True:
                events += self.inbox.get_nowait()()
        if self.client.status != "running":
            raise SchedulerLost(f"the scheduler at {self.where} is gone")
        return events

    def _step_done(self, number: int, future: Any) -> list[Event]:
        """Write the files of a step that has ended and return its events."""
        sent = self.remote.get(number)
        if sent is None or sent.future is not future or future.status == "cancelled":
            return []  # a late answer; or the scheduler has ended, which `receive` reports
        try:
            events, files = future.result(timeout=_ANSWER)
        except Exception as e:
            lost = self._remove_worker(sent.worker) if type(e).__name__ == "KilledWorker" else []
            return lost or [self._job_lost(number, f"the worker at {sent.worker} died ({type(e).__name__})")]
        known = {*end_files(sent.job), *(name for t in sent.job.trials for name in trial_files(t.id))}
        for name in filter(known.__contains__, files):  # names that this job may write, and no other
            self.store.adopt(name, files[name])
        if isinstance(events[-1], (Exited, WorkerLost)):
            del self.remote[number]
            future.release()
        else:
            self._step(sent)
        return [replace(event, job=sent.number) for event in events]

    def _job_lost(self, number: int, reason: str) -> Event:
        sent = self.remote.pop(number)
        sent.future.release()
        return WorkerLost(sent.number, reason)


def _worker_lost_message(address: str, left: int, jobs: int) -> str:
    others = f"{left} {'is' if left == 1 else 'are'} left" if left else "none is left, waiting for another"
    again = "; its trial runs again" if jobs == 1 else f"; its {jobs} trials run again" if jobs else ""
    return f"the worker at {address} is gone, {others}{again}{', twice at most' if jobs else ''}"
