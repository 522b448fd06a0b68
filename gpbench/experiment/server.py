"""The other side of `pool.py`: a fork server that has the libraries loaded and forks one process per job (`worker.py`).

Forking costs milliseconds where a fresh interpreter would need a second, and every trial still has a process of its
own: whatever happens to it happens to nobody else. The server holds no results and does no numerical work. When the
commands (JSON lines) end, because the main process is gone, every job is killed.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
from functools import cache, partial

from . import compiled, limits
from .worker import send, work


def serve(commands: int, events: int) -> None:
    """Fork a process per job until the commands end."""
    from . import provenance

    _preload()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # the main process decides; a Ctrl-C reaches the whole terminal
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.collect()
    gc.freeze()  # keep the collector from touching, hence copying, the shared pages
    send(events, event="ready", env=provenance.environment())
    running: dict[int, int] = {}  # pid -> job
    with selectors.DefaultSelector() as selector, open(commands, "rb", buffering=0) as stream:
        selector.register(stream, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        buffer = b""
        while True:
            for key, _ in selector.select():
                if key.fd == wake_read:
                    os.read(wake_read, 4096)
                    continue
                chunk = os.read(commands, 1 << 16)
                if not chunk:
                    _leave(running)
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    _obey(json.loads(line), running, events, close=(commands, wake_read, wake_write))
            _reap(running, events)


def _leave(running: dict[int, int]) -> None:
    _kill(running)
    for pid in running:
        os.waitpid(pid, 0)
    os._exit(0)


def _preload() -> None:
    """Load once, before any fork, what most jobs need; a broken file is the trouble of the jobs that use it."""
    from gpbench import catalog

    from . import evaluate  # noqa: F401

    for kind in ("method", "kernel", "dataset"):
        with contextlib.suppress(Exception):
            catalog.available(kind)


@cache
def _load_compiled(method: str) -> None:
    """Once per method; a user's own file runs in its own process only, so it is passed over here."""
    from gpbench import catalog

    with contextlib.suppress(Exception):
        compiled.load_for(catalog.find("method", method))


def _obey(command: dict, running: dict[int, int], events: int, close) -> None:
    if "kill" in command:
        _kill({pid: job for pid, job in running.items() if job == command["kill"]})
        return
    _load_compiled(command["trials"][0]["method"])
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            signal.set_wakeup_fd(-1)
            for fd in close:
                os.close(fd)
            code = work(command, events, server)
        finally:
            os._exit(code)
    running[pid] = command["job"]
    send(events, partial(_leave, running), event="start", job=command["job"])


def _kill(running: dict[int, int]) -> None:
    for pid in running:
        for kill in (os.killpg, os.kill):  # the group does not exist yet in the child's first instant
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)


def _reap(running: dict[int, int], events: int) -> None:
    """Report ended jobs; what a job started itself goes with it."""
    while running:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return
        pid = ended.si_pid
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # before the pid is free to be used again
        _, status, usage = os.wait4(pid, 0)
        job = running.pop(pid, None)
        if job is not None:
            code = os.waitstatus_to_exitcode(status)
            orphaned = partial(_leave, running)
            send(events, orphaned, event="exit", job=job, code=code, peak_mb=limits.peak_mb(usage))
