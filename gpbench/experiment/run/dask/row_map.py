"""Sums over blocks of the rows of one model, computed on Dask workers; they come back in the order of the blocks.

The workers read the rows from the same path as this machine: a shared folder, or a copy on each machine. A block is
sent once; the other arguments of an evaluation (theta, Z, m x m matrices) are sent once per evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpbench.errors import DataError
from gpbench.gp.inference import parts

from .connect import client_of


class RowMap:
    """A `Map` of gp/inference/parts.py on the workers of a Dask scheduler."""

    def __init__(self, address: str):
        self.client = client_of(address, "gpbench-rows")
        self._sent: tuple[object, list[Any]] = (None, [])  # the blocks that the workers have, and their futures

    def __call__(
        self, function: Callable[..., parts.Sums], pieces: Sequence[Any], shared: tuple[Any, ...]
    ) -> list[parts.Sums]:
        if self._sent[0] is not pieces:
            self._sent = pieces, [self.client.scatter(p, hash=False) for p in pieces]
        arguments = self.client.scatter(shared, broadcast=True, hash=False)
        futures = [self.client.submit(_apply, function, p, arguments, pure=False) for p in self._sent[1]]
        try:
            sums: list[parts.Sums] = self.client.gather(futures)
        except OSError as e:
            raise DataError(f"a worker could not read its rows ({e}); they must lie at the same path there") from e
        return sums

    def close(self) -> None:
        self.client.close()


def _apply(function: Callable[..., parts.Sums], part: Any, shared: tuple[Any, ...]) -> parts.Sums:
    return function(part, *shared)
