"""A Dask scheduler and workers as processes of their own, as on a cluster, for the tests of `--on`."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.helpers.driver import REPO, wait_until


class Processes:
    """Every process carries `mark` in its environment (driver.marked) and dies with this object."""

    def __init__(self, folder: Path, mark: str, ttl: str = "60s", env: dict | None = None, address_of="tcp"):
        self.folder, self.mark = folder, mark
        folder.mkdir(parents=True, exist_ok=True)
        self.env = {
            **os.environ,
            "PYTHONPATH": str(REPO),
            "GPBENCH_TEST_MARK": mark,
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": ttl,
            "DASK_TEMPORARY_DIRECTORY": str(folder),
            **(env or {}),
        }
        self.started = []
        self.log = folder / "log"
        self.scheduler = self._start("scheduler", "--port", "0", "--no-dashboard", "--protocol", address_of)
        wait_until(lambda: self._address() is not None)
        self.address = self._address()

    def _address(self):
        found = [line for line in self.log.read_text().splitlines() if "Scheduler at:" in line]
        return found[0].split("Scheduler at:")[1].strip() if found else None

    def _start(self, what, *arguments):
        command = [sys.executable, "-m", "dask", what, *arguments]
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                command, env=self.env, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        self.started.append(process)
        return process

    def add_worker(self, *arguments):
        """The nanny's process; `worker_of` finds the worker below it."""
        options = ["--nthreads", "1", "--memory-limit", "0", "--no-dashboard", *arguments]
        return self._start("worker", self.address, *options)

    def close(self):
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def children(pid):
    """Whichever thread has started them."""
    found = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, file.read_text().split())
    return found


def worker_of(nanny):
    """Pid of the worker of a nanny's process, once it is there (the other child tracks resources)."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for child in children(nanny.pid):
            with contextlib.suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return child
        time.sleep(0.05)
    raise AssertionError("the nanny started no worker")


def server_below(worker):
    """Pid of gpbench's fork server that this worker has started; None before."""
    for child in children(worker):
        with contextlib.suppress(OSError):
            if b"gpbench.experiment.run.local.server" in Path(f"/proc/{child}/cmdline").read_bytes():
                return child
    return None


def jobs_below(worker):
    """Pids of the trials at work there."""
    server = server_below(worker)
    return [] if server is None else children(server)
