"""What a machine without our files needs to run our trials: plug-ins and the user's csv files, by content."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gpbench import plugin_files


@dataclass(frozen=True)
class Parcel:
    plugins: list[dict[str, bytes]] = field(
        default_factory=list
    )  # of each, the file itself first, then what it imports
    files: dict[str, bytes] = field(default_factory=dict)  # content by the path that trials name

    @classmethod
    def of(cls, plugins: list[str], datasets: list[dict]) -> Parcel:
        paths = dict.fromkeys(d["csv"] for d in datasets if "csv" in d)
        return cls([plugin_files.bundle(p) for p in plugins], {p: Path(p).read_bytes() for p in paths})

    def unpack(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        """Paths of the plug-ins and, by the path that trials name, of the copies of files: for a job's command."""
        plugins, copies = [], {}
        for i, bundle in enumerate(self.plugins):
            home = folder / f"plugin-{i}"
            for name, content in bundle.items():
                _write(home / name, content)
            plugins.append(str(home / next(iter(bundle))))
        for i, (path, content) in enumerate(self.files.items()):
            _write(copy := folder / f"file-{i}", content)
            copies[path] = str(copy)
        return plugins, copies


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
