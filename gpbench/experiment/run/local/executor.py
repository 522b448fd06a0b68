"""Run jobs on this machine: the main process's end of the fork server (`server.py`)."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from gpbench.experiment.results.checked_files import open_plain
from gpbench.experiment.results.lock import Lock
from gpbench.experiment.results.provenance import thread_environment

from ..executor import Executor, ServerLost
from ..messages import Event, MessageReader, Order, RunContext, encode
from . import os_limits

# the server imports what this process would import: the same sys.path, set before anything else is loaded
_START = "import sys; sys.path[:] = {!a}; from gpbench.experiment.run.local.server import serve; serve(*{!a})"


class LocalExecutor(Executor):
    """Runs jobs in child processes of the fork server, so that a job that dies harms no other process."""

    def __init__(self, jobs: int, threads: int, offline: bool, log: Path, lock: Lock, lease: float | None = None):
        """The server and its jobs hold the folder's lock as long as they live.

        With a `lease` the server ends, and its jobs with it, when no order has come for so many seconds.
        """
        self.slots, self.threads, self.offline, self.log, self.lock = jobs, threads, offline, log, lock
        self.lease = lease
        self.server: subprocess.Popen[bytes] | None = None

    def start(self, context: RunContext) -> None:
        assert self.lock.fd is not None, "the results folder is locked before its executor starts"
        os_limits.standard_streams()
        orders_read, self._orders = os.pipe()
        self._events, events_write = os.pipe()
        env = {**os.environ, **thread_environment(self.threads), "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
        if self.offline:
            env["GPBENCH_OFFLINE"] = "1"
        options = [orders_read, events_write, self.lock.fd, self.lease]
        with open(open_plain(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as log:
            self.server = subprocess.Popen(
                [sys.executable, "-c", _START.format(sys.path, options)],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(orders_read, events_write, self.lock.fd),
                start_new_session=True,
            )
        os.close(orders_read)
        os.close(events_write)
        self._reader = MessageReader()
        self.send(context)

    def send(self, *orders: Order) -> None:
        """Pass orders to the server; ServerLost if it has ended."""
        content = b"".join(map(encode, orders))
        try:
            while content:
                content = content[os.write(self._orders, content) :]
        except BrokenPipeError as e:
            raise ServerLost from e

    def receive(self, timeout: float) -> list[Event]:
        if not select.select([self._events], [], [], timeout)[0]:
            if self.server is None or self.server.poll() is not None:  # a method's child may hold the pipe open
                raise ServerLost
            return []
        chunk = os.read(self._events, 1 << 16)
        if not chunk:
            raise ServerLost
        return [event for event in self._reader.feed(chunk) if isinstance(event, Event)]

    def close(self) -> None:
        if self.server is None:
            return
        os.close(self._orders)  # the server then kills its jobs and ends
        try:
            self.server.wait(5)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.server.pid, signal.SIGKILL)  # its jobs die with it
            self.server.wait()
        os.close(self._events)
        self.server = None
        with contextlib.suppress(OSError):
            if self.log.stat().st_size == 0:
                self.log.unlink()
