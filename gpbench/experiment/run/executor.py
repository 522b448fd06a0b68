"""Where jobs run: the interface between a session and whatever starts processes for it.

A session calls, always from one thread:

    start()             get ready; the first `ready` event tells that jobs may be sent
    slots               jobs that may be at work at the same time, as things stand
    send(**command)     begin a job: {"job": number, "trials": [...], "folder": ..., ...}, plain JSON
    kill(job)           end its process; an `exit` event follows as for any other end
    receive(timeout)    events that have arrived, after waiting at most so many seconds for the first
    close()             end every job; nothing of them runs when this returns

Events are JSON objects with a key `event`:

    ready    env                        a machine is at hand, described by its versions, BLAS and CPU
    start    job [pid] [env]            its process has begun; `env` is the id of its machine's description
    result   job trial                  this trial's files are in the results folder
    storage  job message                a result could not be written: the run must stop
    shared-failed  job reason           the full GP that other trials need could not be fitted
    exit     job code peak_mb oom       its process is gone; trials without a result share its fate
    lost     job reason                 what ran it is gone, and no word of it: it may be given out again
    note     text                       for the person at the terminal

`pool.py` implements it with processes of this machine, `cluster.py` with the workers of a Dask scheduler.
"""

from __future__ import annotations

from abc import ABC, abstractmethod


class ServerLost(Exception):
    """The fork server ended by itself; every job it had is lost."""


class SchedulerLost(Exception):
    """The scheduler that joins the machines is gone; what was finished is on disk."""


class Executor(ABC):
    longest_first = False  # with many slots the last long job decides when a run ends

    @property
    @abstractmethod
    def started(self) -> bool: ...

    @property
    @abstractmethod
    def slots(self) -> int: ...

    @abstractmethod
    def start(self) -> None: ...

    @abstractmethod
    def send(self, **command) -> None: ...

    @abstractmethod
    def kill(self, job: int) -> None: ...

    @abstractmethod
    def receive(self, timeout: float) -> list[dict]: ...

    @abstractmethod
    def close(self) -> None: ...
