"""Store the evaluations of a long optimisation on disk, so that a killed fit can continue.

The optimiser is deterministic: a new run asks for the same points, and the journal answers them bit by bit. Numbers are
hexadecimal text; each line is on disk before the optimiser gets the value.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gpbench.errors import NotPositiveDefinite
from gpbench.experiment.results.checked_files import make_folder, open_plain, write_atomic


class Journal:
    def __init__(self, path: Path):
        self.path = path
        self.known = list(_lines(path))
        self.replayed = 0

    def __call__(self, objective: Callable) -> Callable:
        """The objective; its values come from the journal while the points agree with the journal."""

        def answered(x):
            asked = [v.hex() for v in np.asarray(x, dtype=float).tolist()]
            if self.known:
                line = self.known.pop(0)
                if line["x"] == asked:
                    self.replayed += 1
                    if "error" in line:
                        raise NotPositiveDefinite(line["error"])
                    return float.fromhex(line["F"]), np.array([float.fromhex(v) for v in line["dF"]])
                self.known = []
                self._cut(self.replayed)  # the optimisation differs from the recorded one
            try:
                F, dF = objective(x)
            except (NotPositiveDefinite, FloatingPointError, np.linalg.LinAlgError) as e:
                self._append({"x": asked, "error": str(e)})
                self.replayed += 1
                raise
            self._append({"x": asked, "F": float(F).hex(), "dF": [v.hex() for v in np.asarray(dF).tolist()]})
            self.replayed += 1
            return F, dF

        return answered

    def _append(self, line: dict) -> None:
        make_folder(self.path.parent)
        with open(open_plain(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "a", encoding="ascii") as f:
            f.write(json.dumps(line) + "\n")
            f.flush()
            os.fsync(f.fileno())

    def _cut(self, lines: int) -> None:
        write_atomic(self.path, b"".join(self.path.read_bytes().splitlines(keepends=True)[:lines]))

    def remove(self) -> None:
        """Remove the journal; called when the trial is finished."""
        self.path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()


def _lines(path: Path):
    """Complete lines; the file is cut at the first incomplete line, which a killed process may have left."""
    if path.is_symlink() or not path.is_file():
        return
    whole, content = 0, path.read_bytes()
    for line in content.splitlines(keepends=True):
        if (found := _line(line)) is None:
            write_atomic(path, content[:whole])
            return
        whole += len(line)
        yield found


def _line(text: bytes) -> dict | None:
    try:
        line = json.loads(text.decode("ascii")) if text.endswith(b"\n") else {}
        for number in (*line["x"], *(() if "error" in line else (line["F"], *line["dF"]))):
            float.fromhex(number)
        return line
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
