"""The clocks of the runner: wall and CPU seconds of work, without what numba spends on compiling, once per machine."""

from __future__ import annotations

import time
from dataclasses import dataclass

from . import compiling


@dataclass(frozen=True)
class Elapsed:
    wall: float = 0.0
    cpu: float = 0.0  # of all threads of this process

    def __add__(self, other: Elapsed) -> Elapsed:
        return Elapsed(self.wall + other.wall, self.cpu + other.cpu)

    def __sub__(self, other: Elapsed) -> Elapsed:
        return Elapsed(self.wall - other.wall, self.cpu - other.cpu)


def now() -> Elapsed:
    wall, cpu = compiling.seconds()
    return Elapsed(time.perf_counter() - wall, time.process_time() - cpu)


def wall() -> float:
    """For recorders: parts of a fit are told by the clock of the whole, so none is longer than it (0.6 us)."""
    return time.perf_counter() - compiling.seconds()[0]
