"""Standard output: all of a text or an error that names it, also where Python does not buffer it (PYTHONUNBUFFERED)."""

from __future__ import annotations

import contextlib
import io
import os
import sys


class _Descriptor(io.FileIO):
    """Errors of writing carry its name, as those of a file do."""

    def write(self, content):
        try:
            return super().write(content)
        except OSError as e:
            e.filename = "standard output"
            raise


def replace() -> None:
    """Put a buffer between sys.stdout and its descriptor; an output that is no descriptor of ours stays as it is.

    Without a buffer Python takes a write of which a pipe accepted a part for a whole one: the rest would be lost, and
    that the reader has gone would never be told.
    """
    old = sys.stdout
    if not isinstance(old, io.TextIOWrapper) or not isinstance(getattr(old.buffer, "raw", old.buffer), io.FileIO):
        return
    old.flush()
    descriptor = _Descriptor(old.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(descriptor), old.encoding, old.errors, line_buffering=descriptor.isatty(), write_through=True
    )


def settle() -> None:
    """Flush sys.stdout, and drop what cannot be written: otherwise the interpreter ends with its own exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
