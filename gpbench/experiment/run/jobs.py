"""What runs in one process: a trial, a nested path that serves several d_max, or work that trials share."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpbench import catalog
from gpbench.experiment.plan.full_gp_key import full_gp_key
from gpbench.experiment.plan.trial import Trial


@dataclass
class Job:
    number: int
    trials: list[Trial]  # for shared work: those that wait for it; the first describes it
    needs: str | None = None  # key of the shared work that must be done before
    shared: str | None = None  # key of the shared work that this job does
    deadline: float = float("inf")
    overdue: bool = False
    pid: int | None = None  # of its process
    env: str = ""  # id of the description of the machine it runs on
    losses: int = 0  # how often the server, or a worker of a cluster, died while this job was at work

    @property
    def name(self) -> str:
        """Of the log it begins with."""
        return f"shared-{self.shared}" if self.shared else self.trials[0].id


@dataclass
class Queue:
    """Jobs in the order of the plan; a job waits until the shared work it needs is done."""

    waiting: list[Job] = field(default_factory=list)
    ready: set[str] = field(default_factory=set)  # keys of shared work that is done

    def next(self) -> Job | None:
        for i, job in enumerate(self.waiting):
            if job.needs is None or job.needs in self.ready:
                return self.waiting.pop(i)
        return None

    def drop(self, key: str) -> list[Job]:
        """Take out the jobs that will never have what they need."""
        lost = [j for j in self.waiting if j.needs == key]
        self.waiting = [j for j in self.waiting if j.needs != key]
        return lost


def jobs_for(trials: list[Trial], have_shared) -> Queue:
    """The jobs of the missing trials; `have_shared(key)` says whether shared work is on disk already."""
    groups: dict[tuple, list[Trial]] = {}
    nested = {name: catalog.find("method", name).has_path() for name in {t.method for t in trials}}
    for trial in trials:
        groups.setdefault(trial.job_key if nested[trial.method] else (trial.id,), []).append(trial)
    queue, asked = Queue(), {}
    for group in groups.values():
        group.sort(key=lambda t: t.params.get("d_max") or 0)
        key = full_gp_key(group[0])
        if key is not None and key not in asked:
            asked[key] = Job(len(queue.waiting), [], shared=key)
            if have_shared(key):
                queue.ready.add(key)
            else:
                queue.waiting.append(asked[key])
        if key is not None:
            asked[key].trials += group
        queue.waiting.append(Job(len(queue.waiting), group, needs=key))
    return queue
