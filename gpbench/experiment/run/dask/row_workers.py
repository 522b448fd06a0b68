"""Dask's workers for the rows of one model: those of a scheduler that is there, or of this machine for one run."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass


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
        from .connect import local_cluster

        cluster = local_cluster(jobs)
        return cls(cluster.scheduler_address, cluster)

    def close(self) -> None:
        if self.local is not None:
            with contextlib.suppress(Exception):
                self.local.close(timeout=5)
