"""The log of a trial: what its method prints, cut to a fixed size.

A long log keeps its beginning and its end, because a traceback is at the end.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from gpbench.experiment.results.checked_files import open_plain

MOST = 10 * 2**20  # bytes of a log
HEAD = TAIL = 2**20  # bytes at each end that a longer log keeps


def create(path: Path) -> int:
    """Descriptor of an empty file to append to; a link in its place is refused."""
    return open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)


def keep_small(paths: Iterable[Path]) -> None:
    """Cut the middle out of every log above the limit; called again and again while a job runs, and once after it.

    The end is kept also while the job runs: its last output may be a traceback, before the server has seen its end.
    Output between reading the end and cutting the file is lost: a millisecond in ten megabytes.
    """
    for path in paths:
        with contextlib.suppress(OSError):
            if (size := path.lstat().st_size) > MOST:
                with open(path, "r+b") as f:
                    f.seek(size - TAIL)
                    tail = f.read()
                    f.seek(HEAD)
                    f.write(f"\n... {size - HEAD - TAIL} bytes are left out ...\n".encode() + tail)
                    f.truncate()
