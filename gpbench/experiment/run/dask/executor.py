"""Jobs on the workers of a Dask scheduler: the run's end (`agent.py` is the other) of many machines.

Dask moves the jobs and watches the workers; processes, limits and records stay gpbench's. A job is bound to one worker,
and no more jobs are given out than there are threads, so that a dead worker costs what was at work there and Dask
gives out nothing a second time. The results folder is written here alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import queue
import uuid
from dataclasses import dataclass, field
from functools import partial

from gpbench.errors import ConfigError
from gpbench.experiment.plan.trial import digest
from gpbench.experiment.results.folder import ResultsFolder

from ..executor import Executor, SchedulerLost
from .connect import client_of, local_cluster
from .file_bundle import Parcel
from .worker_versions import complaint, versions

_RENEW = 0.5  # seconds between renewals of the lease (agent.LEASE)
_ANSWER = 30.0  # seconds that a worker has to answer
_CURE = "install the same there, see docs/clusters.md"


@dataclass
class _Flight:
    """A job on its way: at a worker, or coming back."""

    job: int
    worker: str
    command: dict
    shared: str | None
    future: object = None
    steps: itertools.count = field(default_factory=itertools.count)


class DaskExecutor(Executor):
    longest_first = True

    def __init__(self, where: str, jobs: int, threads: int, offline: bool, store: ResultsFolder, parcel: Parcel):
        """`where` is "dask", for workers of this machine, `jobs` of them, or the address of a scheduler."""
        self.where, self.jobs, self.threads, self.offline = where, jobs, threads, offline
        self.store, self.parcel = store, parcel
        self.run = f"gpbench-{uuid.uuid4().hex[:8]}"
        self.client = self.local = None
        self.workers: dict[str, dict] = {}  # address -> {"slots", "env"} of those that may be given jobs
        self.flights: dict[str, _Flight] = {}  # by tag; what is not here any more is a late duplicate
        self.tags = itertools.count()
        self.inbox: queue.SimpleQueue = queue.SimpleQueue()

    @property
    def started(self) -> bool:
        return self.client is not None

    @property
    def slots(self) -> int:
        return sum(w["slots"] for w in self.workers.values())

    # -- beginning and end --------------------------------------------------------------------------------------

    def start(self) -> None:
        if self.where == "dask":
            self.local = local_cluster(self.jobs)
        self.client = client_of(self.local.scheduler_address if self.local else self.where, "gpbench")
        self.client.subscribe_topic("all", self._hear)
        present = list(self.client.scheduler_info(n_workers=-1)["workers"])
        self._refuse_others(present)
        if not present:
            self._note(f"{self.where} has no worker yet: waiting for one")
        for address in present:
            self._in_background(self._welcome(address))
        self._in_background(self._renew())

    def _refuse_others(self, present: list[str]) -> None:
        """ConfigError when a worker's software would make other numbers."""
        look = partial(self.client._run, versions(), workers=present, on_error="return")
        answers = self.client.sync(look, callback_timeout=_ANSWER) if present else {}
        if sentences := [s for address, found in answers.items() if (s := complaint(address, found))]:
            raise ConfigError("; ".join([*sentences[:3], _CURE]))

    def close(self) -> None:
        if self.client is not None:
            flying, self.flights = self.flights, {}
            for flight in flying.values():
                flight.future.release()
            with contextlib.suppress(Exception):  # a scheduler that is gone has taken its workers with it
                from .worker_endpoint import remove

                if self.client.status == "running":
                    self.client.unsubscribe_topic("all")
                    present = list(self.workers)
                    self.client.sync(self.client._run, remove, self.run, workers=present, callback_timeout=5)
            with contextlib.suppress(Exception):
                self.client.close(timeout=2)
            self.client, self.workers = None, {}
        if self.local is not None:
            with contextlib.suppress(Exception):
                self.local.close(timeout=5)
            self.local = None

    # -- workers that come and go -------------------------------------------------------------------------------

    def _hear(self, event) -> None:
        """Called by Dask, in its own thread, with everything that happens at the scheduler."""
        _, message = event
        if message.get("action") == "add-worker":
            self._in_background(self._welcome(message["worker"], check=True))
        elif message.get("action") == "remove-worker":
            self.inbox.put(partial(self._mourn, message["worker"]))

    def _in_background(self, coroutine) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)

    async def _welcome(self, address: str, check: bool = False) -> None:
        from .worker_endpoint import install

        ask = partial(self.client._run, workers=[address], on_error="return")
        try:
            if check and (sentence := complaint(address, (await ask(versions()))[address])):
                self.inbox.put(partial(self._refuse, sentence))
                return
            found = (await ask(install, self.run, self.threads, self.offline, self.parcel))[address]
            if isinstance(found, Exception):
                raise found
        except KeyError:  # gone again
            return
        except Exception as e:
            self._note(f"the worker at {address} gets no trials: {type(e).__name__}: {e}")
            return
        self.inbox.put(partial(self._ready, address, found))

    def _refuse(self, sentence: str) -> list[dict]:
        if not self.workers:
            raise ConfigError(f"{sentence}; {_CURE}")
        return [{"event": "note", "text": f"{sentence}; it gets no trials"}]

    def _note(self, text: str) -> None:
        self.inbox.put(lambda: [{"event": "note", "text": text}])

    def _ready(self, address: str, found: dict) -> list[dict]:
        self.workers[address] = {"slots": found["slots"], "env": digest(found["env"])}
        return [{"event": "ready", "env": found["env"]}]

    def _mourn(self, address: str) -> list[dict]:
        """Told by Dask's list of workers and by each task it gives up there, whichever is first."""
        if self.workers.pop(address, None) is None:
            return []
        gone = [tag for tag, flight in self.flights.items() if flight.worker == address]
        events = [event for tag in gone for event in self._lose(tag, f"the worker at {address} died")]
        return [{"event": "note", "text": _obituary(address, len(self.workers), len(gone))}, *events]

    async def _renew(self) -> None:
        """Tell every worker that the run is alive; one that does not answer keeps nobody waiting."""
        from .worker_endpoint import tell_gpbench

        pending: set[asyncio.Task] = set()
        while (client := self.client) is not None:
            if self.workers and client.status == "running" and len(pending) < 200:
                call = client._run(tell_gpbench, self.run, {"renew": 1}, workers=list(self.workers), on_error="ignore")
                pending.add(task := asyncio.ensure_future(_quietly(call)))
                task.add_done_callback(pending.discard)
            await asyncio.sleep(_RENEW)

    # -- jobs ---------------------------------------------------------------------------------------------------

    def send(self, **command) -> None:
        busy = [flight.worker for flight in self.flights.values()]
        address = min(self.workers, key=lambda w: busy.count(w) - self.workers[w]["slots"])
        command["env"] = self.workers[address]["env"]
        shared = self.store.shared_path(command["needs"]).read_text() if command["needs"] else None
        tag = f"{command['job']}-{next(self.tags)}"
        flight = self.flights[tag] = _Flight(command["job"], address, command, shared)
        self._step(tag, flight)
        self.inbox.put(lambda: [{"event": "start", "job": flight.job, "env": command["env"]}])

    def _step(self, tag: str, flight: _Flight) -> None:
        from .worker_endpoint import step

        order = {"run": self.run, "tag": tag, "command": flight.command, "shared": flight.shared}
        flight.future = self.client.submit(
            step, json.dumps(order), key=f"{self.run}-{tag}-{next(flight.steps)}", workers=[flight.worker],
            allow_other_workers=False, pure=False, retries=0,
        )  # fmt: skip
        flight.future.add_done_callback(lambda future: self.inbox.put(partial(self._land, tag, future)))

    def kill(self, job: int) -> None:
        from .worker_endpoint import tell_gpbench

        for tag, flight in self.flights.items():
            if flight.job == job:
                self._in_background(
                    _quietly(self.client._run(tell_gpbench, self.run, {"kill": tag}, workers=[flight.worker]))
                )

    def receive(self, timeout: float) -> list[dict]:
        events = []
        with contextlib.suppress(queue.Empty):
            events += self.inbox.get(timeout=timeout)()
            while True:
                events += self.inbox.get_nowait()()
        if self.client.status != "running":
            raise SchedulerLost(f"the scheduler at {self.where} is gone")
        return events

    def _land(self, tag: str, future) -> list[dict]:
        """Events of a step that has come to its end, their files written."""
        flight = self.flights.get(tag)
        if flight is None or flight.future is not future or future.status == "cancelled":
            return []  # a late duplicate; or the scheduler is gone, which `receive` tells
        try:
            events = future.result(timeout=_ANSWER)
        except Exception as e:
            events = self._mourn(flight.worker) if type(e).__name__ == "KilledWorker" else []
            return events or self._lose(tag, f"the worker at {flight.worker} died ({type(e).__name__})")
        for event in events:
            event["job"] = flight.job
            self._write(flight, event.pop("files", {}))
        if events[-1]["event"] in ("exit", "lost"):
            del self.flights[tag]
            future.release()
        else:
            self._step(tag, flight)
        return events

    def _lose(self, tag: str, reason: str) -> list[dict]:
        flight = self.flights.pop(tag)
        flight.future.release()
        return [{"event": "lost", "job": flight.job, "reason": reason}]

    def _write(self, flight: _Flight, files: dict[str, bytes]) -> None:
        """What came back, under names that this job may write and no other."""
        names, shared = flight.command["logs"], flight.command["shared"]
        known = {f"logs/{name}.log" for name in names} | ({f"shared/{shared}.json"} if shared else set())
        for id in names[1:]:
            known |= {f"trials/{id}.npz", f"trials/{id}.json", f"failures/{id}.json"}
        for name, content in files.items():
            if name in known:
                self.store.adopt(name, content)


def _obituary(address: str, left: int, jobs: int) -> str:
    others = f"{left} {'is' if left == 1 else 'are'} left" if left else "none is left, waiting for another"
    again = "; its trial runs again" if jobs == 1 else f"; its {jobs} trials run again" if jobs else ""
    return f"the worker at {address} is gone, {others}{again}{', twice at most' if jobs else ''}"


async def _quietly(call) -> None:
    with contextlib.suppress(Exception):  # the worker has just died, say, which is told elsewhere
        await call
