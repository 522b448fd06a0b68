"""What a fit tells of itself besides its model: seconds by part, kernel rows, a trace, notes, models along the way.

Methods compute and hand their figures over here; the runner says by which clock, and may watch for more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Clock = Callable[[], float]


class Stopwatch:
    """Seconds from `start` to `stop`, or inside `with` blocks, added up; while it runs, until now."""

    def __init__(self, clock: Clock = time.perf_counter):
        self._clock, self._spent, self._begin = clock, 0.0, None

    def start(self) -> Stopwatch:
        self._begin = self._clock()
        return self

    def stop(self) -> None:
        self._spent, self._begin = self.seconds, None

    def __enter__(self) -> Stopwatch:
        return self.start()

    def __exit__(self, *trouble) -> None:
        self.stop()

    @property
    def seconds(self) -> float:
        return self._spent if self._begin is None else self._spent + self._clock() - self._begin


class Meter:
    """What a candidate costs, fresh and retained ones apart, on the average of each `window` steps."""

    window = 25

    def __init__(self, clock: Clock):
        self._clock, self._begin = clock, clock()
        self._spent, self._count = Counter(), Counter()

    def begin(self) -> None:
        self._begin = self._clock()

    def end(self, count: int, cached: bool) -> None:
        """Add the number of candidates that were scored since `begin`; 0 if they are counted elsewhere."""
        for key in ("seconds_per_candidate", f"seconds_per_{'cached' if cached else 'fresh'}_candidate"):
            self._spent[key] += self._clock() - self._begin
            self._count[key] += count

    def read(self, step: int) -> dict[str, float]:
        """Keys of the trace at the end of a window, else nothing."""
        if step % self.window:
            return {}
        found = {key: self._spent[key] / count for key, count in self._count.items() if count}
        self._spent, self._count = Counter(), Counter()
        return found


class Recorder:
    """Times, counts, trace and notes of one fit: `problem.recorder()` makes it, `recorder.told()` goes to `Fitted`."""

    def __init__(self, clock: Clock = time.perf_counter, watch: Callable[[Mapping[str, Any]], dict] | None = None):
        self.clock, self.watch = clock, watch
        self.trace: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.models: list[tuple[dict, Callable]] = []
        self.shown: dict[str, Any] = {}
        self.kernel_rows: int | None = None
        self._parts: dict[str, Stopwatch] = {}

    def time(self, part: str) -> Stopwatch:
        """`with recorder.time("select"):` what is done inside counts as that part of the fit ("select", "adapt")."""
        return self._parts.setdefault(part, self.stopwatch())

    def stopwatch(self) -> Stopwatch:
        """By the same clock, for a figure of the trace."""
        return Stopwatch(self.clock)

    def meter(self) -> Meter:
        return Meter(self.clock)

    def laps(self, items: Iterable) -> Iterator[tuple[Any, float]]:
        """Each item with the seconds that it took to come."""
        begin = self.clock()
        for item in items:
            yield item, self.clock() - begin
            begin = self.clock()

    @property
    def seconds(self) -> dict[str, float]:
        return {part: watch.seconds for part, watch in self._parts.items()}

    def row(self, numbers: Mapping[str, Any], **seen) -> None:
        """One row of the trace; `seen` are objects in which the runner may look for more numbers of it."""
        more = self.watch(seen) if self.watch is not None and seen else {}
        self.trace.append({**numbers, **more})

    def also(self, numbers: Mapping[str, Any]) -> None:
        """More numbers for the last row."""
        if not self.trace:
            self.trace.append({})
        self.trace[-1] |= numbers

    def rows(self, trace: Iterable[Mapping[str, Any]]) -> None:
        for numbers in trace:
            self.row(numbers)

    def evaluated(self, rows: int) -> None:
        """Add to the number of evaluated rows of the kernel matrix."""
        self.kernel_rows = (self.kernel_rows or 0) + int(rows)

    def note(self, *texts: str) -> None:
        self.notes += texts

    def model(self, at: Mapping[str, Any], predict: Callable) -> None:
        """A model along the way, to be scored in the row of the trace that has these numbers."""
        self.models.append((dict(at), predict))

    def show(self, **objects) -> None:
        """Objects that probes read when the fit is done, such as the initial inducing inputs."""
        self.shown |= objects

    def told(self, *notes: str) -> dict[str, Any]:
        """Until now, as fields of `Fitted`, with notes on this one model; what comes later changes none of it."""
        return {
            "seconds": self.seconds, "kernel_rows": self.kernel_rows, "trace": [dict(row) for row in self.trace],
            "notes": (*self.notes, *notes), "models": tuple(self.models),
            "shown": dict(self.shown),
        }  # fmt: skip
