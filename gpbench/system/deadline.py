"""A time by which a fit should end. The runner sets none: its budgets are counted in evaluations and epochs.

Loops ask `passed` between steps and then keep what they have, so a step that has begun is finished.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_end: ContextVar[float] = ContextVar("end", default=float("inf"))


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """What runs inside ends soon after so many seconds; an earlier end set outside stays."""
    end = _end.get() if seconds is None else min(_end.get(), time.monotonic() + seconds)
    token = _end.set(end)
    try:
        yield
    finally:
        _end.reset(token)


def passed() -> bool:
    return time.monotonic() >= _end.get()
