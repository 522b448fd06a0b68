"""advise keeps its word: it stops when told to, ends within its budget, and does not contradict its own table."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from gpbench.data.tables.csv_columns import Choices
from gpbench.data.tables.csv_file import look
from gpbench.estimators.advise.candidates import Candidate, candidates
from gpbench.estimators.advise.halving import Search
from gpbench.experiment.results.summary import Summary
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.experiment.run import run
from tests.helpers.driver import trial, unhurried
from tests.helpers.paths import PLUGINS

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


METHODS = (PLUGINS / "first_rows.py").read_text()
METHODS += """
class Asking(FirstRows):
    name = "asking"
    depth: int
"""


def test_a_method_of_an_installed_package_is_a_candidate(folder):
    info = folder / "site" / "my_gp-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-gp\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("[gpbench.methods]\nfirst = my_gp\n")
    (folder / "site" / "my_gp.py").write_text(METHODS)
    command = [sys.executable, "-m", "gpbench", *FILE, "--budget", "15s", "-o", "package", "-m"]
    env = os.environ | {"PYTHONPATH": str(folder / "site")}
    ran = subprocess.run([*command, "first-rows*"], cwd=folder, env=env, capture_output=True, text=True)
    assert "advice: first-rows-of-a-package" in ran.stdout, ran.stderr
    ran = subprocess.run([*command, "asking"], cwd=folder, env=env, capture_output=True, text=True)
    assert ran.returncode == 2 and "depth" in ran.stderr


def test_a_plug_in_that_asks_for_a_parameter_joins_only_when_it_is_named():
    from gpbench.methods.base import Method

    class Asking(Method):
        name = "asking"
        depth: int

    own = {"asking": Asking}
    assert "asking" not in {c.method for c in candidates("regression", 500, own=own)}
    assert [c.method for c in candidates("regression", 500, methods=("asking",), own=own)] == ["asking"]


def test_a_candidate_is_left_out_once_and_not_while_it_stands_in_the_table(tmp_path, monkeypatch):
    near, far, dear = (Candidate("info", size, {}) for size in (200, 500, 1000))
    other = Candidate("sod", 200, {})
    search = Search({"csv": "a.csv"}, "regression", 5000, "nmse", 300.0, tmp_path, [near, far, dear, other])

    def rung(live, rows, split):
        for c in (c for c in live if c.size <= rows):
            # on few rows each is dear, so that no larger size is affordable; on all rows they turn out to be cheap
            took = {"fit": 0.1 if rows == search.full else 5.0}
            score = {"nmse": c.size / 1e4 if c.method == "info" else 0.1}
            search.results[c, rows, split] = TrialResult(trial(), "ok", metrics=score, seconds=took)

    monkeypatch.setattr(search, "rung", rung)
    _, found = search.table(search.go())
    assert far in found and far in search.dropped
    told = search.left_out(found)
    assert not [line for line in told if line.startswith("info 500")]
    assert len(told) == len({line.partition(":")[0] for line in told})


def test_one_candidate_is_not_said_to_be_candidates(folder, tmp_path, monkeypatch):
    said, source = [], {"csv": str(folder / "my.csv"), "target": "y", "task": "regression"}
    monkeypatch.setattr("gpbench.estimators.advise.halving.run", lambda *_, **__: Summary())
    every = candidates("regression", 240, most=50, methods=("sod",))
    search = Search(source, "regression", 300, "nmse", 60.0, tmp_path / "one", every, say=said.append)
    search.rung(every, 240, 0)
    assert said[0].startswith("1 candidate on 240 rows, split 1; ")


def test_a_wide_table_is_read_in_time_that_grows_with_its_columns_not_with_their_square(tmp_path):
    names, cells = [f"a-column-{j}" for j in range(10_000)], ["0.5"] * 10_000
    rows = [",".join([*cells, str(i)]) for i in range(5)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join([*names, "y"]), *rows]) + "\n")
    begin = time.monotonic()
    found = look(str(tmp_path / "wide.csv"), "y", "regression", Choices())
    assert found.X.shape == (5, 10_000) and time.monotonic() - begin < unhurried(1.5)


def test_reading_the_data_counts_for_a_run_of_limited_time(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "check_data", lambda _: time.sleep(2.5))  # more than the trial takes
    summary = run.run("test", "name: test\n", [trial()], tmp_path / "out", run.Options(seconds=2.4))
    assert (summary.ran, summary.left) == (0, 1)


def test_reading_and_telling_are_planned_with(tmp_path, monkeypatch):
    every = [Candidate("vfe", 100, {}), Candidate("sod", 200, {})]
    quick = Search({"csv": "a.csv"}, "regression", 900, "nmse", 20.0, tmp_path, every)
    slow = Search({"csv": "a.csv"}, "regression", 900, "nmse", 20.0, tmp_path, every, reading=7.0)
    assert 18 < quick.left <= 18.5  # the table and the plot come after the fits
    assert slow.seconds(every, 400) == pytest.approx(quick.seconds(every, 400) + (3 + 2) * 7.0)
    monkeypatch.setattr(slow, "rung", lambda *_: pytest.fail("three readings of 7 s are over the budget"))
    assert slow.go() == [] and "the budget of 20 s is too small" in slow.nothing()
