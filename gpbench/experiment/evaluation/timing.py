"""Wall and CPU seconds of work, without the time that numba spends on compiling (once per machine).

numba keeps compiled functions on disk and reads them at the first call, a tenth of a second for some. The fork server
reads them once per method instead (`load_compiled`). This uses numba's internals; where they differ, each trial loads
its own. `compile_seconds` counts what is still compiled during a trial, and the clocks here leave that time out.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import time
from dataclasses import dataclass
from functools import cache

from gpbench.recorder import Stopwatch


@dataclass(frozen=True)
class Elapsed:
    wall: float = 0.0
    cpu: float = 0.0  # of all threads of this process

    def __add__(self, other: Elapsed) -> Elapsed:
        return Elapsed(self.wall + other.wall, self.cpu + other.cpu)

    def __sub__(self, other: Elapsed) -> Elapsed:
        return Elapsed(self.wall - other.wall, self.cpu - other.cpu)


def now() -> Elapsed:
    wall, cpu = compile_seconds()
    return Elapsed(time.perf_counter() - wall, time.process_time() - cpu)


def wall() -> float:
    """Wall seconds for recorders: the same clock as for the whole fit, so no part is longer than the fit (0.6 us)."""
    return time.perf_counter() - compile_seconds()[0]


@cache
def _listener():
    from numba.core import event

    class Compiling(event.Listener):
        """Counts time between the outermost start and end: compiling a function compiles the functions it calls."""

        def __init__(self):
            self.wall, self.cpu, self._depth = Stopwatch(time.perf_counter), Stopwatch(time.process_time), 0

        def on_start(self, event):
            if self._depth == 0:
                self.wall.start()
                self.cpu.start()
            self._depth += 1

        def on_end(self, event):
            self._depth -= 1
            if self._depth == 0:
                self.wall.stop()
                self.cpu.stop()

    listener = Compiling()
    event.register("numba:compile", listener)
    return listener


def compile_seconds() -> tuple[float, float]:
    """Wall and CPU seconds that numba spent on compiling and loading in this process since the first call."""
    with contextlib.suppress(ImportError, AttributeError):
        listener = _listener()
        return listener.wall.seconds, listener.cpu.seconds
    return 0.0, 0.0


def load_compiled(cls: type) -> None:
    """Read compiled code from disk for all functions that this class's module uses, directly or indirectly."""
    with contextlib.suppress(ImportError):
        from numba.core.registry import CPUDispatcher

        for name in sorted(_modules_of(cls.__module__)):
            for function in list(vars(sys.modules[name]).values()):
                if isinstance(function, CPUDispatcher) and function.__module__ == name and not function.overloads:
                    _load(function)


def _modules_of(start: str) -> set[str]:
    """Modules of gpbench that this one imports, directly or indirectly."""
    found, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name in found or name not in sys.modules:
            continue
        found.add(name)
        for value in vars(sys.modules[name]).values():
            home = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
            if isinstance(home, str) and home.startswith("gpbench."):
                waiting.append(home)
    return found


def _load(function) -> None:
    with contextlib.suppress(Exception):  # another numba may keep its cache differently
        for key in function._cache._cache_file._load_index():
            function.compile(key[0])
