"""Our side of a library's process: it lives as long as the trial, which it dies with (same process group)."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import subprocess
import tempfile
import weakref
from pathlib import Path

import numpy as np

from .environment import Adapter, python_of
from .serve import descendants

SERVE = Path(__file__).parent / "serve.py"
FILES = "gpbench-adapter-"  # how folders for arrays begin; the process that made one follows
TICK = 1.0  # seconds between looks at the library's processes


class Library:
    """A fitted model in another process. `seconds` holds what the process measured itself, imports apart."""

    def __init__(self, adapter: Adapter, X, y, params: dict):
        python = python_of(adapter)
        self.seconds: dict[str, dict[str, float]] = {}
        self._files = tempfile.TemporaryDirectory(prefix=f"{FILES}{os.getpid()}-")
        self._most_mb = 0.0  # that its processes have taken together
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
        self._process = subprocess.Popen(
            [str(python), "-s", str(SERVE), str(adapter.file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean, cwd=self._files.name, text=True,
        )  # fmt: skip
        assert self._process.stdin and self._process.stdout
        self._requests, self._answers = self._process.stdin, self._process.stdout
        self._end = weakref.finalize(self, _close, self._process, self._files)
        self._task = params.get("task", "regression")
        self.answer = self._ask("fit", {"X": X, "y": y}, params=params | {"model": adapter.model})

    def predict(self, X) -> dict[str, np.ndarray]:
        """Mean and variance, noise included; for classes their probabilities (t, K)."""
        return self._arrays("predict", {"X": X}, task=self._task)

    def log_density(self, X, y) -> np.ndarray | None:
        """log p(y), where the library's density is not normal; its time counts for nothing."""
        if not self.answer.get("has_density"):
            return None
        found = self._arrays("log_density", {"X": X, "y": y})["log_density"]
        self.seconds.pop("log_density")
        return found

    def _arrays(self, what: str, given: dict, **request) -> dict[str, np.ndarray]:
        out = Path(self._files.name) / "answer.npz"
        self._ask(what, given, out=str(out), **request)
        with np.load(out, allow_pickle=False) as arrays:
            return dict(arrays)

    def _ask(self, what: str, arrays: dict, **request) -> dict:
        path = Path(self._files.name) / f"{what}.npz"
        np.savez(path, **arrays)
        try:
            self._requests.write(json.dumps({"do": what, "arrays": str(path), **request}) + "\n")
            self._requests.flush()
            line = self._line()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self._process.wait()
            raise RuntimeError(f"the library's process ended with code {code} during {what}")
        answer = json.loads(line)
        if "error" in answer:
            raise (MemoryError if answer["memory"] else RuntimeError)(answer["error"])
        answer["peak_mb"] = max(answer["peak_mb"], self._most_mb)
        if hasattr(self, "answer"):  # prediction may take more than the fit did
            self.answer["peak_mb"] = max(self.answer["peak_mb"], answer["peak_mb"])
        known = self.seconds.setdefault(what, {"wall": 0.0, "cpu": 0.0})
        for key, value in answer["seconds"].items():
            known[key] += value  # prediction comes in blocks
        return answer

    def _line(self) -> str:
        """The next answer; empty when the process has ended, though another that it started may hold its pipe."""
        ended = False
        while not select.select([self._answers], [], [], 0 if ended else TICK)[0]:
            if ended:
                return ""
            ended = self._process.poll() is not None
            self._weigh()
        return self._answers.readline()

    def _weigh(self) -> None:
        """The limit holds for each process by itself; here for all of them together."""
        pids = [self._process.pid, *descendants(self._process.pid)]
        if len(pids) == 1:
            return
        taken = sum(map(_resident, pids))
        self._most_mb = max(self._most_mb, taken / 2**20)
        limit, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if limit != hard and taken > limit:
            self._process.kill()
            raise MemoryError(f"the library's {len(pids)} processes took {taken / 2**20:.0f} MB together")


def _resident(pid: int) -> int:
    """Bytes of a process, pages that it shares counted in proportion; 0 if it is gone or unknown."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _close(process: subprocess.Popen, files: tempfile.TemporaryDirectory) -> None:
    with contextlib.suppress(OSError):
        process.kill()
        process.wait()
    for stream in filter(None, (process.stdin, process.stdout)):
        with contextlib.suppress(OSError):
            stream.close()
    files.cleanup()
