"""Sums over blocks of the rows of one model, computed on Dask workers; they come back in the order of the blocks.

The workers read the rows from the same path as this machine: a shared folder, or a copy on each machine. A block is
sent once; what one evaluation needs besides (theta, Z, m x m matrices) is sent once per evaluation.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from gpbench.errors import DataError
from gpbench.gp.inference import parts

from .connect import client_of, local_cluster


@dataclass
class RowWorkers:
    address: str
    local: object = None  # a cluster of our own

    @classmethod
    def find(cls, where: str, jobs: int) -> RowWorkers | None:
        """None when rows are done by the trial's own process."""
        if where == "local":
            return None
        if where != "dask":
            return cls(where)
        cluster = local_cluster(jobs)
        return cls(cluster.scheduler_address, cluster)

    def close(self) -> None:
        if self.local is not None:
            with contextlib.suppress(Exception):
                self.local.close(timeout=5)


class RowMap:
    """A `Map` of gp/inference/parts.py."""

    def __init__(self, address: str):
        self.client = client_of(address, "gpbench-rows")
        self._told: tuple = (None, [])

    def __call__(self, function, pieces, shared) -> list[parts.Sums]:
        if self._told[0] is not pieces:
            self._told = pieces, [self.client.scatter(p, hash=False) for p in pieces]
        sent = self.client.scatter(shared, broadcast=True, hash=False)
        futures = [self.client.submit(_apply, function, p, sent, pure=False) for p in self._told[1]]
        try:
            return self.client.gather(futures)
        except OSError as e:
            raise DataError(f"a worker could not read its rows ({e}); they must lie at the same path there") from e

    def close(self) -> None:
        self.client.close()


def _apply(function, part, shared) -> parts.Sums:
    return function(part, *shared)
