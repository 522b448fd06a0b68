"""What a reader of a folder can do next: commands for what failed, what is missing and what is undecided."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass

from gpbench.analysis.series import SERIES
from gpbench.analysis.significance import FEW
from gpbench.text import counted

from .check_section import Seen
from .trial_data import TrialBook


@dataclass(frozen=True)
class Step:
    text: str
    command: str = ""


def next_steps(book: TrialBook, found: list[Seen]) -> list[Step]:
    """The most urgent first."""
    results, steps = book.results, []
    folder = shlex.quote(results.path.as_posix())
    run = f"gpbench run {shlex.quote((results.path / 'config.resolved.yaml').as_posix())} -o {folder}"
    if failed := len(results.failures):
        reason, count = Counter(results.failures["reason"]).most_common(1)[0]
        often = f"; most often ({count}): {reason}" if count < failed else f": {reason}"
        steps.append(Step(f"{counted(failed, 'trial')} failed{often}. Run them again:", f"{run} --rerun failed"))
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
        steps.append(Step(f"Tests rest on {few}; with {FEW} or more they say more. Raise trials in the config."))
    if not steps:
        steps.append(Step("Every planned trial has a result. Compare with another folder:",
                          f"gpbench compare {folder} OTHER_FOLDER"))  # fmt: skip
    return steps
