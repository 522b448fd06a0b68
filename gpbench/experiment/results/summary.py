"""Counts of finished, failed and missing trials, and the exit code that follows."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpbench.errors import MissingExtra
from gpbench.experiment.plan.trial import Trial

from .inventory import FINAL, Inventory
from .trial_result import TrialResult


@dataclass
class Summary:
    """Counts over the trials that were asked for."""

    done: int = 0  # ok or skipped
    skipped: int = 0
    failed: int = 0
    left: int = 0
    stale: int = 0  # done, but with an earlier version of the code
    ran: int = 0  # trials that ended during this call
    signal: int | None = None  # that ended the run early
    failures: list[TrialResult] = field(default_factory=list)

    @property
    def missing_extra(self) -> str | None:
        """What to install, if a missing optional package is the only cause of failures."""
        mark = f"{MissingExtra.__name__}: "
        found = [r.reason.partition(mark)[2] for r in self.failures]  # after "full-GP hyperparameters:", in shared work
        return f"{found[0]}; then --rerun failed runs those trials" if found and all(found) else None

    @property
    def exit_code(self) -> int:
        if self.signal is not None:
            return 128 + self.signal
        if self.missing_extra:
            return 5
        return 1 if self.failed or self.left else 0

    @property
    def message(self) -> str:
        inside = [f"{n} {what}" for n, what in ((self.skipped, "skipped"), (self.stale, "stale")) if n]
        others = f" ({', '.join(inside)})" if inside else ""
        others += f", {self.failed} failed" if self.failed else ""
        if self.left:
            return f"{self.done} done{others}, {self.left} left; the same command continues"
        again = [name for n, name in ((self.stale, "stale"), (self.failed, "failed")) if n]
        retry = "; " + " and ".join(f"--rerun {name}" for name in again) + " runs them again" if again else ""
        cured = [r for r in self.failures if r.status == "oom" or f"{MissingExtra.__name__}: " in r.reason]
        cause = " once their cause is gone" if cured and len(cured) == len(self.failures) and not self.stale else ""
        if cured and not cause:
            cause = f" ({len(cured)} for lack of memory or of a package: once that is there)"
        return f"{self.done} done{others}{retry}{cause}"


def summarise(trials: list[Trial], known: Inventory) -> Summary:
    """Counts of these trials; a stale result counts as done where a trial has no other."""
    results, stale = known.results, known.stale
    old = [stale[t.id] for t in trials if t.id in stale and t.id not in results]
    found = [results[t.id] for t in trials if t.id in results] + old
    failures = [r for r in found if r.status not in FINAL]
    return Summary(
        done=len(found) - len(failures),
        skipped=sum(r.status == "skipped" for r in found),
        failed=len(failures),
        left=len(trials) - len(found),
        stale=len(old),
        failures=failures,
    )
