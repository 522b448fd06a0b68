"""The end of a run on one worker of a Dask cluster: a fork server of its own (`pool.py`), and the way back for results.

Jobs are processes of that server, so limits, logs and deaths are as on one machine; the worker itself only waits. The
run renews a lease twice a second; without it the server leaves within `LEASE` seconds and takes its jobs with it,
whatever has happened to the run, the network or the worker. Results are files of a scratch folder that go back by
content: no file system is shared.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import queue
import shutil
import threading
from pathlib import Path

from distributed import WorkerPlugin, get_worker

from gpbench.experiment.results.folder import FOLDERS, ResultsFolder
from gpbench.experiment.results.lock import Lock

from ..executor import ServerLost
from ..local.executor import LocalExecutor
from .file_bundle import Parcel

LEASE = 2.0  # seconds
_TICK = 0.2  # seconds between looks at the server
_LOG = 2**20  # bytes of a log that travel: its end, where a traceback is
_LOST = {"event": "lost", "reason": "the process that starts trials ended"}


class Agent(WorkerPlugin):
    def __init__(self, run: str, threads: int, offline: bool, parcel: Parcel):
        self.name, self.threads, self.offline, self.parcel = run, threads, offline, parcel
        self.pool: LocalExecutor | None = None
        self.jobs: dict[str, _Job] = {}
        self.opening = threading.Lock()  # of steps that find no server
        self.writing = threading.Lock()  # of `pool` and of what is written to it; never held for long

    async def setup(self, worker) -> None:
        self.folder = Path(worker.local_directory) / self.name
        await asyncio.to_thread(self._open)

    async def teardown(self, worker) -> None:
        await asyncio.to_thread(self._close)

    def _open(self) -> LocalExecutor:
        """Start the server and wait until it has described its machine."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.plugins, self.copies = self.parcel.unpack(self.folder / "parcel")
        lock = Lock(self.folder)
        lock.acquire()
        pool = LocalExecutor(1, self.threads, self.offline, self.folder / "server.log", lock, LEASE)
        pool.start()
        while not (events := pool.receive(_TICK)):
            pass
        self.env = events[0]["env"]
        self.pool = pool
        self.listener = threading.Thread(target=self._listen, args=(pool,), daemon=True)
        self.listener.start()
        return pool

    def _close(self) -> None:
        with self.writing:
            pool, self.pool = self.pool, None
        if pool is not None:
            if threading.current_thread() is not self.listener:
                self.listener.join()  # it reads what is closed here
            pool.close()
            pool.lock.release()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _listen(self, pool: LocalExecutor) -> None:
        """Events of the server to the jobs they are about, until it is gone."""
        with contextlib.suppress(ServerLost):
            while self.pool is pool:
                for event in pool.receive(_TICK):
                    if (job := self.jobs.get(event.get("job"))) is not None:
                        job.events.put(event)
        if self.pool is pool:  # it left by itself: no lease, or killed
            self._close()
        for job in list(self.jobs.values()):
            if job.pool is pool:
                job.events.put(_LOST)

    def step(self, tag: str, command: dict, shared: str | None) -> list[dict]:
        """Begin a job unless it has begun, and wait for its next result or its end: the events, with their files."""
        if (job := self.jobs.get(tag)) is None:
            with self.opening:
                pool = self.pool or self._open()
            job = self.jobs[tag] = _Job(self.folder / tag, command, pool)
            job.prepare(shared)
            paths = {"folder": str(job.folder), "plugins": self.plugins, "copies": self.copies}
            if not self.tell(**command | paths | {"job": tag}):
                job.events.put(_LOST)
        events = job.step()
        if events[-1]["event"] in ("exit", "lost"):
            self.jobs.pop(tag, None)
            shutil.rmtree(job.folder, ignore_errors=True)
        return events

    def tell(self, **command) -> bool:
        """False when there is no server to be told."""
        with self.writing:
            if self.pool is None:
                return False
            try:
                self.pool.send(**command)
            except ServerLost:
                return False
        return True


class _Job:
    def __init__(self, folder: Path, command: dict, pool: LocalExecutor):
        self.folder, self.command, self.pool = folder, command, pool
        self.events: queue.SimpleQueue[dict] = queue.SimpleQueue()
        self.left = len(command["trials"])

    def prepare(self, shared: str | None) -> None:
        for name in FOLDERS:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        if shared is not None:
            ResultsFolder(self.folder).adopt(f"shared/{self.command['needs']}.json", shared.encode())

    def step(self) -> list[dict]:
        found = []
        while True:
            event = self.events.get()
            if event["event"] == "result":
                self.left -= 1
                id = event["trial"]
                event["files"] = self._files([f"trials/{id}.npz", f"trials/{id}.json", f"failures/{id}.json"])
            elif event["event"] == "exit":
                shared = [f"shared/{self.command['shared']}.json"] if self.command["shared"] else []
                event["files"] = self._files([*shared, *(f"logs/{name}.log" for name in self.command["logs"])])
            if event["event"] != "start":  # the run knows
                found.append(event)
            if (
                event["event"] in ("exit", "lost")
                or event["event"] == "working"
                or (event["event"] == "result" and self.left)
            ):
                return found

    def _files(self, names: list[str]) -> dict[str, bytes]:
        return {name: _content(path) for name in names if (path := self.folder / name).is_file()}


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".log" and len(content) > _LOG:
        return f"... {len(content) - _LOG} bytes are left out ...\n".encode() + content[-_LOG:]
    return content


# -- what a run calls through Dask --------------------------------------------------------------------------------


async def install(run: str, threads: int, offline: bool, parcel: Parcel, dask_worker=None) -> dict:
    """Make this worker ready for a run: its slots, and the description of its machine."""
    logging.getLogger("distributed.worker").addFilter(_worth_a_line)
    if run not in dask_worker.plugins:
        answer = await dask_worker.plugin_add(Agent(run, threads, offline, parcel), name=run, catch_errors=False)
        if answer["status"] != "OK":
            raise RuntimeError(f"gpbench could not start on {dask_worker.address}")
    return {"slots": dask_worker.state.nthreads, "env": dask_worker.plugins[run].env}


async def remove(run: str, dask_worker=None) -> None:
    if run in dask_worker.plugins:
        await dask_worker.plugin_remove(name=run)


def tell_gpbench(run: str, command: dict, dask_worker=None) -> None:
    """To the server: that the run is alive, or that a job is to be killed."""
    if (agent := dask_worker.plugins.get(run)) is not None:
        agent.tell(**command)


def _worth_a_line(record: logging.LogRecord) -> bool:
    """Dask's worker logs each call of a function like these; renewals of the lease come twice a second."""
    return record.args != (tell_gpbench.__name__,)


def step(message: str) -> list[dict]:
    """The task that Dask runs; it holds a thread of the worker, and no more than that, while a trial computes.

    One text instead of arguments: Dask would put a result in the place of a text that happens to be a key.
    """
    order = json.loads(message)
    return get_worker().plugins[order["run"]].step(order["tag"], order["command"], order["shared"])
