"""Parts of the rows of one model on Dask's workers (gp/inference/parts.py): the sums come back in the order of the parts.

Workers read the rows themselves, from the same path as here: on many machines a shared folder, or a copy on each. Parts
are told to the workers once; what an evaluation needs beside them (theta, Z, m x m matrices) once per round.
"""

from __future__ import annotations

from gpbench.errors import DataError
from gpbench.gp.inference import parts

from .connect import client_of


class Crew:
    """A `Map` of gp/inference/parts.py."""

    def __init__(self, address: str):
        self.client = client_of(address, "gpbench-rows")
        self._told: tuple = (None, [])

    def __call__(self, function, pieces, shared) -> list[parts.Sums]:
        if self._told[0] is not pieces:
            self._told = pieces, [self.client.scatter(p, hash=False) for p in pieces]
        everybody = self.client.scatter(shared, broadcast=True, hash=False)
        futures = [self.client.submit(_apply, function, p, everybody, pure=False) for p in self._told[1]]
        try:
            return self.client.gather(futures)
        except OSError as e:
            raise DataError(f"a worker could not read its rows ({e}); they must lie at the same path there") from e

    def close(self) -> None:
        self.client.close()


def _apply(function, part, shared) -> parts.Sums:
    return function(part, *shared)
