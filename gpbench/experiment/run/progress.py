"""What a run tells on stderr: a bar with the time left on a terminal, one plain line per finished trial elsewhere."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import Counter

from gpbench.experiment.results.trial_result import TrialResult
from gpbench.text import printable

WORKING_EVERY = 10.0  # seconds between lines about work that trials share


class Silent:
    """Takes every report and shows none."""

    def start(self, total: int, done: int) -> None: ...

    def finished(self, result: TrialResult) -> None: ...

    def say(self, text: str) -> None: ...

    def working(self, text: str) -> None: ...

    def close(self) -> None: ...


class Lines(Silent):
    """One line per finished trial. A reader that has gone away ends the reports, not the run."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.clock = Clock(WORKING_EVERY)
        self.errors: Counter[str] = Counter()  # how many trials each has ended

    def start(self, total, done):
        self.total, self.count = total, done

    def finished(self, result):
        self.count += 1
        self.say(f"[{self.count}/{self.total}] {describe(result, told=self.known(result))}")

    def known(self, result) -> bool:
        """Whether the error of this trial has been told already."""
        self.errors[result.reason] += bool(result.reason)
        return self.errors[result.reason] > 1

    def working(self, text):
        if self.clock.due():
            self.say(text)

    def say(self, text):
        encoding = getattr(self.stream, "encoding", None) or "ascii"
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(printable(text).encode(encoding, "replace").decode(encoding) + "\n")
            self.stream.flush()


class Bar(Lines):
    """A bar on a terminal; failures are still said in full, the same error once."""

    bar = None  # before the start

    def start(self, total, done):
        from tqdm import tqdm

        super().start(total, done)
        encoding = (getattr(self.stream, "encoding", None) or "ascii").lower()
        ascii_only = not encoding.startswith("utf") or bool(os.environ.get("NO_COLOR"))
        self.bar = tqdm(
            total=total, initial=done, file=self.stream, unit="trial", dynamic_ncols=True, ascii=ascii_only or None,
            smoothing=0.05, mininterval=0.2,
        )  # fmt: skip

    def finished(self, result):
        if result.status not in ("ok", "skipped") and not self.known(result):
            self.say(describe(result))
        with contextlib.suppress(OSError, ValueError):
            self.bar.set_postfix_str("", refresh=False)
            self.bar.update(1)

    def working(self, text):
        with contextlib.suppress(OSError, ValueError):
            self.bar.set_postfix_str(printable(text))

    def say(self, text):
        with contextlib.suppress(OSError, ValueError):
            if self.bar is not None:
                self.bar.clear()
        super().say(text)

    def close(self):
        with contextlib.suppress(OSError, ValueError):
            self.bar.close()
        for reason, count in self.errors.items():
            if count > 1:
                Lines.say(self, f"the same error ended {count} trials: {reason}")


def choose(quiet: bool = False, stream=None) -> Silent:
    stream = stream or sys.stderr
    if quiet or stream is None or stream.closed:
        return Silent()
    return Bar(stream) if stream.isatty() and os.environ.get("TERM") != "dumb" else Lines(stream)


def describe(result: TrialResult, told: bool = False) -> str:
    """A finished trial in a line; an error that was `told` before is not repeated."""
    trial = result.trial
    size = f" d_max={d}" if (d := trial.params.get("d_max")) is not None else ""
    seconds = sum(v for k, v in result.seconds.items() if k in ("fit", "predict") and v is not None)
    took = f" {seconds:.2f} s" if result.status == "ok" else ""
    why = f": {'the same error' if told else result.reason}" if result.reason else ""
    return f"{result.status} {trial.dataset_name} {trial.label or trial.method}{size} trial {trial.index}{took}{why}"


class Clock:
    """True at most once per interval."""

    def __init__(self, interval: float):
        self.interval, self.last = interval, time.monotonic()

    def due(self) -> bool:
        if time.monotonic() - self.last < self.interval:
            return False
        self.last = time.monotonic()
        return True
