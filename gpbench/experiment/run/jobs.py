"""The jobs of a run and what their ends mean. A job is a trial, a nested path of several sizes, or a full-GP fit."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass, field

from gpbench import catalog
from gpbench.errors import StorageError
from gpbench.experiment.plan.full_gp_key import full_gp_key
from gpbench.experiment.plan.trial import Trial

from .local.os_limits import CPU_LIMIT
from .local.worker import STORAGE_EXIT
from .messages import Exited, Job, Outcome


@dataclass
class JobState:
    """What the session remembers of a job; it is never sent."""

    job: Job
    deadline: float = float("inf")
    overdue: bool = False
    pid: int | None = None  # of its process
    losses: int = 0  # how often its server or worker died while the job ran


@dataclass
class Queue:
    """Jobs in the order of the plan; a job waits until the full-GP fit it needs is done."""

    waiting: list[JobState] = field(default_factory=list)
    ready: set[str] = field(default_factory=set)  # keys of full-GP fits that are done

    def next(self) -> JobState | None:
        """Removes and returns the first job that need not wait; None if there is none."""
        for i, state in enumerate(self.waiting):
            if state.job.needs_full_gp is None or state.job.needs_full_gp in self.ready:
                return self.waiting.pop(i)
        return None

    def drop(self, key: str) -> list[Job]:
        """Removes and returns the jobs that need a full-GP fit which has failed."""
        dropped = [s.job for s in self.waiting if s.job.needs_full_gp == key]
        self.waiting = [s for s in self.waiting if s.job.needs_full_gp != key]
        return dropped


def jobs_for(trials: list[Trial], have_full_gp: Callable[[str], bool]) -> Queue:
    """The jobs of the missing trials; `have_full_gp(key)` says whether a full-GP fit is on disk already."""
    groups: dict[tuple[object, ...], list[Trial]] = {}
    nested = {name: catalog.find("method", name).has_path() for name in {t.method for t in trials}}
    for trial in trials:
        groups.setdefault(trial.job_key if nested[trial.method] else (trial.id,), []).append(trial)
    users: dict[str | None, list[Trial]] = {}
    for group in groups.values():
        group.sort(key=lambda t: t.params.get("d_max") or 0)
    keys = [full_gp_key(group[0]) for group in groups.values()]
    for key, group in zip(keys, groups.values()):
        users.setdefault(key, []).extend(group)
    queue = Queue()
    for key, group in zip(keys, groups.values()):
        if key is not None and (waiting := users.pop(key, None)):  # the first job that needs it
            if have_full_gp(key):
                queue.ready.add(key)
            else:
                queue.waiting.append(JobState(Job(len(queue.waiting), tuple(waiting), makes_full_gp=key)))
        queue.waiting.append(JobState(Job(len(queue.waiting), tuple(group), needs_full_gp=key)))
    return queue


def outcome_of_exit(state: JobState, event: Exited, timeout: float | None) -> Outcome:
    """Outcome of the trials without a result in a process that has ended."""
    if state.overdue:
        return timed_out(timeout)
    if event.oom:
        return Outcome("oom", "killed by the system for lack of memory")
    if event.code == -signal.SIGXCPU:
        raise StorageError(CPU_LIMIT)
    if event.code < 0:
        names = {s.value: s.name for s in signal.Signals}
        return Outcome("crashed", f"killed by {names.get(-event.code, f'signal {-event.code}')}")
    if event.code == STORAGE_EXIT:
        raise StorageError("a worker could not write its result")
    return Outcome("crashed", f"exited with code {event.code}")


def timed_out(timeout: float | None) -> Outcome:
    return Outcome("timeout", f"over the time limit of {timeout:g} s")
