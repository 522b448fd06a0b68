"""Limits and services of the operating system for a process: end with its parent, stay below a memory limit."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when its parent dies (Linux; elsewhere the fork server sees the closed pipe)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent died before the call
        os._exit(1)


def outlive_parent() -> None:
    """Undo `die_with_parent`."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Make this process the parent of orphans among its descendants (Linux), so that it can find and end them."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> list[int]:
    """Pids of this process's children (Linux; elsewhere none)."""
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def standard_streams() -> None:
    """Open the descriptors 0, 1 and 2 that a caller has closed: the next file opened would take their place."""
    for fd, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
        if getattr(sys, name) is None:
            stream = open(fd, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def no_core_dump() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(megabytes: float | None) -> None:
    """Allow this process that many megabytes more than the loaded libraries take; beyond it, MemoryError.

    RLIMIT_DATA counts writable private memory, unlike RLIMIT_AS, which counts reserved address space as well.
    """
    if megabytes:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        loaded = 1024 * _number_in("/proc/self/status", "VmData:")
        resource.setrlimit(resource.RLIMIT_DATA, (loaded + int(megabytes * 2**20), hard))


def lift_memory() -> None:
    """Lift the limit after a MemoryError, so that it can be reported."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


class CpuLimitReached(BaseException):
    """The process has used nearly all the CPU time that the system allows it."""


def notice_cpu_limit() -> None:
    """Raise CpuLimitReached shortly before a limit of CPU time (`ulimit -t`), at which the kernel kills the process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if soft == resource.RLIM_INFINITY:
        return

    def reached(_number: int, _frame: object) -> None:
        raise CpuLimitReached

    signal.signal(signal.SIGXCPU, reached)
    resource.setrlimit(resource.RLIMIT_CPU, (max(1, soft - min(5, soft // 2)), hard))


CPU_LIMIT = "the limit of CPU time (ulimit -t) is reached; raise it and run the same command: finished trials are kept"


def oom_kills() -> int:
    """Number of processes on this machine that the kernel killed for lack of memory; the signal alone is SIGKILL."""
    return _number_in("/proc/vmstat", "oom_kill ")


def _number_in(file: str, name: str) -> int:
    """The number after a name at the beginning of a line; 0 if the system has no such file or line."""
    with contextlib.suppress(OSError):
        for line in Path(file).read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1])
    return 0


_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM)
_LEAST = {"RLIMIT_CPU": 2, "RLIMIT_STACK": 512 * 2**10, "RLIMIT_AS": 2**30, "RLIMIT_DATA": 2**29}
_PER_THREAD = 80 * 2**20  # bytes of OpenBLAS per thread; numpy and scipy have a copy each
_TIGHT = {  # resource -> (command of the shell that limits it, limit below which an error is blamed on it)
    "RLIMIT_AS": ("ulimit -v", 2**32), "RLIMIT_DATA": ("ulimit -d", 2**32), "RLIMIT_NOFILE": ("ulimit -n", 64),
    "RLIMIT_NPROC": ("ulimit -u", 64), "RLIMIT_STACK": ("ulimit -s", 2**20), "RLIMIT_CPU": ("ulimit -t", 2),
}  # fmt: skip


def _limited(name: str, least: int) -> bool:
    soft, _ = resource.getrlimit(getattr(resource, name))
    return soft != resource.RLIM_INFINITY and soft < least


def too_small() -> str:
    """A sentence if the limits of this process are too small to load its libraries; else empty.

    Below these limits the libraries end the process without a message, or OpenBLAS asks for memory for ever.
    """
    asked = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    threads = min(os.cpu_count() or 1, int(asked) if asked.isdecimal() else 64)
    more = {"RLIMIT_AS": threads * _PER_THREAD, "RLIMIT_DATA": threads * _PER_THREAD}
    names = [_TIGHT[name][0] for name, least in _LEAST.items() if _limited(name, least + more.get(name, 0))]
    fewer = " or set OPENBLAS_NUM_THREADS=1" if threads > 1 else ""
    return f"the limit of {' and '.join(names)} is too small for the libraries; raise it{fewer}" if names else ""


def blamed_for(error: BaseException) -> str:
    """A sentence if a limit of this process, or its disk, explains the error; else empty."""
    if isinstance(error, OSError) and error.errno in _DISK:
        return f"cannot write {error.filename or ''}: {error.strerror}; finished trials are kept".replace(" :", ":")
    if "no locator available" in str(error):
        return "no folder can be written for compiled code; set NUMBA_CACHE_DIR or TMPDIR to one that can"
    if not isinstance(error, (MemoryError, OSError, ImportError, RuntimeError)) and "out of memory" not in str(error):
        return ""
    names = [words for name, (words, least) in _TIGHT.items() if _limited(name, least)]
    if isinstance(error, MemoryError) and not names:
        return "out of memory outside of the trials; the results so far are kept"
    return f"the limit of {' and '.join(names)} is too small here ({type(error).__name__}); raise it" if names else ""
