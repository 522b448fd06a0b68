"""The log of a trial: what its method prints, kept small however much that is.

Of a long log the beginning and the end stay, because that is where a traceback is.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from gpbench.experiment.results.checked_files import open_plain

MOST = 10 * 2**20  # bytes of a log
HEAD = TAIL = 2**20  # of a longer one, what is kept of both ends


def create(path: Path) -> int:
    """A file to append to, empty; never through a link that somebody put in its place."""
    return open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)


def paths(command: dict) -> list[Path]:
    """Logs that a job may write to."""
    return [Path(command["folder"]) / "logs" / f"{name}.log" for name in dict.fromkeys(command["logs"])]


def keep_small(command: dict) -> None:
    """To be called again and again while the job is at work, and once when it is gone: of a long log both ends stay.

    The end, too, while it is at work: the job may have printed its last, a traceback, and not be known to be gone.
    What is printed between reading the end and cutting the file is lost: a millisecond of ten megabytes.
    """
    for path in paths(command):
        size = _size(path)
        if size <= MOST:
            continue
        with contextlib.suppress(OSError), open(path, "r+b") as f:
            f.seek(size - TAIL)
            tail = f.read()
            f.seek(HEAD)
            f.write(f"\n... {size - HEAD - TAIL} bytes are left out ...\n".encode() + tail)
            f.truncate()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
