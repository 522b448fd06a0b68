"""Our side of a library's process: it lives as long as the trial, which it dies with (same process group)."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import weakref
from pathlib import Path

import numpy as np

from .environment import Adapter, python_of

SERVE = Path(__file__).parent / "serve.py"


class Library:
    """A fitted model in another process. `seconds` holds what the process measured itself, imports apart."""

    def __init__(self, adapter: Adapter, X, y, params: dict):
        python = python_of(adapter)
        self.seconds: dict[str, dict[str, float]] = {}
        self._files = tempfile.TemporaryDirectory(prefix="gpbench-adapter-")
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
        self._process = subprocess.Popen(
            [str(python), "-s", str(SERVE), str(adapter.file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean, cwd=self._files.name, text=True,
        )  # fmt: skip
        self._end = weakref.finalize(self, _close, self._process, self._files)
        self.answer = self._ask("fit", {"X": X, "y": y}, params=params | {"model": adapter.model})

    def predict(self, X) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance, noise included."""
        out = Path(self._files.name) / "prediction.npz"
        self._ask("predict", {"X": X}, out=str(out))
        with np.load(out, allow_pickle=False) as arrays:
            return arrays["mean"], arrays["var"]

    def _ask(self, what: str, arrays: dict, **request) -> dict:
        path = Path(self._files.name) / f"{what}.npz"
        np.savez(path, **arrays)
        try:
            self._process.stdin.write(json.dumps({"do": what, "arrays": str(path), **request}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self._process.wait()
            raise RuntimeError(f"the library's process ended with code {code} during {what}")
        answer = json.loads(line)
        if "error" in answer:
            raise (MemoryError if answer["memory"] else RuntimeError)(answer["error"])
        if hasattr(self, "answer"):  # prediction may take more than the fit did
            self.answer["peak_mb"] = max(self.answer["peak_mb"], answer["peak_mb"])
        known = self.seconds.setdefault(what, {"wall": 0.0, "cpu": 0.0})
        for key, value in answer["seconds"].items():
            known[key] += value  # prediction comes in blocks
        return answer


def _close(process: subprocess.Popen, files: tempfile.TemporaryDirectory) -> None:
    with contextlib.suppress(OSError):
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            stream.close()
    files.cleanup()
