"""One run per results folder. The kernel holds the lock, so it is released when its holder dies.

Worker processes inherit the lock: after `kill -9` of the main process a new run waits until they have ended, so two
runs never write at the same time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from pathlib import Path

from gpbench.errors import FolderInUse

from .checked_files import open_plain, storing

NAME = ".lock"
GRACE = 8.0  # seconds in which workers of a dead run have to end


class Lock:
    def __init__(self, folder: Path):
        self.path = folder / NAME
        self.fd: int | None = None

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self) -> None:
        give_up = time.monotonic() + GRACE
        while not self._try():
            pid, host = holder(self.path.parent) or (None, "?")
            dying = pid is None or (host == socket.gethostname() and not alive(pid))
            if not dying or time.monotonic() > give_up:
                who = f"process {pid or '?'} on {host}"
                if dying and (left := holders(self.path)):
                    who = f"process {', '.join(map(str, left))}, left behind by a run that has ended"
                raise FolderInUse(
                    f"{self.path.parent} is in use by {who}; wait for it, stop it, or give another folder with --output"
                )
            time.sleep(0.05)

    def _try(self) -> bool:
        fd = open_plain(self.path, os.O_RDWR | os.O_CREAT)
        if not self._locked(fd):
            os.close(fd)
            return False
        with storing(self.path):
            os.ftruncate(fd, 0)
            os.pwrite(fd, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode(), 0)
        self.fd = fd
        return True

    def _locked(self, fd: int) -> bool:
        with storing(self.path):  # some network file systems have no locks
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return os.stat(self.path).st_ino == os.fstat(fd).st_ino
            except (BlockingIOError, FileNotFoundError):  # held, or just removed by its holder
                return False

    def release(self) -> None:
        if self.fd is not None:
            with contextlib.suppress(OSError):  # in a folder that has become read-only an unlocked file stays
                self.path.unlink(missing_ok=True)
            os.close(self.fd)
            self.fd = None


def holder(folder: Path) -> tuple[int, str] | None:
    """(pid, host) of the run that holds the folder, or held it when it was killed."""
    try:
        content = json.loads((folder / NAME).read_bytes())
        return int(content["pid"]), str(content["host"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def holders(path: Path) -> list[int]:
    """Processes of this machine that have the lock open, as far as this user may see them (Linux)."""
    found = set()
    for fd in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(fd), os.stat(path)):
                found.add(int(fd.parts[2]))
    return sorted(found - {os.getpid()})


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:  # a zombie counts as ended
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return True
