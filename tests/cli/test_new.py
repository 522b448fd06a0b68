"""`gpbench new`: the files that it writes pass their own tests, run as plug-ins, and never replace a file."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from gpbench.cli import cli
from gpbench.errors import ConfigError

CONFIG = """
name: mine
dataset: %(dataset)s
split: {kind: random, n_train: 60, n_test: 20}
hyperparameters: {schedule: joint, evaluations: 10}
kernel: %(kernel)s
methods: [%(method)s]
"""
NAMES = {"dataset": "friedman3", "kernel": "ard-se", "method": "full-gp"}


def new(*arguments):
    return CliRunner().invoke(cli, ["new", *arguments])


@pytest.mark.parametrize("kind", ["method", "kernel", "dataset"])
def test_what_it_writes_passes_its_test_and_runs_as_a_plug_in(kind, tmp_path):
    written = new(kind, "my-own", "-o", str(tmp_path))
    assert written.exit_code == 0 and (tmp_path / "my_own.py").is_file(), written.output
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "test_my_own.py"]
    tested = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout
    (tmp_path / "mine.yaml").write_text(CONFIG % {**NAMES, kind: "my-own"})
    command = [sys.executable, "-m", "gpbench", "run", "mine.yaml", "--plugin", "my_own.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_an_existing_file_stays_as_it_is(tmp_path):
    (tmp_path / "test_my_own.py").write_text("mine")
    written = new("kernel", "my-own", "-o", str(tmp_path))
    assert isinstance(written.exception, ConfigError) and "exists" in str(written.exception)
    assert [p.name for p in tmp_path.iterdir()] == ["test_my_own.py"]


@pytest.mark.parametrize("name", ["fitc", "My", "1st", "a.b", "class", "_x", "a b", ""])
def test_a_name_that_cannot_be_is_refused(name, tmp_path):
    written = new("method", name, "-o", str(tmp_path))
    assert isinstance(written.exception, ConfigError) and not list(tmp_path.iterdir())
