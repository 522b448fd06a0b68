"""The other side of `pool.py`: a fork server that has the libraries loaded and forks one process per job (`worker.py`).

Forking costs milliseconds where a fresh interpreter would need a second, and every trial still has a process of its
own: whatever happens to it happens to nobody else. The server holds no results and does no numerical work. When the
commands (JSON lines) end, because the main process is gone, every job is killed, and so is whatever jobs have started.
The same happens when a lease runs out: on a machine of a cluster the run must be heard from again and again.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import time
from functools import cache, partial

from gpbench.experiment.evaluation.timing import load_compiled
from gpbench.system import memory

from . import logs, os_limits
from .worker import send, work

_LOOK = 0.1  # seconds between looks at the logs of jobs at work


def serve(commands: int, events: int, lock: int, lease: float | None = None) -> None:
    """Fork a process per job until the commands end, or none has come for `lease` seconds."""
    from gpbench.experiment.results import provenance

    for fd in (commands, events, lock):
        os.set_inheritable(fd, False)  # not for the programs that methods start
    os_limits.adopt_orphans()
    os_limits.die_with_parent(os.getppid())  # while libraries load, seconds on a busy machine, nobody reads commands
    _preload()
    os_limits.outlive_parent()  # from here on their end is noticed, and what jobs have started ends, too
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # the main process decides; a Ctrl-C reaches the whole terminal
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.collect()
    gc.freeze()  # keep the collector from touching, hence copying, the shared pages
    send(events, event="ready", env=provenance.environment())
    running: dict[int, dict] = {}  # pid -> command
    with selectors.DefaultSelector() as selector, open(commands, "rb", buffering=0) as stream:
        selector.register(stream, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        buffer, heard = b"", time.monotonic()
        while True:
            for key, _ in selector.select(_LOOK if running or lease else None):
                if key.fd == wake_read:
                    os.read(wake_read, 4096)
                    continue
                chunk = os.read(commands, 1 << 16)
                if not chunk:
                    _leave(running)
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    _obey(json.loads(line), running, events, lock, close=(commands, wake_read, wake_write))
                heard = time.monotonic()
            if lease and time.monotonic() - heard > lease:
                _leave(running)
            for command in running.values():
                logs.keep_small(command)
            _reap(running, events)


def _leave(running: dict[int, dict]) -> None:
    _kill(running)
    for pid in running:
        os.waitpid(pid, 0)
    _kill(os_limits.children())
    os._exit(0)


def _preload() -> None:
    """Load once, before any fork, what most jobs need; a broken file is the trouble of the jobs that use it."""
    from gpbench import catalog
    from gpbench.experiment.evaluation import evaluate  # noqa: F401
    from gpbench.experiment.results import provenance

    provenance.source()

    for kind in ("method", "kernel", "dataset"):
        with contextlib.suppress(Exception):
            catalog.available(kind)


@cache
def _load_compiled(method: str) -> None:
    """Once per method; a user's own file runs in its own process only, so it is passed over here."""
    from gpbench import catalog

    with contextlib.suppress(Exception):
        load_compiled(catalog.find("method", method))


def _obey(command: dict, running: dict[int, dict], events: int, lock: int, close) -> None:
    if "renew" in command:
        return
    if "kill" in command:
        _kill([pid for pid, known in running.items() if known["job"] == command["kill"]])
        return
    command["oom_kills"] = os_limits.oom_kills()
    _load_compiled(command["trials"][0]["method"])
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            signal.set_wakeup_fd(-1)
            for fd in close:
                os.close(fd)
            code = work(command, events, server, lock)
        finally:
            os._exit(code)
    running[pid] = command
    send(events, partial(_leave, running), event="start", job=command["job"], pid=pid)


def _kill(pids) -> None:
    for pid in pids:
        for kill in (os.killpg, os.kill):  # the group does not exist yet in the child's first instant
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)


def _ended() -> int | None:
    """A child that has ended and is not yet reaped, so that its pid is still its own; None when there is no such."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return ended.si_pid if ended else None


def _reap(running: dict[int, dict], events: int) -> None:
    """Report ended jobs; what a job started itself goes with it."""
    while running:
        if hasattr(os, "waitid"):
            if (pid := _ended()) is None:
                return
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)  # before the pid is free to be used again
            _, status, usage = os.wait4(pid, 0)
        else:  # macOS before Python 3.13: reaped first; its group keeps the number as long as it has members
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        if (command := running.pop(pid, None)) is not None:
            logs.keep_small(command)
            code = os.waitstatus_to_exitcode(status)
            oom = code == -signal.SIGKILL and os_limits.oom_kills() > command["oom_kills"]
            facts = {"job": command["job"], "code": code, "peak_mb": memory.peak_mb(usage), "oom": oom}
            send(events, partial(_leave, running), event="exit", **facts)
    _kill(os_limits.children())  # left behind by methods, and nobody is at work who could need it
