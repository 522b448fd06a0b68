"""Messages between a run's session, its executor and the processes that run trials.

Orders (RunContext, Job, Kill, Renew) go to the processes; events come back. `encode` and `decode` are the only code
that knows how a message is written: one line of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.trial_result import Status


@dataclass(frozen=True)
class RunContext:
    """What is the same for every job of a run; a server of processes gets it before its first job."""

    folder: str  # the results folder that jobs write to
    plugins: tuple[str, ...]  # paths of the plug-in files
    copies: dict[str, str]  # path of a user's file as trials name it -> path of the copy to read in its place
    memory_mb: float | None  # that a job may allocate
    save_predictions: bool
    metrics: tuple[str, ...]  # that are asked for; empty: all
    row_scheduler: str | None  # address of the Dask scheduler that computes parts of the rows of one model
    whole_paths: bool = False  # greedy paths go on past their stop to d_max


@dataclass(frozen=True)
class Job:
    """The trials that one process runs, or the full-GP fit that several trials need."""

    number: int
    trials: tuple[Trial, ...]  # of a full-GP fit: the trials that need it; the first one describes it
    needs_full_gp: str | None = None  # key of the full-GP fit that must be on disk before
    makes_full_gp: str | None = None  # key of the full-GP fit that this job computes
    env: str = ""  # id of the description of the machine that it runs on

    @property
    def logs(self) -> list[str]:
        """Names of the logs that the job may write, without suffix; the first one is opened when it begins."""
        first = [f"shared-{self.makes_full_gp}"] if self.makes_full_gp else []
        return [*first, *(trial.id for trial in self.trials)]


@dataclass(frozen=True)
class Kill:
    """End the process of a job."""

    job: int


@dataclass(frozen=True)
class Renew:
    """The run is alive: the lease of a server on a Dask worker begins again."""


@dataclass(frozen=True)
class Ready:
    """A machine is at hand."""

    env: dict[str, Any]  # versions of its packages, BLAS, CPU


@dataclass(frozen=True)
class Note:
    """A line for the user's terminal."""

    text: str


@dataclass(frozen=True)
class JobEvent:
    """An event of one job."""

    job: int  # its number


@dataclass(frozen=True)
class Started(JobEvent):
    """The process of a job has begun."""

    env: str  # id of the description of its machine
    pid: int | None  # None if the process is on another machine


@dataclass(frozen=True)
class Working(JobEvent):
    """How far a full-GP fit has come."""

    text: str


@dataclass(frozen=True)
class TrialDone(JobEvent):
    """The files of a trial are in the results folder."""

    trial: str  # its id


@dataclass(frozen=True)
class StorageFailed(JobEvent):
    """A result could not be written: the run must stop."""

    reason: str


@dataclass(frozen=True)
class FullGPFailed(JobEvent):
    """The full GP that other trials need could not be fitted."""

    reason: str


@dataclass(frozen=True)
class Exited(JobEvent):
    """The process of a job has ended; its trials without a result get the status that follows from this event."""

    code: int  # negative: number of the signal that killed it
    peak_mb: float
    oom: bool  # killed by the system for lack of memory


@dataclass(frozen=True)
class WorkerLost(JobEvent):
    """The server or the worker that ran a job is gone; how the job ended is not known, and it may be sent again."""

    reason: str


Order = RunContext | Job | Kill | Renew
Event = Ready | Note | JobEvent
Message = Order | Event


@dataclass(frozen=True)
class Outcome:
    """Status and reason of a trial that left no result."""

    status: Status
    reason: str = ""


_KINDS: dict[str, Any] = {  # the messages between this process, the fork server and its jobs
    kind.__name__: kind
    for kind in (
        RunContext, Job, Kill, Renew, Ready, Started, Working, TrialDone, StorageFailed, FullGPFailed, Exited,
    )
}  # fmt: skip
_IN_JSON: dict[Any, Any] = {float: (int, float), tuple: list}


def encode(message: Message) -> bytes:
    """One line between two line ends, so that bytes which a method writes to the same pipe spoil no message."""
    return f"\n{json.dumps({'kind': type(message).__name__, **asdict(message)})}\n".encode()


def decode(line: bytes) -> Message | None:
    """The message of a line; None if the line is none, because a method may write to every file it finds open."""
    try:
        body = json.loads(line)
        kind = _KINDS[body.pop("kind")]
        if not all(_fits(body[name], hint) for name, hint in _hints(kind).items()):
            return None
        fields = {name: tuple(value) if isinstance(value, list) else value for name, value in body.items()}
        if kind is Job:
            fields["trials"] = tuple(map(Trial.read, fields["trials"]))
        message: Message = kind(**fields)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return message


def _fits(value: object, hint: Any) -> bool:
    """Whether a value from JSON may stand in a field of this type."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (get_origin(hint) or hint,)
    return any(isinstance(value, _IN_JSON.get(kind, kind)) for kind in kinds)


_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


class MessageReader:
    """Splits the bytes of a pipe into messages; anything else in it is passed over."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[Message]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [message for line in lines if line and (message := decode(line)) is not None]
