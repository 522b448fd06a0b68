"""What a reader of a folder can do next: commands for what failed, what is missing and what is undecided."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpbench import catalog
from gpbench.analysis.series import SERIES
from gpbench.analysis.significance import FEW
from gpbench.text import counted

from .check_section import Seen
from .trial_data import TrialBook, label_option

MOST_FAILED = 3  # methods whose failures have a step of their own
MORE = 10  # times the limit that was too small


@dataclass(frozen=True)
class Step:
    text: str
    command: str = ""


def next_steps(book: TrialBook, found: list[Seen]) -> list[Step]:
    """The most urgent first."""
    results, steps = book.results, []
    folder = shlex.quote(results.path.as_posix())
    run = f"gpbench run {shlex.quote((results.path / 'config.resolved.yaml').as_posix())} -o {folder}{_plugins(book)}"
    steps += _failed(book, run)
    if (left := results.planned - len(results.rows)) > 0:
        steps.append(Step(f"{counted(left, 'trial')} of {results.planned} have not run. Continue:", run))
    if stale := int(results.ok["stale"].sum()):
        steps.append(Step(f"{counted(stale, 'trial')} used an older version of a method:", f"{run} --rerun stale"))
    if undecided := sum(s.verdict.needed is not None for s in found):
        text = f"{counted(undecided, 'printed number')} needs more repetitions to be decided:"
        steps.append(Step(text.replace("numbers needs", "numbers need"), f"{run} --for-check"))
    trials = results.ok.groupby(list(SERIES), dropna=False)["trial"].nunique()
    if len(trials) and trials.max() < FEW and not results.published:
        few = counted(int(trials.max()), "repetition")
        text = f"Each test has only {few}, too few to be sure. Run {FEW} repetitions; those that are done are kept:"
        steps.append(Step(text, f"{run} --set trials={FEW}"))
    if not steps:
        steps.append(Step("Every planned trial has a result. Compare with another folder:",
                          f"gpbench compare {folder} OTHER_FOLDER"))  # fmt: skip
    return steps


def _failed(book: TrialBook, run: str) -> Iterator[Step]:
    """One step for each method that failed, with what may help: more time, more memory, or a correction."""
    failures = book.results.failures
    if failures.empty:
        return
    labels = failures["label"].value_counts(sort=True)
    for label, count in list(labels.items())[:MOST_FAILED]:
        mine = failures[failures["label"] == label]
        reason = mine["reason"].mode().iloc[0]
        status = mine.loc[mine["reason"] == reason, "status"].iloc[0]
        text = f"{label}: {counted(count, 'trial')} failed ({reason.rstrip('.') or status}). "
        again = f"{run} --rerun failed -m {label_option(str(label))}"
        limit = re.search(r"(\d+\.?\d*)\s*(s|MB)\b", reason)
        if limit and status in ("timeout", "oom"):
            option, what = ("--timeout", "time") if status == "timeout" else ("--memory", "memory")
            yield Step(f"{text}Run them again with more {what}:", f"{again} {option} {float(limit[1]) * MORE:.0f}")
        else:
            yield Step(f"{text}Read the log of a trial under Failures; after a correction run them again:", again)
    if (others := len(labels) - MOST_FAILED) > 0:
        text = f"{counted(others, 'more method')} failed, in {counted(int(labels[MOST_FAILED:].sum()), 'trial')}:"
        yield Step(text, f"{run} --rerun failed")


def _plugins(book: TrialBook) -> str:
    """The option for methods that are not gpbench's own: the loaded files, else a word in their place."""
    if set(book.results.rows["method"].dropna()) <= catalog.own_names("method"):
        return ""
    names = [Path(path).name for path in catalog.plugin_paths()]  # a page tells nothing of the folders of a machine
    return "".join(f" --plugin {shlex.quote(name)}" for name in names) or " --plugin FILE.py"
