"""Keeping the time of compiling out of the times of trials.

numba keeps compiled functions on disk and reads them at the first call, a tenth of a second for some; the fork server
does that once per method instead. This leans on numba's internals; where they differ, trials load for themselves.
What is still compiled during a trial, the first time on a machine, is counted by `seconds`; the clocks of stopwatch.py
stand still for so long.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import time
from functools import cache

from gpbench.recorder import Stopwatch


@cache
def _listener():
    from numba.core import event

    class Compiling(event.Listener):
        """Between the outermost starts and ends: compiling one function compiles those that it calls."""

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


def seconds() -> tuple[float, float]:
    """Wall and CPU seconds that numba spent on compiling and loading in this process since the first call."""
    with contextlib.suppress(ImportError, AttributeError):
        listener = _listener()
        return listener.wall.seconds, listener.cpu.seconds
    return 0.0, 0.0


def load_for(cls: type) -> None:
    """Read from disk what has been compiled for functions that this class's module uses, directly or through others."""
    with contextlib.suppress(ImportError):
        from numba.core.registry import CPUDispatcher

        for name in sorted(_modules_of(cls.__module__)):
            for function in list(vars(sys.modules[name]).values()):
                if isinstance(function, CPUDispatcher) and function.__module__ == name and not function.overloads:
                    _load(function)


def _modules_of(start: str) -> set[str]:
    """Modules of gpbench that are reached from this one by what they import."""
    found, pending_trials = set(), [start]
    while pending_trials:
        name = pending_trials.pop()
        if name in found or name not in sys.modules:
            continue
        found.add(name)
        for value in vars(sys.modules[name]).values():
            home = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
            if isinstance(home, str) and home.startswith("gpbench."):
                pending_trials.append(home)
    return found


def _load(function) -> None:
    with contextlib.suppress(Exception):  # another numba may keep its cache differently
        for key in function._cache._cache_file._load_index():
            function.compile(key[0])
