"""Thread pools of BLAS and numba, for fits outside the runner (whose processes start with theirs pinned).

numpy and scipy bring an OpenBLAS each; left alone, their pools fight for the same cores: one fit took 112 s instead of
8.6 s on a busy machine. One thread also gives the runner's numbers: more of them change the last bits.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import scipy.linalg  # noqa: F401  only pools of libraries that are loaded are found
from threadpoolctl import ThreadpoolController

# Looked for once, at import: the search calls Python while it holds the lock of the dynamic loader, so it can wait for
# ever for another thread that imports a compiled module.
_POOLS = ThreadpoolController()
_OPENMP = _POOLS.select(user_api="openmp")


class _SharedLimit:
    """One BLAS thread as long as any Python thread asks for it.

    The size of a BLAS pool belongs to the process. If each fit restored the size that it had found, the end of one fit
    would give the pool its threads back in the middle of another, whose sums are then rounded in another way.
    """

    def __init__(self, pools: ThreadpoolController):
        self._pools, self._lock, self._inside = pools, threading.Lock(), 0
        self._limits: Any = None  # of threadpoolctl, while fits run

    def begin(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limits = self._pools.limit(limits=1)
            self._inside += 1

    def end(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()


_BLAS = _SharedLimit(_POOLS.select(user_api="blas"))


@contextmanager
def limited() -> Iterator[None]:
    """One thread each. The limits of numba and OpenMP belong to the calling thread, that of BLAS to the process."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with _OPENMP.limit(limits=1):
            _BLAS.begin()
            try:
                yield
            finally:
                _BLAS.end()
    finally:
        numba.set_num_threads(before)
