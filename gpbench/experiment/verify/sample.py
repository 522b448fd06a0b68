"""Choose archived trials to run again: first each paper's methods, data sets and kernels, then further trials."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.full_gp_key import full_gp_key
from gpbench.experiment.plan.plan import every_trial
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.plan.trial_id import LEARNERS
from gpbench.experiment.results import archive
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.experiment.run.duration import OVERHEAD, model_seconds
from gpbench.experiment.run.messages import Job
from gpbench.gp.kernels.build import names_in

_SHARE = 0.25  # largest part of the given time that one trial may take
_LONGEST = 60.0  # seconds of one trial


@dataclass(frozen=True)
class ArchivedTrial:
    """A finished trial of an archive with the trial that the present code plans for it."""

    folder: Path
    result: TrialResult
    paper: str = ""  # paper whose numbers the folder is compared with, or empty

    @property
    def trial(self) -> Trial:
        return self.result.trial

    @property
    def parts(self) -> tuple:
        """Parts that a sample holds at least once: method, data set, kernel."""
        t = self.trial
        return (self.paper, "method", t.method), ("dataset", t.dataset_name), ("kernel", *sorted(names_in(t.kernel)))

    @property
    def stratum(self) -> tuple:
        return self.folder, *self.parts

    @property
    def seconds(self) -> float:
        return sum(self.result.seconds.get(k) or 0.0 for k in ("fit", "predict"))


@dataclass(frozen=True)
class ArchivedFolder:
    path: Path
    kept: list[ArchivedTrial]  # finished trials that the present code can run
    stale: int  # finished trials of a version that the present code lacks
    unknown: int  # lines that the folder's config does not plan


def read(path: Path) -> ArchivedFolder:
    """The archive of a folder, matched with the plan of its config.resolved.yaml."""
    config = load_config(path / "config.resolved.yaml")
    planned, paper = every_trial(config), next((p["paper"] for p in config.published), "")
    results = archive.read(path, planned)
    succeeded = [t for t in planned if t.id not in results and t.versions]
    results |= archive.read(path, [e for t in succeeded for e in _runnable(t)])
    kept = [ArchivedTrial(path, r, paper) for r in results.values() if r.status == "ok"]
    rest = archive.ids(path) - results.keys()
    stale = rest & {e.id for t in succeeded for e in t.earlier()}
    superseded = rest & {e.id for t in planned if t.versions for e in t.earlier()} - stale if rest else set()
    return ArchivedFolder(path, kept, len(stale), len(rest - stale - superseded))


def _runnable(trial: Trial) -> Iterator[Trial]:
    """The trial with lower versions of the learner, which the code can still run (config key `learner`)."""
    if LEARNERS & trial.versions.keys():
        rest = {k: v for k, v in trial.versions.items() if k not in LEARNERS}
        for earlier in trial.earlier():
            if rest == {k: v for k, v in earlier.versions.items() if k not in LEARNERS}:
                yield earlier


def order(kept: Iterable[ArchivedTrial], seed: int) -> list[ArchivedTrial]:
    """All trials, ordered so that each prefix is a stratified sample; the seed chooses the trials of a stratum."""
    rest = sorted(kept, key=lambda k: (k.trial.id, str(k.folder)))
    random.Random(seed).shuffle(rest)
    first: list[ArchivedTrial] = []
    strata: dict[tuple, list[ArchivedTrial]] = {}
    seen: set = set()
    for k in rest:
        if not seen.issuperset(k.parts):
            seen.update(k.parts)
            first.append(k)
        else:
            strata.setdefault(k.stratum, []).append(k)
    rounds = max(map(len, strata.values()), default=0)
    return first + [part[i] for i in range(rounds) for part in strata.values() if i < len(part)]


def within(kept: Iterable[ArchivedTrial], seconds: float, seed: int) -> list[ArchivedTrial]:
    """A stratified sample whose recorded times fit into `seconds`; no trial takes over a minute or a quarter of it."""
    chosen, left, paid = [], seconds, set()
    longest = min(_LONGEST, _SHARE * seconds)
    for k in order((k for k in kept if k.seconds + _shared_seconds(k) <= longest), seed):
        key = full_gp_key(k.trial)
        needed = OVERHEAD + k.seconds + (0.0 if key in paid else _shared_seconds(k))
        if needed <= left:
            chosen.append(k)
            paid.add(key)
            left -= needed
    return chosen


def seconds_of(kept: list[ArchivedTrial]) -> float:
    """Seconds with one process; a full-GP fit that several trials use counts once."""
    shared = {key: _shared_seconds(k) for k in kept if (key := full_gp_key(k.trial))}
    return sum(OVERHEAD + k.seconds for k in kept) + sum(shared.values())


def _shared_seconds(kept: ArchivedTrial) -> float:
    """Seconds of the full-GP fit that a trial needs, estimated from flops because they are not recorded."""
    key = full_gp_key(kept.trial)
    return 0.0 if key is None else model_seconds(Job(0, (kept.trial,), makes_full_gp=key))
