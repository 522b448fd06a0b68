"""The other side of `pool.py`: a fork server that has the libraries loaded, and one forked process per job.

Forking costs milliseconds where a fresh interpreter would need a second, and every trial still has a process of its
own: whatever happens to it happens to nobody else. The server holds no results and does no numerical work.

Commands arrive as JSON lines; events leave through a pipe, each in one write below PIPE_BUF, which the kernel keeps
whole although several processes write. When the commands end (the main process is gone), every job is killed.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import random
import selectors
import signal
import sys
import traceback
from pathlib import Path

from . import limits

STORAGE_EXIT = 77  # of a job that could not write; the run must stop
_TEXT = 400  # characters of a message in an event; escaped they stay below PIPE_BUF


def send(fd: int, **event) -> None:
    os.write(fd, (json.dumps(event) + "\n").encode())


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
                if key.fileobj is wake_read or key.fd == wake_read:
                    os.read(wake_read, 4096)
                    continue
                chunk = os.read(commands, 1 << 16)
                if not chunk:
                    _kill(running)
                    return
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    _obey(json.loads(line), running, events, close=(commands, wake_read, wake_write))
            _reap(running, events)


def _preload() -> None:
    """Load once, before any fork, what most jobs need; a broken file is the trouble of the jobs that use it."""
    from gpbench import catalog

    from . import evaluate  # noqa: F401

    for kind in ("method", "kernel", "dataset"):
        with contextlib.suppress(Exception):
            catalog.available(kind)


def _obey(command: dict, running: dict[int, int], events: int, close) -> None:
    if "kill" in command:
        _kill({pid: job for pid, job in running.items() if job == command["kill"]})
        return
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            signal.set_wakeup_fd(-1)
            for fd in close:
                os.close(fd)
            code = _child(command, events, server)
        finally:
            os._exit(code)
    running[pid] = command["job"]
    send(events, event="start", job=command["job"], pid=pid)


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
            send(events, event="exit", job=job, code=code, peak_mb=limits.peak_mb(usage))


# -- in the job's process -----------------------------------------------------------------------------------------


def _child(job: dict, events: int, server: int) -> int:
    os.setsid()
    limits.die_with_parent(server)
    for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(name, signal.SIG_DFL)
    gc.unfreeze()
    log = _Log(Path(job["folder"]) / "logs")
    try:
        log.open(job["log"])
        limits.limit_memory(job["memory"])
        _work(job, events, log)
        log.close()
        return 0
    except _Storage as e:
        send(events, event="storage", job=job["job"], message=str(e)[:_TEXT])
        return STORAGE_EXIT


class _Storage(Exception):
    pass


class _Log:
    """Standard output and error of the process, kept in the log of the trial at hand; empty logs are removed."""

    def __init__(self, folder: Path):
        self.folder, self.path = folder, None

    def open(self, name: str) -> None:
        from .storage import storing

        self.close()
        self.path = self.folder / f"{name}.log"
        with _storage_trouble(), storing(self.path):
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        os.close(fd)
        faulthandler.enable(file=2)  # a segmentation fault leaves its Python stack here

    def close(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        if self.path is not None:
            with contextlib.suppress(OSError):
                if self.path.stat().st_size == 0:
                    self.path.unlink()


@contextlib.contextmanager
def _storage_trouble():
    """Storage errors, and a full disk met anywhere else, end the run instead of marking the trial."""
    from gpbench.errors import StorageError

    from .storage import FULL

    try:
        yield
    except StorageError as e:
        raise _Storage(str(e)) from e
    except OSError as e:
        if e.errno in FULL:
            raise _Storage(f"{e.strerror}; free some space, then run the same command") from e
        raise


def _work(job: dict, events: int, log: _Log) -> None:
    import numpy as np

    from gpbench import catalog

    from . import evaluate
    from .problem import shared_fit
    from .records import Trial
    from .storage import read_json, write_json
    from .store import Store

    store, trials = Store(job["folder"]), [Trial(**t) for t in job["trials"]]
    remaining = {t.id: t for t in trials}

    def finish(result, predictions=None):
        result.env = job["env"]
        with _storage_trouble():
            store.save(result, predictions if job["save_predictions"] else None)
        del remaining[result.trial.id]
        send(events, event="result", job=job["job"], trial=result.trial.id)

    # libraries that draw from the global streams are repeatable too; gpbench itself never uses them
    np.random.seed(int(trials[0].path_key[:8], 16))
    random.seed(trials[0].path_key)
    try:
        with _storage_trouble():
            for plugin in job["plugins"]:
                catalog.load_plugin(plugin)
            if job["shared"]:
                write_json(store.shared_path(job["shared"]), shared_fit(trials[0]))
                return
            shared = read_json(store.shared_path(job["needs"])) if job["needs"] else None
            for result, predictions in evaluate.results(trials, shared, begin=lambda t: log.open(t.id)):
                finish(result, predictions)
    except _Storage:
        raise
    except BaseException as e:  # SystemExit and KeyboardInterrupt of a method are its failures too
        limits.lift_memory()
        traceback.print_exc()
        error = type(e).__name__
        if job["shared"]:
            reason = f"{evaluate.status_of(e)}: {evaluate.reason_of(e)}"
            send(events, event="shared-failed", job=job["job"], reason=reason[:_TEXT], error=error)
            return
        send(events, event="error", job=job["job"], error=error)
        for trial in list(remaining.values()):
            finish(evaluate.failure(trial, e))


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
