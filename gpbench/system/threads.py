"""Thread pools of BLAS and numba, for fits outside the runner (whose processes start with theirs pinned).

numpy and scipy bring an OpenBLAS each; left alone, their pools fight for the same cores: one fit took 112 s instead of
8.6 s on a busy machine. One thread also gives the runner's numbers: more of them change the last bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def limited() -> Iterator[None]:
    """One thread each."""
    import numba
    import scipy.linalg  # noqa: F401  only pools of libraries that are loaded can be limited
    from threadpoolctl import threadpool_limits

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        numba.set_num_threads(before)
