"""Progress of a run on stderr: on a terminal a bar with the time left, elsewhere one line per finished trial."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any, TextIO

from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.text import duration, printable

WORKING_EVERY = 10.0  # seconds between lines about a full-GP fit


class Silent:
    """Shows nothing."""

    def start(self, total: int, done: int, trials: Sequence[Trial] = ()) -> None:
        """A run begins; `done` of its `total` trials have a result. `trials`: all of them, to name what varies."""

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
        self.varying: Varying = {}

    def start(self, total: int, done: int, trials: Sequence[Trial] = ()) -> None:
        self.total, self.count = total, done
        self.varying, self.left = varying(trials), TimeLeft()

    def finished(self, result: TrialResult) -> None:
        self.count += 1
        left = self.left.after_one_more(self.total - self.count)
        what = describe(result, repeated=self.repeated(result), also=self.varying)
        self.say(f"[{self.count}/{self.total}] {what}" + (f"; {left}" if left else ""))

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

    def start(self, total: int, done: int, trials: Sequence[Trial] = ()) -> None:
        from tqdm import tqdm

        super().start(total, done, trials)
        encoding = (getattr(self.stream, "encoding", None) or "ascii").lower()
        ascii_only = not encoding.startswith("utf") or bool(os.environ.get("NO_COLOR"))
        self.bar = tqdm(
            total=total, initial=done, file=self.stream, unit="trial", dynamic_ncols=True, ascii=ascii_only or None,
            mininterval=0.2, bar_format="{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]",
        )  # fmt: skip

    def finished(self, result: TrialResult) -> None:
        if result.status not in ("ok", "skipped") and not self.repeated(result):
            self.say(describe(result, also=self.varying))
        self.count += 1
        with contextlib.suppress(OSError, ValueError):
            self.bar.set_postfix_str(self.left.after_one_more(self.total - self.count), refresh=False)
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


Varying = dict[tuple[str, str], tuple[str, ...]]  # names of settings, by data set and label


def _settings(trial: Trial) -> dict[str, Any]:
    """Settings that a config may vary for one label, with plain values."""
    rows = {"n_train": trial.split.get("n_train"), "seed": trial.seed}
    return {k: v for k, v in (rows | trial.params).items() if v is not None}


def varying(trials: Iterable[Trial]) -> Varying:
    """Names of the settings in which trials of one label on one data set differ."""
    seen: dict[tuple[str, str], dict[str, set[str]]] = {}
    for trial in trials:
        values = seen.setdefault((trial.dataset_name, trial.label), {})
        for name, value in _settings(trial).items():
            values.setdefault(name, set()).add(repr(value))
    return {key: tuple(n for n, v in values.items() if len(v) > 1) for key, values in seen.items()}


def name_of(trial: Trial, also: Varying | None = None) -> str:
    """Data set, label, size, what else varies, and repetition: no two trials of a run have the same."""
    names = dict.fromkeys(("d_max", *(also or {}).get((trial.dataset_name, trial.label), ())))
    settings = _settings(trial)
    told = "".join(f" {name}={settings[name]}" for name in names if name in settings)
    return f"{trial.dataset_name} {trial.label or trial.method}{told} repetition {trial.index}"


def describe(result: TrialResult, repeated: bool = False, also: Varying | None = None) -> str:
    """One line about a finished trial; an error is left out if it is `repeated`."""
    seconds = sum(v for k, v in result.seconds.items() if k in ("fit", "predict") and v is not None)
    took = f" {seconds:.2f} s" if result.status == "ok" else ""
    why = f": {'the same error' if repeated else result.reason}" if result.reason else ""
    return f"{result.status} {name_of(result.trial, also)}{took}{why}"


class TimeLeft:
    """How long the rest of a run takes, by the times between finished trials."""

    FEWEST = 3  # times between trials below which nothing is said

    def __init__(self) -> None:
        self.last, self.gaps = time.monotonic(), list[float]()

    def after_one_more(self, remaining: int) -> str:
        """'2 to 4 min left' after one more finished trial: two standard errors of the sum of the remaining times."""
        now = time.monotonic()
        self.gaps.append(now - self.last)
        self.last, count = now, len(self.gaps)
        if count < self.FEWEST or not remaining:
            return ""
        mean, expected = fmean(self.gaps), remaining * fmean(self.gaps)
        spread = 2 * stdev(self.gaps, mean) * math.sqrt(remaining + remaining**2 / count)
        low, high = duration(max(expected - spread, mean)), duration(expected + spread)
        return f"{low} left" if low == high else f"{low} to {high} left"


class Clock:
    """Limits how often something is done: `due` is true at most once per interval (seconds)."""

    def __init__(self, interval: float):
        self.interval, self.last = interval, time.monotonic()

    def due(self) -> bool:
        if time.monotonic() - self.last < self.interval:
            return False
        self.last = time.monotonic()
        return True
