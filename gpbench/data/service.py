"""What `gpbench data fetch|verify|cite` do: plain functions that return what the command line prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpbench import catalog
from gpbench.errors import DataError

from . import fetch as fetching
from .spec import source_of


@dataclass(frozen=True)
class FetchReport:
    name: str
    place: str  # generated | cache | mirror | https | pypi
    origin: str  # the address, package or file it came from
    files: tuple[Path, ...]
    notes: tuple[str, ...]  # rounded copy, stand-in, simulated, ...
    sha256: str  # of the processed arrays; empty for generated data


@dataclass(frozen=True)
class FileCheck:
    path: Path
    state: str  # ok | damaged | unrecorded (no raw hash is known: the processed arrays decide)
    sha256: str


@dataclass(frozen=True)
class VerifyReport:
    name: str
    ok: bool
    message: str  # one sentence
    files: tuple[FileCheck, ...]


def fetch(name: str, offline=None, mirror=None, data_dir=None) -> FetchReport:
    """Have the data set in the cache, verified; DataError when no place has it, StorageError when it cannot be kept."""
    source = source_of({"name": name})
    if source.generated or not source.copies:
        return FetchReport(name, "generated", source.home, (), source.notes, "")
    found = fetching.obtain(source, fetching.Places.find(offline, mirror, data_dir), must_cache=True)
    return FetchReport(name, found.place, found.copy.at, found.paths, found.dataset.notes, found.dataset.sha256)


def verify(name: str, data_dir=None) -> VerifyReport:
    """Hash the cached raw files and the arrays made of them again."""
    source = source_of({"name": name})
    if source.generated or not source.copies:
        return VerifyReport(name, True, f"{name} is generated: nothing to verify", ())
    places = fetching.Places.find(True, "", data_dir)
    known = {f.path: f for f in source.files}
    checks = tuple(_check(places.data / f.path, f) for f in known.values() if (places.data / f.path).is_file())
    try:
        found = fetching.obtain(source, fetching.Places(places.data, "", True))
    except DataError as e:
        return VerifyReport(name, False, str(e), checks)
    damaged = [str(c.path) for c in checks if c.state == "damaged"]
    if damaged:
        return VerifyReport(name, False, f"{name}: {', '.join(damaged)} does not have its recorded hash", checks)
    return VerifyReport(name, True, f"{name}: {found.dataset.n} rows verified from {found.paths[0]}", checks)


def cite(name: str) -> str:
    """Title, reference, licence and home, ready to paste."""
    cls = catalog.find("dataset", name)
    lines = [f"{cls.name}: {cls.title}", f"  {cls.citation}", f"  licence: {cls.licence}", f"  from: {cls.home}"]
    return "\n".join(lines + [f"  note: {note}" for note in cls.notes])


def _check(path: Path, file) -> FileCheck:
    sha = fetching.raw_hash(path)
    state = "unrecorded" if not file.sha256 else "ok" if sha == file.sha256 else "damaged"
    return FileCheck(path, state, sha)
