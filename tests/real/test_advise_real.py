"""Advice on KIN40K and Abalone against the best of the full grid (configs/advice, run once: tests/files/advice)."""

import csv
import subprocess
import sys
import time

import pytest
import yaml

from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan.plan import plan

BUDGET = 300  # seconds
WITHIN = {"nmse": lambda best: 1.05 * best, "nlpd": lambda best: best + 0.05}

pytestmark = [pytest.mark.real, pytest.mark.hours, pytest.mark.timeout(900)]


@pytest.mark.parametrize("metric", WITHIN)
@pytest.mark.parametrize("trial", range(3))
@pytest.mark.parametrize("name", ["kin40k", "abalone"])
def test_the_pick_is_near_the_best_of_the_grid_within_the_budget(name, trial, metric, mirror, repo, tmp_path):
    with open(repo / "tests" / "files" / "advice" / f"{name}.csv") as f:
        grid = {(r["method"], int(r["size"])): float(r[metric]) for r in csv.DictReader(f) if int(r["trial"]) == trial}
    config = load_config(repo / "configs" / "advice" / f"{name}.yaml")
    draw = trial_data(next(t for t in plan(config).trials if t.index == trial))
    X, y = draw.dataset.X[draw.split.train], draw.dataset.y[draw.split.train]
    with open(tmp_path / "rows.csv", "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow([*(f"x{j}" for j in range(X.shape[1])), "y"])
        writer.writerows([*map(repr, map(float, row)), repr(float(t))] for row, t in zip(X, y))
    started = time.monotonic()
    command = ["advise", "rows.csv", "--target", "y", "--budget", f"{BUDGET}s", "--metric", metric, "-o", "out"]
    for method in dict.fromkeys(method for method, _ in grid):  # auto has no size, and is judged by configs/field
        command += ["--method", method]
    ran = subprocess.run([sys.executable, "-m", "gpbench", *command], cwd=tmp_path, capture_output=True, text=True)
    assert time.monotonic() - started < 1.1 * BUDGET
    assert ran.returncode == 0, ran.stderr
    pick = yaml.safe_load((tmp_path / "out" / "advice.yaml").read_text())["methods"][0]
    found = grid[pick["method"], pick.get("d_max") or pick["neighbours"]]
    assert found <= WITHIN[metric](min(grid.values())), (pick, ran.stdout)
