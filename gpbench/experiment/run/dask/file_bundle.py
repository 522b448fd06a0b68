"""Files that travel by content between machines: the user's plug-ins, tables and adapters, and a job's results."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gpbench import plugin_files
from gpbench.adapters import environment
from gpbench.experiment.plan.trial import Trial
from gpbench.text import is_python_file

from ..messages import Job


@dataclass(frozen=True)
class FileBundle:
    """The user's files that trials need; each with the files beside it that it needs, content by name, itself first."""

    plugins: list[dict[str, bytes]] = field(default_factory=list)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)  # by the path that trials name

    @classmethod
    def of(cls, plugins: list[str], trials: list[Trial]) -> FileBundle:
        """The plug-ins, and the tables and adapters that the trials name."""
        tables = dict.fromkeys(t.dataset["csv"] for t in trials if "csv" in t.dataset)
        adapters = dict.fromkeys(t.params["external"] for t in trials if t.method == "external")
        files = {p: {Path(p).name: Path(p).read_bytes()} for p in tables}
        files |= {p: environment.bundle(p) for p in adapters if is_python_file(p)}
        return cls([plugin_files.bundle(p) for p in plugins], files)

    def unpack(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        """Paths of the plug-ins and, by the path that trials name, of the copies of files: for a RunContext."""
        plugins = [_write(folder / f"plugin-{i}", bundle) for i, bundle in enumerate(self.plugins)]
        copies = {p: _write(folder / f"file-{i}", bundle) for i, (p, bundle) in enumerate(self.files.items())}
        return plugins, copies


def _write(home: Path, bundle: dict[str, bytes]) -> str:
    """Writes the files and returns the path of the first."""
    for name, content in bundle.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    return str(home / next(iter(bundle)))


def full_gp_file(key: str) -> str:
    """Path within a results folder."""
    return f"shared/{key}.json"


def trial_files(id: str) -> list[str]:
    """Paths, within a results folder, of the files of a finished trial, arrays first."""
    return [f"trials/{id}.npz", f"trials/{id}.json", f"failures/{id}.json"]


def end_files(job: Job) -> list[str]:
    """Paths, within a results folder, of the other files that a job writes."""
    fits = [full_gp_file(job.makes_full_gp)] if job.makes_full_gp else []
    return [*fits, *(f"logs/{name}.log" for name in job.logs)]
