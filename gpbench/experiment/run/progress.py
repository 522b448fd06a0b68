"""Progress of a run on stderr: on a terminal a bar with the time left, elsewhere one line per finished trial."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import Counter
from typing import Any, TextIO

from gpbench.experiment.results.trial_result import TrialResult
from gpbench.text import printable

WORKING_EVERY = 10.0  # seconds between lines about a full-GP fit


class Silent:
    """Shows nothing."""

    def start(self, total: int, done: int) -> None:
        """A run begins; `done` of its `total` trials have a result."""

    def finished(self, result: TrialResult) -> None:
        """A trial has a result."""

    def say(self, text: str) -> None:
        """A line for the user."""

    def working(self, text: str) -> None:
        """How far a full-GP fit has come."""

    def close(self) -> None:
        """The run has ended."""


class Lines(Silent):
    """Writes one line per finished trial. A closed stream ends the reports, not the run."""

    def __init__(self, stream: TextIO | None = None):
        self.stream = stream or sys.stderr
        self.clock = Clock(WORKING_EVERY)
        self.errors: Counter[str] = Counter()  # number of trials that each error has ended

    def start(self, total: int, done: int) -> None:
        self.total, self.count = total, done

    def finished(self, result: TrialResult) -> None:
        self.count += 1
        self.say(f"[{self.count}/{self.total}] {describe(result, repeated=self.repeated(result))}")

    def repeated(self, result: TrialResult) -> bool:
        """Whether an earlier trial ended with the same error."""
        self.errors[result.reason] += bool(result.reason)
        return self.errors[result.reason] > 1

    def working(self, text: str) -> None:
        if self.clock.due():
            self.say(text)

    def say(self, text: str) -> None:
        encoding = getattr(self.stream, "encoding", None) or "ascii"
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(printable(text).encode(encoding, "replace").decode(encoding) + "\n")
            self.stream.flush()


class Bar(Lines):
    """Shows a bar on a terminal, and a line for each failed trial whose error is new."""

    bar: Any = None  # tqdm; None before the start

    def start(self, total: int, done: int) -> None:
        from tqdm import tqdm

        super().start(total, done)
        encoding = (getattr(self.stream, "encoding", None) or "ascii").lower()
        ascii_only = not encoding.startswith("utf") or bool(os.environ.get("NO_COLOR"))
        self.bar = tqdm(
            total=total, initial=done, file=self.stream, unit="trial", dynamic_ncols=True, ascii=ascii_only or None,
            smoothing=0.05, mininterval=0.2,
        )  # fmt: skip

    def finished(self, result: TrialResult) -> None:
        if result.status not in ("ok", "skipped") and not self.repeated(result):
            self.say(describe(result))
        with contextlib.suppress(OSError, ValueError):
            self.bar.set_postfix_str("", refresh=False)
            self.bar.update(1)

    def working(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.bar.set_postfix_str(printable(text))

    def say(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self.bar is not None:
                self.bar.clear()
        super().say(text)

    def close(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.bar.close()
        for reason, count in self.errors.items():
            if count > 1:
                Lines.say(self, f"the same error ended {count} trials: {reason}")


def choose(quiet: bool = False, stream: TextIO | None = None) -> Silent:
    """The form of progress that suits the stream, stderr if none is given."""
    stream = stream or sys.stderr
    if quiet or stream is None or stream.closed:
        return Silent()
    return Bar(stream) if stream.isatty() and os.environ.get("TERM") != "dumb" else Lines(stream)


def describe(result: TrialResult, repeated: bool = False) -> str:
    """One line about a finished trial; an error is left out if it is `repeated`."""
    trial = result.trial
    size = f" d_max={d}" if (d := trial.params.get("d_max")) is not None else ""
    seconds = sum(v for k, v in result.seconds.items() if k in ("fit", "predict") and v is not None)
    took = f" {seconds:.2f} s" if result.status == "ok" else ""
    why = f": {'the same error' if repeated else result.reason}" if result.reason else ""
    return f"{result.status} {trial.dataset_name} {trial.label or trial.method}{size} trial {trial.index}{took}{why}"


class Clock:
    """Limits how often something is done: `due` is true at most once per interval (seconds)."""

    def __init__(self, interval: float):
        self.interval, self.last = interval, time.monotonic()

    def due(self) -> bool:
        if time.monotonic() - self.last < self.interval:
            return False
        self.last = time.monotonic()
        return True
