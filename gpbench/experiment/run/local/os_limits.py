"""What the operating system does for a process of ours: die with its parent, stay below a memory limit."""

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
    """SIGKILL for this process when its parent dies (Linux; elsewhere the closed pipe tells the fork server)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the call
        os._exit(1)


def outlive_parent() -> None:
    """The opposite: this process sees to its own end."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Processes that outlive their parent become children of this one (Linux), where they can be found and ended."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> list[int]:
    """Pids of this process's children, where the system tells (Linux)."""
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def standard_streams() -> None:
    """Something behind 0, 1 and 2, which a caller may have closed: else the next file opened would take their place."""
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
    """Allow this process so much more memory than the loaded libraries already take; beyond it, MemoryError.

    RLIMIT_DATA counts writable private memory, unlike RLIMIT_AS, which counts reserved address space as well.
    """
    if megabytes:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + int(megabytes * 2**20), hard))


def lift_memory() -> None:
    """Room to report what happened after a MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _data_bytes() -> int:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def oom_kills() -> int:
    """How often the kernel's out-of-memory killer has struck on this machine; it looks like any SIGKILL otherwise."""
    try:
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM)
_LEAST = {"RLIMIT_STACK": 512 * 2**10, "RLIMIT_AS": 2**30, "RLIMIT_DATA": 2**29}
_PER_THREAD = 80 * 2**20  # of OpenBLAS, which numpy and scipy have one each of
_TIGHT = {  # what a caller may have limited, in the words of the shell, and below which that is to blame
    "RLIMIT_AS": ("ulimit -v", 2**32), "RLIMIT_DATA": ("ulimit -d", 2**32), "RLIMIT_NOFILE": ("ulimit -n", 64),
    "RLIMIT_NPROC": ("ulimit -u", 64), "RLIMIT_STACK": ("ulimit -s", 2**20),
}  # fmt: skip


def _limited(name: str, least: int) -> bool:
    soft, _ = resource.getrlimit(getattr(resource, name))
    return soft != resource.RLIM_INFINITY and soft < least


def too_small() -> str:
    """A sentence where this process may take too little to load its libraries at all; else empty.

    Below these limits they die without a word, or OpenBLAS tries for ever to get its memory.
    """
    asked = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    threads = min(os.cpu_count() or 1, int(asked) if asked.isdecimal() else 64)
    more = {"RLIMIT_AS": threads * _PER_THREAD, "RLIMIT_DATA": threads * _PER_THREAD}
    names = [_TIGHT[name][0] for name, least in _LEAST.items() if _limited(name, least + more.get(name, 0))]
    fewer = " or set OPENBLAS_NUM_THREADS=1" if threads > 1 else ""
    return f"the limit of {' and '.join(names)} is too small for the libraries; raise it{fewer}" if names else ""


def blamed_for(error: BaseException) -> str:
    """The same where an error looks like such a limit and there is one, or like a disk's; else empty."""
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
