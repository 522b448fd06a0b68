"""A time by which a fit should end. The runner sets none: its budgets are counted in evaluations and epochs.

Loops ask between steps and then keep what they have. A step that has begun is finished, so a loop whose steps are long
plans the next one before it starts it: a `Cost` measures the steps that were done, and `Cost.fits` compares the
expected seconds of the next one with the time that is left. Without a limit every step fits.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_end: ContextVar[float] = ContextVar("end", default=float("inf"))
_cuts: ContextVar[list[str] | None] = ContextVar("cuts", default=None)


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


def limited() -> bool:
    """Whether there is an end at all."""
    return _end.get() < float("inf")


def left() -> float:
    """Seconds until the end; infinity without one, zero after it."""
    return max(0.0, _end.get() - time.monotonic())


def affords(seconds: float) -> bool:
    """Whether a step of so many seconds would end in time."""
    return seconds <= left()


@contextmanager
def share(part: float) -> Iterator[None]:
    """What runs inside ends when this part of the time that is left is over; without a limit it has none."""
    with within(part * left()):
        yield


@contextmanager
def cuts() -> Iterator[list[str]]:
    """A list of what the code inside leaves out for lack of time; each sentence once, in order."""
    found: list[str] = []
    token = _cuts.set(found)
    try:
        yield found
    finally:
        _cuts.reset(token)


def cut(sentence: str) -> None:
    """Tell that a step is left out or shortened because the time does not suffice."""
    found = _cuts.get()
    if found is not None and sentence not in found:
        found.append(sentence)


@dataclass
class Cost:
    """Seconds of one kind of step, from the latest one: they grow in proportion to its `work`.

    `work` is what the caller counts, for example n m^2; only ratios of it matter.
    """

    rate: float | None = None  # seconds per unit of work; None before the first step

    @contextmanager
    def of(self, work: float = 1.0) -> Iterator[None]:
        """Around a step: its seconds are kept."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.rate = (time.perf_counter() - begin) / max(work, 1e-300)

    def seconds(self, work: float = 1.0) -> float:
        """Expected of a step; zero before one was measured."""
        return (self.rate or 0.0) * work

    def fits(self, work: float = 1.0) -> bool:
        """Whether a step of so much work may start: the time is not over, and its expected seconds are left."""
        return not passed() and affords(self.seconds(work))
