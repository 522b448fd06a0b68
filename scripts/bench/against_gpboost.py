"""`python -m scripts.bench.against_gpboost PYTHON`: vecchia beside GPBoost's on California housing by place, in turns.

PYTHON is the interpreter of an environment with gpboost. Longitude and latitude, log of the value, 15 000 training rows
of one random split, scaled by the training part; one thread. CPU seconds of learning and predicting.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):  # before numpy is imported
    os.environ.setdefault(pool, "1")

import numpy as np  # noqa: E402

from gpbench import catalog, data  # noqa: E402
from gpbench.gp.kernels.build import build_kernel  # noqa: E402
from gpbench.gp.learning.full_gp import neutral_start  # noqa: E402
from gpbench.methods.base import Problem, Schedule  # noqa: E402

ROWS = 15_000


def arrays(seed: int) -> dict[str, np.ndarray]:
    """One split of California housing by place: X, y, Xs, ys, scaled."""
    whole = data.load({"name": "calhouse"}, np.random.default_rng(seed))
    X, y = whole.X[:, :2], np.log(whole.y)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:ROWS], order[ROWS:]
    X, y = (X - X[train].mean(0)) / X[train].std(0), (y - y[train].mean()) / y[train].std()
    return {"X": X[train], "y": y[train], "Xs": X[test], "ys": y[test]}


def ours(path: str, kernel: str, neighbours: int) -> dict:
    given = np.load(path)
    X, y, begin = given["X"], given["y"], time.process_time()
    gp = neutral_start(build_kernel({"name": kernel}, X), y)
    problem = Problem(X, y, gp, Schedule("joint"), np.random.default_rng(0).permutation(len(y)))
    fitted = catalog.find("method", "vecchia")(neighbours=neighbours).fit(problem, np.random.default_rng(0))
    learned = time.process_time()
    found, seconds = fitted.predict(given["Xs"]), time.process_time()
    return {
        "name": f"vecchia {kernel}", "learn": learned - begin, "seconds": seconds - begin,
        "mean": found.mean.tolist(), "var": found.var.tolist(),
    }  # fmt: skip


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench.against_gpboost", description=__doc__)
    parser.add_argument("python", help="interpreter that has gpboost")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each, in turns")
    parser.add_argument("--neighbours", type=int, default=20, metavar="K")
    parser.add_argument("--seed", type=int, default=0, help="of the split")
    parser.add_argument("--own", nargs=2, metavar=("NPZ", "KERNEL"), help=argparse.SUPPRESS)  # one run, in a process
    given = parser.parse_args(arguments)
    if given.own:
        print(json.dumps(ours(*given.own, given.neighbours)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path, k = str(Path(folder) / "arrays.npz"), str(given.neighbours)
        split = arrays(given.seed)
        np.savez(path, **split)
        theirs = [given.python, str(Path(__file__).with_name("_gpboost_fit.py")), path, k]
        own = [sys.executable, "-m", "scripts.bench.against_gpboost", given.python, "--neighbours", k, "--own", path]
        commands = [[*theirs, "one"], [*theirs, "ard"], [*own, "matern32"], [*own, "matern12"]]
        print(f"CPU seconds; {k} neighbours, split {given.seed}")
        print(f"{'':<28} {'learn':>8} {'all':>8} {'NMSE':>7} {'NLPD':>7}")
        for _ in range(given.runs):
            for command in commands:
                print(row(run(command), command[-1], split["ys"]), flush=True)


def run(command: list[str]) -> dict:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{done.stderr.strip()[-800:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def row(found: dict, setting: str, ys) -> str:
    mean, var = np.array(found["mean"]), np.array(found["var"])
    nmse = np.mean((mean - ys) ** 2) / np.var(ys)
    nlpd = np.mean(0.5 * np.log(2 * np.pi * var) + (ys - mean) ** 2 / (2 * var))
    name = found["name"] if setting.startswith("matern") else f"{found['name']} {setting}"
    return f"{name:<28} {found['learn']:8.2f} {found['seconds']:8.2f} {nmse:7.4f} {nlpd:7.4f}"


if __name__ == "__main__":
    main()
