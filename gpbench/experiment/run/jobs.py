"""What runs in one process: a trial, a nested path that serves several d_max, or work that trials share."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpbench import catalog
from gpbench.experiment.plan.trial import Trial, digest
from gpbench.experiment.plan.trial_id import shared_plugin_code
from gpbench.versions import raised

_FIRST_KEYS = (  # of `hyperparameters`; those that came later enter the key of shared work by themselves
    "schedule", "from", "subset", "subset_of", "values", "rounds", "evaluations", "start_evaluations", "optimiser",
    "restarts", "prior",
)  # fmt: skip


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
    nested = {name: is_nested(catalog.find("method", name)) for name in {t.method for t in trials}}
    for trial in trials:
        groups.setdefault(trial.job_key if nested[trial.method] else (trial.id,), []).append(trial)
    queue, asked = Queue(), {}
    for group in groups.values():
        group.sort(key=lambda t: t.params.get("d_max") or 0)
        key = shared_key(group[0])
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


def is_nested(method: type) -> bool:
    """One path may serve several d_max: the method says so and has a path of its own."""
    from gpbench.methods.base import Method

    return method.nested and method.path is not Method.path


def shared_key(trial: Trial) -> str | None:
    """Names the full-GP fit that this trial starts from or keeps; None when it needs none."""
    if trial.hyperparameters.get("from") != "full-gp" or catalog.find("method", trial.method).learns_itself:
        return None
    versions = {k: v for k, v in trial.versions.items() if k not in ("method", "learner", "start_learner")}
    versions |= raised({"learner": trial.shared_learner})
    return digest([shared_stream_key(trial), versions]) if versions else shared_stream_key(trial)


def shared_stream_key(trial: Trial) -> str:
    """What the shared fit draws from: the versions of the code play no part."""
    h = trial.hyperparameters
    settings = [h["subset"], h.get("subset_of", "train"), shared_evaluations(h)]
    settings += [h.get(k) for k in ("optimiser", "restarts", "prior")]
    if added := {k: v for k, v in h.items() if k not in _FIRST_KEYS}:  # there only where they differ from the default
        settings.append(added)
    code = shared_plugin_code(trial.dataset, trial.kernel)  # edits of a method leave shared work as it is
    return digest([trial.data_key, trial.scale, trial.kernel, settings, code])


def shared_evaluations(h: dict) -> int:
    """Of the full GP's evidence; `evaluations` itself belongs to the method when the schedule is not `fixed`."""
    return h.get("evaluations" if h["schedule"] == "fixed" else "start_evaluations", 200)
