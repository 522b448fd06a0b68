"""What Dask adds to a trial, what a second worker gives: `--on dask`, `--on local` (docs/reference/clusters.md)."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PLUGIN = str(Path(__file__).parent / "_sleeper.py")


@dataclass(frozen=True)
class Line:
    """A measurement that is no multiple of a matrix product: its own line, made when it is asked for."""

    name: str
    measure: Callable[[int], str]  # of the number of repeats


def _trials(count: int, **params) -> list:
    from gpbench import catalog
    from gpbench.experiment.plan.trial import Trial

    catalog.load_plugin(PLUGIN)
    params = catalog.find("method", "sleeper")(**params).model_dump(mode="json")
    fixed = {
        "dataset": {"name": "ten-rows"},
        "split": {"kind": "random", "n_train": 8, "n_test": 2},
        "scale": {"inputs": "standardise", "target": "standardise"},
        "kernel": {"name": "ard-se", "bias": False},
        "hyperparameters": {"schedule": "fixed"},
        "scoring": {"nmse_variance": "dataset", "target_units": "raw"},
        "seed": 0,
    }
    return [Trial(**fixed, method="sleeper", params=params, index=i) for i in range(count)]


def _seconds(trials: list, **options) -> float:
    """From the first finished trial to the last: the start of workers is not the price of a trial."""
    from gpbench.experiment.run import progress, run

    class Times(progress.Silent):
        def __init__(self):
            self.at = []

        def finished(self, result):
            assert result.status == "ok", result.reason
            self.at.append(time.perf_counter())

    times = Times()
    with tempfile.TemporaryDirectory() as folder:
        run.run("bench", "name: bench\n", trials, folder, run.Options(plugins=[PLUGIN], **options), None, times)
    return times.at[-1] - times.at[0]


def overhead(repeats: int, count: int = 200, seconds: float = 0.05) -> str:
    """Extra milliseconds per trial of Dask with one worker, over the pool of this machine with one process."""
    trials, extra, pool = _trials(count, seconds=seconds), [], []
    for _ in range(repeats):
        here, there = _seconds(trials, on="local"), _seconds(trials, on="dask")
        pool.append(1e3 * here / (count - 1))
        extra.append(1e3 * (there - here) / (count - 1))
    return f"{statistics.median(extra):.1f} ms more a trial than {statistics.median(pool):.1f} ms (limit 20 ms)"


def two_workers(repeats: int, count: int = 9, seconds: float = 2.0) -> str:
    """Trials that compute: how much faster two workers are than one."""
    trials = _trials(count, seconds=seconds, busy=True)
    ratios = [_seconds(trials, on="dask", jobs=1) / _seconds(trials, on="dask", jobs=2) for _ in range(repeats)]
    return f"two workers {statistics.median(ratios):.2f} times as fast as one (at least 1.6)"


def entries() -> list[Line]:
    if find_spec("distributed") is None:
        return []
    return [
        Line("dask: 200 trials of 50 ms", overhead),
        Line("dask: 9 trials of 2 s", two_workers),
    ]


ENTRIES = (entries,)
