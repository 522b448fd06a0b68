"""Wall and CPU seconds of one piece of work."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Spent:
    wall: float = 0.0
    cpu: float = 0.0  # of all threads of this process

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.wall + other.wall, self.cpu + other.cpu)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.wall - other.wall, self.cpu - other.cpu)


def now() -> Spent:
    return Spent(time.perf_counter(), time.process_time())
