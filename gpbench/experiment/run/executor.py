"""The interface between a session and the place where its jobs run.

`local/executor.py` runs jobs in processes of this machine, `dask/executor.py` on the workers of a Dask scheduler.
The messages are those of `messages.py`. A session calls all methods from one thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .messages import Event, Job, Kill, RunContext


class ServerLost(Exception):
    """The fork server has ended by itself; every job it had is lost."""


class SchedulerLost(Exception):
    """The Dask scheduler is gone; finished trials are on disk."""


class Executor(ABC):
    longest_first = False  # with many slots the last long job decides when a run ends
    slots: int  # number of jobs that may run at the same time, at present

    @abstractmethod
    def start(self, context: RunContext) -> None:
        """Begin to prepare machines; jobs may be sent after the first Ready event."""

    @abstractmethod
    def send(self, order: Job | Kill) -> None:
        """Begin a job, or end its process: an Exited event follows, as after any other end."""

    @abstractmethod
    def receive(self, timeout: float) -> list[Event]:
        """Events that have arrived, after waiting at most `timeout` seconds for the first."""

    @abstractmethod
    def close(self) -> None:
        """End every job; no process of a job is left when this returns."""
