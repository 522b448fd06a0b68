"""The exit code says what kind of trouble it was."""

import os
import subprocess
import sys

import pytest

from gpbench.experiment.results.summary import Summary
from gpbench.experiment.results.trial_result import TrialResult
from tests.helpers.driver import REPO, gpbench


def failures(*reasons):
    return Summary(failed=len(reasons), failures=[TrialResult(None, "failed", reason) for reason in reasons])


def test_a_missing_extra_met_in_shared_work_is_5():
    sentence = "needs chemistry: pip install 'gpbench[molecules]'"
    shared = f"full-GP hyperparameters: failed: MissingExtra: {sentence}"
    assert failures(shared, f"MissingExtra: {sentence}").exit_code == 5
    assert failures(shared).missing_extra.startswith(sentence) and "--rerun failed" in failures(shared).missing_extra
    assert failures(shared, "ValueError: no").exit_code == 1


def test_a_junit_path_that_cannot_be_written_is_7(tmp_path):
    folder = REPO / "results" / "snelson-figure4"
    ran = gpbench("check", folder, "--junit", tmp_path / "nowhere" / "junit.xml")
    assert ran.returncode == 7 and "cannot write" in ran.stderr and "internal error" not in ran.stderr


@pytest.mark.parametrize("command", ["report", "tables", "plot"])
def test_a_report_that_cannot_be_written_is_7(tmp_path, command):
    folder = tmp_path / "small"
    subprocess.run(["cp", "-r", REPO / "tests" / "files" / "results-small", folder], check=True)
    if command == "report":
        (folder / "report.html").mkdir()
    else:
        (folder / {"tables": "tables", "plot": "plots"}[command]).touch()  # in the way of root, too
    ran = gpbench(command, folder)
    assert ran.returncode == 7 and "cannot write" in ran.stderr, ran.stderr


@pytest.mark.parametrize("verbose", [[], ["-v"]])
def test_a_bug_of_ours_is_70(tmp_path, verbose):
    broken = "import gpbench.experiment.config.config as c; c.load_config = None; from gpbench.cli import main; main()"
    (tmp_path / "c.yaml").write_text("name: c\n")
    command = [sys.executable, "-c", f"import sys; sys.argv = ['gpbench', 'validate', 'c.yaml', *{verbose}]; {broken}"]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(REPO)}
    )
    assert ran.returncode == 70 and "internal error, please report it" in ran.stderr
    assert ("Traceback" in ran.stderr) == bool(verbose)


FAKE = """#!/bin/sh
echo "$1 $2" >> calls
case "$1" in
  run) case "$2" in *table2*) exit ${RUN:-0};; esac;;
  check) echo "$@" > check; exit ${CHECK:-0};;
esac
"""


@pytest.mark.parametrize(
    "run, check, code", [(0, 0, 0), (1, 0, 0), (3, 0, 0), (5, 0, 0), (0, 4, 4), (1, 4, 4), (7, 0, 7), (70, 0, 70)]
)
def test_reproduce_tables_ends_by_the_committed_check(tmp_path, run, check, code):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "configs/sundararajan").mkdir(parents=True)
    (tmp_path / "results/sundararajan-table2").mkdir(parents=True)
    for name in ("table2", "table3"):
        (tmp_path / f"configs/sundararajan/{name}.yaml").touch()
    (tmp_path / "scripts/reproduce.sh").write_text((REPO / "scripts/reproduce.sh").read_text())
    (tmp_path / "gpbench").write_text(FAKE)
    (tmp_path / "gpbench").chmod(0o755)
    env = {**os.environ, "GPBENCH": "./gpbench", "RUN": str(run), "CHECK": str(check)}
    assert subprocess.run(["bash", tmp_path / "scripts/reproduce.sh", "-j", "2"], env=env).returncode == code
    assert len((tmp_path / "calls").read_text().splitlines()) == 3, "one config that fails does not stop the rest"
    assert "--baseline results/check.json" in (tmp_path / "check").read_text()
