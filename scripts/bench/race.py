"""`python -m scripts.bench.race`: vfe and fitc beside GPflow's and GPy's, from the same start to the same value.

Each library climbs by its own L-BFGS, hyperparameters and inducing inputs together. The target is what it ends with,
less 0.1 %; both sides are timed until they first reach it, in CPU seconds of one thread, after a warm-up. The libraries
run in the environments of `gpbench adapters install gpflow gpy`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):  # before numpy is imported
    os.environ.setdefault(pool, "1")

import numpy as np  # noqa: E402

from gpbench import catalog, data  # noqa: E402
from gpbench.adapters import environment  # noqa: E402
from gpbench.errors import NotApplicable  # noqa: E402
from gpbench.gp.inference.model import GP  # noqa: E402
from gpbench.gp.kernels.ard_se import ArdSE  # noqa: E402
from gpbench.methods.base import Problem, Schedule  # noqa: E402

LIBRARIES, KINDS = ("gpflow", "gpy"), ("vfe", "fitc")
CLOSE = 1e-3  # of the value the library ends with
MOST = 5  # evaluations of ours for each of theirs, before we give up
Trace = list[tuple[float, float]]  # CPU seconds, objective


class Reached(Exception):
    pass


class Watch:
    """A checkpoint that keeps times and values only, and ends the optimisation at the target."""

    def __init__(self, target: float):
        self.target, self.trace, self.begin = target, [], time.process_time()

    def __call__(self, objective):
        def watched(x):
            found = objective(x)
            self.trace.append((time.process_time() - self.begin, float(found[0])))
            if found[0] >= self.target:
                raise Reached
            return found

        return watched


def rows(name: str, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n rows of a data set, inputs and target standardised."""
    whole = data.load({"name": name}, np.random.default_rng(seed))
    chosen = np.random.default_rng(seed).permutation(whole.n)[:n]
    X, y = whole.X[chosen], whole.y[chosen]
    return (X - X.mean(0)) / X.std(0), (y - y.mean()) / y.std()


def start_of(X, m: int) -> dict:
    dims = X.shape[1]
    return {"Z": X[:m], "variance": 1.0, "lengthscale": np.full(dims, np.sqrt(dims)), "noise": 0.1}


def ours(kind: str, X, y, start: dict, target: float, evaluations: int) -> Trace:
    """Our method itself from that start, until the target is reached or its evaluations are used up."""
    watch, gp = (
        Watch(target),
        GP(ArdSE(np.log(np.r_[start["variance"], start["lengthscale"]]), X.shape[1]), start["noise"]),
    )
    schedule = Schedule("joint", evaluations=evaluations)
    problem = Problem(X, y, gp, schedule, np.arange(len(y)), journal=watch)  # rows in order: the start is X[:m]
    method = catalog.find("method", kind)(d_max=len(start["Z"]), inducing="random", optimise_inputs=True)
    try:
        method.fit(problem, np.random.default_rng(0))
    except Reached:
        pass
    return watch.trace


def theirs(library: str, kind: str, X, y, start: dict, iterations: int) -> Trace:
    python = environment.python_of(environment.find(library))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arrays.npz"
        np.savez(path, X=X, y=y, **start)
        climb = Path(__file__).with_name("_climb.py")
        command = [str(python), "-s", str(climb), library, kind, str(path), str(iterations)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NotApplicable(f"{library} failed: {done.stderr.strip()[-400:]}")
    return [tuple(pair) for pair in json.loads(done.stdout.strip().splitlines()[-1])]


def until(trace: Trace, target: float) -> float:
    """CPU seconds until the target was first reached; infinite if it never was."""
    return next((seconds for seconds, F in trace if F >= target), np.inf)


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench.race", description=__doc__)
    parser.add_argument("--data", default="kin40k-sim", metavar="NAME")
    parser.add_argument("-n", type=int, default=10_000, help="rows")
    parser.add_argument("-m", type=int, default=200, help="inducing inputs")
    parser.add_argument("--iterations", type=int, default=100, metavar="N", help="of the library's L-BFGS")
    given = parser.parse_args(arguments)
    X, y = rows(given.data, given.n)
    start = start_of(X, given.m)
    ours("vfe", X[:64], y[:64], start_of(X[:64], 8), np.inf, 2)  # compilation
    print(f"{given.data}, n = {len(y)}, D = {X.shape[1]}, m = {given.m}; CPU seconds to its end less {CLOSE:.1%}")
    print(f"{'':<14} {'its end':>10} {'all of it':>9} {'its':>8} {'ours':>8} {'share':>7} {'evaluations':>12}")
    for library in LIBRARIES:
        for kind in KINDS:
            try:
                print(row(library, kind, X, y, start, given.iterations), flush=True)
            except NotApplicable as e:
                print(f"{library} {kind}: {e}", flush=True)


def row(library: str, kind: str, X, y, start: dict, iterations: int) -> str:
    trace = theirs(library, kind, X, y, start, iterations)
    end = max(F for _, F in trace)
    target = end - CLOSE * abs(end)
    own = ours(kind, X, y, start, target, MOST * len(trace))
    they, we = until(trace, target), until(own, target)
    if we == np.inf:
        print(f"    ours ended at {max(F for _, F in own):.1f}")
    counts = f"{sum(s <= they for s, _ in trace)}, {len(own)}"
    name = f"{library} {kind}"
    return f"{name:<14} {end:10.1f} {trace[-1][0]:9.2f} {they:8.2f} {we:8.2f} {we / they:7.2f} {counts:>12}"


if __name__ == "__main__":
    main()
