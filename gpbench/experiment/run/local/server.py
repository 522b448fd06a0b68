"""A fork server: it has the libraries loaded and forks one process per job (`worker.py`).

A fork costs milliseconds, a new interpreter a second, and still every job has a process of its own, so that its crash
harms no other job. The server holds no results and does no numerical work. When its orders end, because the main
process has ended, it kills every job and every process that a job has started. On a Dask worker it does the same when
its lease runs out, that is, when no order has come for some seconds.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from gpbench.experiment.evaluation.timing import load_compiled
from gpbench.system import memory

from ..messages import Event, Exited, Job, Kill, Message, MessageReader, Ready, RunContext, Started
from . import logs, os_limits
from .worker import send, work

_LOOK = 0.1  # seconds between looks at the logs of running jobs


class _Running(NamedTuple):
    job: Job
    logs: list[Path]
    oom_kills: int  # of this machine, when the job began


@dataclass
class _Server:
    """The jobs of this server, by the pid of their process, and the descriptors that it works with."""

    events: int
    lock: int
    to_close: tuple[int, ...]  # descriptors that jobs do not use
    running: dict[int, _Running] = field(default_factory=dict)
    context: RunContext | None = None

    def send(self, event: Event) -> None:
        send(self.events, event, self.end)

    def obey(self, order: Message) -> None:
        if isinstance(order, RunContext):
            self.context = order
        elif isinstance(order, Kill):
            _kill(pid for pid, running in self.running.items() if running.job.number == order.job)
        elif isinstance(order, Job):
            assert self.context is not None, "the RunContext comes before the first job"
            self._begin(order, self.context)

    def _begin(self, job: Job, context: RunContext) -> None:
        oom_kills = os_limits.oom_kills()
        _load_compiled(job.trials[0].method)
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                signal.set_wakeup_fd(-1)
                for fd in self.to_close:
                    os.close(fd)
                code = work(job, context, self.events, server, self.lock)
            finally:
                os._exit(code)
        self.running[pid] = _Running(job, [Path(context.folder, "logs", f"{name}.log") for name in job.logs], oom_kills)
        self.send(Started(job.number, job.env, pid))

    def reap(self) -> None:
        """Report the jobs that have ended, and kill the processes that they started."""
        while self.running:
            if hasattr(os, "waitid"):
                if (pid := _ended()) is None:
                    return
                _kill_group(pid)  # before the pid is free to be used again
                _, status, usage = os.wait4(pid, 0)
            else:  # macOS before Python 3.13: reaped first; its group keeps the number as long as it has members
                pid, status, usage = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    return
                _kill_group(pid)
            if (ended := self.running.pop(pid, None)) is not None:
                logs.keep_small(ended.logs)
                code = os.waitstatus_to_exitcode(status)
                oom = code == -signal.SIGKILL and os_limits.oom_kills() > ended.oom_kills
                self.send(Exited(ended.job.number, code, memory.peak_mb(usage), oom))
        _kill(os_limits.children())  # started by methods that have ended: no job runs that could need them

    def end(self) -> NoReturn:
        """Kill every job and every process that a job has started, then leave."""
        _kill(self.running)
        for pid in self.running:
            os.waitpid(pid, 0)
        _kill(os_limits.children())
        os._exit(0)


def serve(orders: int, events: int, lock: int, lease: float | None = None) -> NoReturn:
    """Fork a process per job until the orders end, or none has come for `lease` seconds."""
    from gpbench.experiment.results import provenance

    for fd in (orders, events, lock):
        os.set_inheritable(fd, False)  # not for the programs that methods start
    os_limits.adopt_orphans()
    os_limits.die_with_parent(os.getppid())  # loading libraries takes seconds in which no order is read
    _preload()
    os_limits.outlive_parent()  # from here on the end of the orders is noticed, and the jobs' own children end, too
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # the main process decides; a Ctrl-C reaches the whole terminal
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.collect()
    gc.freeze()  # keep the collector from touching, hence copying, the shared pages
    server = _Server(events, lock, (orders, wake_read, wake_write))
    reader, last_order = MessageReader(), time.monotonic()
    server.send(Ready(provenance.environment()))
    with selectors.DefaultSelector() as selector:
        selector.register(orders, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select(_LOOK if server.running or lease else None):
                if key.fd == wake_read:
                    os.read(wake_read, 4096)
                    continue
                chunk = os.read(orders, 1 << 16)
                if not chunk:
                    server.end()
                for order in reader.feed(chunk):
                    server.obey(order)
                last_order = time.monotonic()
            if lease and time.monotonic() - last_order > lease:
                server.end()
            for running in server.running.values():
                logs.keep_small(running.logs)
            server.reap()


def _preload() -> None:
    """Load once, before any fork, what most jobs need; a broken file fails in the jobs that use it."""
    from gpbench import catalog
    from gpbench.experiment.evaluation import evaluate  # noqa: F401
    from gpbench.experiment.results import provenance

    provenance.source()

    for kind in ("method", "kernel", "dataset"):
        with contextlib.suppress(Exception):
            catalog.available(kind)


@cache
def _load_compiled(method: str) -> None:
    """Load the compiled code of a method, once; the server does not load plug-ins, so theirs is skipped."""
    from gpbench import catalog

    with contextlib.suppress(Exception):
        load_compiled(catalog.find("method", method))


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        _kill_group(pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)  # the group does not exist yet in the child's first instant


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _ended() -> int | None:
    """Pid of a child that has ended and is not yet reaped, so that no other process can have its pid; None without."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return ended.si_pid if ended else None
