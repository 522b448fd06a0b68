"""Seconds of a computation in units of one dgemm, both timed in turns in the same process.

Seconds belong to a machine and to what else runs on it; the ratio to a matrix product of the same size carries over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Case:
    """One thing to time: `run`, beside the product (rows x inner)(inner x cols), or the function, of `unit`."""

    name: str
    run: Callable[[], object]
    unit: tuple[int, int, int] | Callable[[], object]
    work: float | None = None  # floating point operations that cannot be avoided, in units of the product
    long: bool = False  # once is enough
    parts: int = 1  # the product is timed on this part of `inner` only, where its arrays would be too large


@dataclass(frozen=True)
class Timing:
    name: str
    seconds: float
    unit: float  # seconds of one product
    least: float  # ratio of the shortest run to the shortest product: what a busy machine disturbs least
    work: float | None

    @property
    def ratio(self) -> float:
        return self.seconds / self.unit


def measure(case: Case, repeats: int = 5, clock: Callable[[], float] = time.perf_counter) -> Timing:
    """Medians of `repeats` runs, after a first one if that is short.

    Product and computation alternate, so both see the same load.
    """
    product = case.unit if callable(case.unit) else _product(case)
    pairs = [(_seconds(product, clock), _seconds(case.run, clock)) for _ in range(repeats + (not case.long))]
    pairs = np.array(pairs[-repeats:])
    pairs[:, 0] *= case.parts
    unit, seconds = np.median(pairs, axis=0).tolist()
    shortest_unit, shortest = pairs.min(axis=0).tolist()
    return Timing(case.name, seconds, unit, shortest / shortest_unit, case.work)


def _product(case: Case) -> Callable[[], object]:
    rows, inner, cols = case.unit
    rng, part = np.random.default_rng(0), inner // case.parts
    A, B = rng.random((rows, part)), rng.random((part, cols))
    return lambda: A @ B


def _seconds(run, clock) -> float:
    begin = clock()
    run()
    return clock() - begin
