"""Terminals that are odd, narrow or not there, and readers that go away: no traceback, and nothing lost."""

import io
import os
import pty
import struct
import subprocess
import sys
import termios
from fcntl import ioctl

import pytest

from gpbench.experiment.results.trial_result import TrialResult
from gpbench.experiment.run import progress, run
from tests.helpers.driver import finish, start, trial, write_job


def test_without_a_terminal_there_is_one_line_per_trial(tmp_path):
    job = write_job(tmp_path / "job.json", [trial(d_max=3), trial(index=1, behaviour="raise")])
    code, err = finish(tmp_path / "out", job)
    lines = err.splitlines()
    assert code == 1
    assert lines[0].startswith("[1/2] ok toy fake d_max=3 behaviour=ok repetition 0 ")
    assert lines[1] == "[2/2] failed toy fake d_max=10 behaviour=raise repetition 1: ValueError: no such luck"
    assert lines[2] == "1 done, 1 failed; --rerun failed runs them again"


def test_a_narrow_ascii_terminal_gets_a_bar_it_can_show(tmp_path):
    job = write_job(tmp_path / "job.json", [trial(), trial(index=1)])
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 20, 0, 0))
    env = {"TERM": "xterm", "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    process = start(tmp_path / "out", job, stderr=theirs, env=env)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    assert process.wait() == 0
    assert b"2/2" in shown and b"Traceback" not in shown
    assert shown.isascii()


def test_a_reader_that_has_gone_away_does_not_stop_the_run(tmp_path):
    read, write = os.pipe()
    os.close(read)
    job = write_job(tmp_path / "job.json", [trial(), trial(index=1)])
    process = start(tmp_path / "out", job, stderr=write)
    os.close(write)
    process.wait()
    assert run.status(tmp_path / "out")["done"] == 2


def test_names_beyond_the_terminals_alphabet_are_replaced():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    lines = progress.Lines(stream)
    lines.start(1, 0)
    lines.finished(TrialResult(trial(label="Zürich")))
    assert b"Z?rich" in stream.buffer.getvalue()


def test_a_closed_pipe_is_quiet(here):
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-m", "gpbench", "list", "datasets"], stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    assert ran.returncode == 141 and "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "env", [{"NO_COLOR": "1"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"COLUMNS": "20"}]
)
def test_odd_terminals_are_fine(here, env):
    ran = subprocess.run(
        [sys.executable, "-m", "gpbench", "run", "small.yaml", "--trials", "0", "-m", "sod"],
        capture_output=True, env={**os.environ, **env},
    )  # fmt: skip
    assert ran.returncode == 0 and b"Traceback" not in ran.stderr and b"\x1b[" not in ran.stdout
