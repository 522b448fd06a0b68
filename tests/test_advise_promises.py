"""advise keeps its word: it stops when told to, ends within its budget, and does not contradict its own table."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from driver import unhurried

FILE = ["advise", "my.csv", "--target", "y"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, (300, 2))
    lines = [f"{a:.6f},{b:.6f},{np.sin(a) + b:.6f}" for a, b in X]
    (folder / "my.csv").write_text("x,z,y\n" + "\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_search_at_once_and_keeps_what_had_finished(folder, number):
    out = folder / f"stopped-{number}"
    command = [sys.executable, "-m", "gpbench", *FILE, "--budget", "10m", "-o", str(out)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:  # fmt: skip
        try:
            while process.poll() is None and not list(out.glob("trials/*.json")):
                time.sleep(0.05)
            sent = time.monotonic()
            os.killpg(process.pid, number)  # as a terminal does: to the whole group
            told, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 128 + number, said
    assert time.monotonic() - sent < unhurried(3) and list(out.glob("trials/*.json"))
    assert "stopped; what had finished is kept" in said and "too small" not in said and not told
