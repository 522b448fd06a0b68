"""What a machine without our files needs to run our trials: plug-ins, the user's csv and adapter files, by content."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gpbench import plugin_files
from gpbench.adapters import environment
from gpbench.experiment.plan.trial import Trial
from gpbench.text import is_python_file


@dataclass(frozen=True)
class Parcel:
    """Of each plug-in and file a bundle, content by name: itself first, then what it needs beside it."""

    plugins: list[dict[str, bytes]] = field(default_factory=list)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)  # by the path that trials name

    @classmethod
    def of(cls, plugins: list[str], trials: list[Trial]) -> Parcel:
        tables = dict.fromkeys(t.dataset["csv"] for t in trials if "csv" in t.dataset)
        adapters = dict.fromkeys(t.params["external"] for t in trials if t.method == "external")
        files = {p: {Path(p).name: Path(p).read_bytes()} for p in tables}
        files |= {p: environment.bundle(p) for p in adapters if is_python_file(p)}
        return cls([plugin_files.bundle(p) for p in plugins], files)

    def unpack(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        """Paths of the plug-ins and, by the path that trials name, of the copies of files: for a job's command."""
        plugins = [_write(folder / f"plugin-{i}", bundle) for i, bundle in enumerate(self.plugins)]
        copies = {p: _write(folder / f"file-{i}", bundle) for i, (p, bundle) in enumerate(self.files.items())}
        return plugins, copies


def _write(home: Path, bundle: dict[str, bytes]) -> str:
    """The path of its first file."""
    for name, content in bundle.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    return str(home / next(iter(bundle)))
