"""Memory: of the machine, the peak of a process, and whether n x n matrices fit."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_counts: ContextVar[bool] = ContextVar("counts", default=False)


def memory_bytes() -> float:
    """Physical memory in bytes, or infinity if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return float("inf")


def too_large(name: str, n: int, matrices: int = 1) -> str:
    """Why a method that keeps so many n x n matrices cannot run on this machine; empty if it can."""
    there, needed = memory_bytes(), matrices * 8 * n**2
    if needed <= there:
        return ""
    return (
        f"{name} keeps {n} x {n} matrices, {needed / 1e9:.0f} GB of them; this machine has "
        f"{there / 1e9:.0f} GB: take a sparse method (docs/how-to/choosing.md), or fewer rows"
    )


@contextmanager
def counts() -> Iterator[None]:
    """What is chosen inside may depend on this machine's memory. In a trial it may not: ids are the same everywhere."""
    token = _counts.set(True)
    try:
        yield
    finally:
        _counts.reset(token)


def holds(n: int, matrices: int = 1) -> bool:
    """Whether so many n x n matrices fit into this machine; always, where memory does not count."""
    return not (_counts.get() and too_large("", n, matrices))


def peak_mb(usage=None) -> float:
    """Peak resident memory, of this process unless another's resource usage is given."""
    usage = usage or resource.getrusage(resource.RUSAGE_SELF)
    return round(usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10), 1)
