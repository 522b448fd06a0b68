"""Jobs on this machine: the main process's end of the fork server (`server.py`)."""

from __future__ import annotations

import contextlib
import json
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
from . import os_limits

# the server imports what this process would import: same sys.path, set before anything else is loaded
_START = (
    "import json, sys; path, options = json.loads(sys.argv[1]); sys.path[:] = path; "
    "from gpbench.experiment.run.local.server import serve; serve(*options)"
)


class LocalExecutor(Executor):
    """Jobs run in processes of the server, so that killing this process, or any job, harms nobody else."""

    def __init__(self, jobs: int, threads: int, offline: bool, log: Path, lock: Lock, lease: float | None = None):
        """The server and its jobs hold the folder's lock as long as they live.

        With a `lease` the server leaves, and its jobs with it, when no command has come for so many seconds.
        """
        self.jobs, self.threads, self.offline, self.log, self.lock = jobs, threads, offline, log, lock
        self.lease = lease
        self.server: subprocess.Popen | None = None

    @property
    def started(self) -> bool:
        return self.server is not None

    @property
    def slots(self) -> int:
        return self.jobs

    def start(self) -> None:
        os_limits.standard_streams()
        command_read, self._commands = os.pipe()
        self._events, event_write = os.pipe()
        env = {**os.environ, **thread_environment(self.threads), "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
        if self.offline:
            env["GPBENCH_OFFLINE"] = "1"
        options = [command_read, event_write, self.lock.fd, self.lease]
        with open(open_plain(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as log:
            self.server = subprocess.Popen(
                [sys.executable, "-c", _START, json.dumps([sys.path, options])],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(command_read, event_write, self.lock.fd),
                start_new_session=True,
            )
        os.close(command_read)
        os.close(event_write)
        self._buffer = b""

    def send(self, **command) -> None:
        content = (json.dumps(command) + "\n").encode()
        try:
            while content:
                content = content[os.write(self._commands, content) :]
        except BrokenPipeError as e:
            raise ServerLost from e

    def kill(self, job: int) -> None:
        self.send(kill=job)

    def receive(self, timeout: float) -> list[dict]:
        """Events that have arrived, after waiting at most `timeout` seconds for the first."""
        if not select.select([self._events], [], [], timeout)[0]:
            if self.server.poll() is not None:  # the pipe may still be held open by what a method has forked
                raise ServerLost
            return []
        chunk = os.read(self._events, 1 << 16)
        if not chunk:
            raise ServerLost
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        return [event for line in lines if line and (event := _event(line)) is not None]

    def close(self) -> None:
        """End the server and, with it, every job; done when this returns."""
        if self.server is None:
            return
        os.close(self._commands)  # the server takes this as the order to kill its jobs and leave
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


_FIELDS: dict[str, dict[str, type | tuple]] = {  # what each event holds besides its job
    "ready": {"env": dict}, "start": {"pid": int}, "working": {"text": str}, "result": {"trial": str},
    "storage": {"message": str}, "shared-failed": {"reason": str},
    "exit": {"code": int, "peak_mb": (int, float), "oom": bool},
}  # fmt: skip


def _event(line: bytes) -> dict | None:
    """None for what is none of ours: a method may have written to every file it found open."""
    try:
        event = json.loads(line)
        fields = _FIELDS[event["event"]]
        ours = isinstance(event.get("job", ""), (int, str)) and all(isinstance(event[k], t) for k, t in fields.items())
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return event if ours else None
