"""What the tests of faults share: their mark, a small config, and the command line in this process."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SMALL = """
name: small
dataset: {name: friedman3, n_train: 40, n_test: 30}
hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}
methods: [{method: sod, d_max: 10}]
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.faults)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GPBENCH_MIRROR", "")
    monkeypatch.setenv("GPBENCH_OFFLINE", "1")
    (tmp_path / "small.yaml").write_text(SMALL)
    return tmp_path


@pytest.fixture
def small_disk(tmp_path, request):
    """A file system of one megabyte, or of so many bytes as the parameter says."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={getattr(request, 'param', 2**20)}", "tmpfs", str(disk)]
    try:
        done = subprocess.run(mount, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs mount(8)")
    if done.returncode:
        pytest.skip("needs the right to mount a small file system")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.fixture
def ctrl_c():
    """SIGINT is heard, also where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def command(here, monkeypatch, capsys, ctrl_c):
    """A command line in this process: (exit code, stdout, stderr). A bug or a traceback fails the test."""
    from gpbench.cli import main

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["gpbench", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        out = capsys.readouterr()
        assert "internal error" not in out.err and "Traceback" not in out.err, out.err
        return stop.value.code or 0, out.out, out.err

    return call
