"""One model of rows beyond memory (gp/inference/parts.py): time in units of one dgemm, memory, a second worker."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gpbench.data import shards
from gpbench.data.sources.kin40k_sim import Kin40kSim
from gpbench.gp.inference import parts, sparse
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.linalg.cholesky import JITTER

from .executors import Line

M, DIMS = 200, 8
SIZES = (100_000, 1_000_000, 10_000_000)
_PRODUCT = 50_000  # columns on which the dgemm is timed


def rows_of(folder, n: int) -> shards.Chosen:
    """n rows of the simulated arm, drawn now."""
    shards.write(Path(folder) / "rows", shards.generate(Kin40kSim(), n))
    chosen = shards.Chosen(shards.Inputs(str(Path(folder) / "rows")), np.arange(n))
    return chosen.scaled(*chosen.moments()).with_target(0.75, 0.3)


def evaluation(rows: shards.Chosen, do: parts.Map = parts.in_turn) -> Callable[[], object]:
    """The bound with all its gradients, as one step of a climb over hyperparameters and inducing inputs."""
    pieces, Z = parts.split(rows), rows[:M] + 0.01
    gp = GP(ArdSE(np.log(np.r_[1.0, np.full(DIMS, 2.0)]), DIMS), 0.05)
    return lambda: parts.evaluate(parts.build(sparse.VFE, gp, Z, pieces, JITTER, do), pieces, do=do)


class AnonymousPeak(threading.Thread):
    """Largest RssAnon of this process while the block runs, in MB; mapped files are not counted."""

    def __enter__(self):
        self.peak, self.done = 0.0, threading.Event()
        self.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.join()

    def run(self):
        while not self.done.wait(0.02):
            text = Path("/proc/self/status").read_text()
            self.peak = max(self.peak, int(text.partition("RssAnon:")[2].split()[0]) / 1024)


def one_evaluation(n: int) -> Callable[[int], str]:
    def measure(repeats: int) -> str:
        with tempfile.TemporaryDirectory() as folder:
            run = evaluation(rows_of(folder, n))
            A, B = np.random.default_rng(0).random((2, M, _PRODUCT))  # numpy would take half the work for A A'
            product, seconds = [], []
            with AnonymousPeak() as memory:
                for _ in range(repeats if n <= SIZES[0] else 1):
                    for _ in range(3):
                        product.append(_cpu(lambda: A @ B.T))
                    seconds.append(_cpu(run))
                    for _ in range(3):
                        product.append(_cpu(lambda: A @ B.T))
            unit = statistics.median(product) * n / _PRODUCT
            took = statistics.median(seconds)
        return (
            f"{took:8.2f} CPU s, {1e9 * took / n:6.0f} ns a row, {took / unit:5.2f} dgemm (limit 8), "
            f"RssAnon {memory.peak:.0f} MB (limit 1536)"
        )

    return measure


def two_workers(repeats: int, n: int = 1_000_000) -> str:
    from gpbench.experiment.run.dask.connect import local_cluster
    from gpbench.experiment.run.dask.row_map import RowMap

    folder, taken = tempfile.mkdtemp(), {}
    try:
        rows = rows_of(folder, n)
        for workers in (1, 2):
            cluster = local_cluster(workers)
            crew = RowMap(cluster.scheduler_address)
            run = evaluation(rows, crew)
            run()
            begin = time.perf_counter()
            for _ in range(repeats):
                run()
            taken[workers] = (time.perf_counter() - begin) / repeats
            crew.close()
            cluster.close()
    finally:
        shutil.rmtree(folder)
    return (
        f"two workers {taken[1] / taken[2]:.2f} times as fast as one (at least 1.5): {taken[1]:.1f} s, {taken[2]:.1f} s"
    )


def _cpu(run) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def small() -> list[Line]:
    return [Line(f"vfe in parts, n={SIZES[0]}, m={M}: all gradients", one_evaluation(SIZES[0]))]


def full() -> list[Line]:
    lines = [Line(f"vfe in parts, n={n}, m={M}: all gradients", one_evaluation(n)) for n in SIZES[1:]]
    if find_spec("distributed") is not None:
        lines.append(Line(f"vfe in parts, n={SIZES[1]}, m={M}: Dask", two_workers))
    return lines


ENTRIES, FULL = (small,), (full,)
