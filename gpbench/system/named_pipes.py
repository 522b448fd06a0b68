"""Refuse a named pipe in place of a file: reading it waits until another program writes, which may be forever."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def refuse(path: str | Path) -> None:
    """OSError for a named pipe or a socket; a pipe of the shell, such as /dev/stdin, has a writer and is none."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return  # the caller's own attempt to open it says why
    if (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and os.path.exists(os.path.realpath(path)):
        raise OSError(errno.EINVAL, "a named pipe or socket, not a file: write its content to a file first", str(path))
