"""Functions behind `gpbench data fetch|verify|cite|audit`; they return what the command line prints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from gpbench import catalog
from gpbench.errors import DataError

from .audit import audit as audit_of
from .dataset import Dataset
from .fetch import obtain as fetching
from .source import Source
from .spec import load, source_of
from .tables import csv_file
from .tables.csv_columns import Choices
from .tables.csv_words import as_option


@dataclass(frozen=True)
class FetchReport:
    name: str
    place: str  # generated | cache | mirror | https | pypi
    origin: str  # address, package or file of the data; the recipe of generated data
    files: tuple[Path, ...]
    notes: tuple[str, ...]  # rounded copy, stand-in, simulated, ...
    sha256: str  # of the processed arrays; empty for generated data

    def __str__(self) -> str:
        if self.place == "generated":
            return f"generated ({self.origin})"
        origin = "" if self.place in ("cache", "mirror") else f" ({self.origin})"
        return f"{', '.join(map(str, self.files))} from {self.place}{origin}" + "".join(f"; {n}" for n in self.notes)


@dataclass(frozen=True)
class VerifyReport:
    name: str
    rows: int  # 0 for generated data
    files: tuple[Path, ...]  # the cached files that the rows were read from
    sha256: str  # of the processed arrays

    def __str__(self) -> str:
        if not self.files:
            return "generated: nothing to verify"
        return f"{self.rows} rows verified from {', '.join(map(str, self.files))}, arrays {self.sha256[:16]}..."


def fetch(name: str, offline=None, mirror=None, data_dir=None) -> FetchReport:
    """Put the verified data set into the cache; DataError if no place has it, StorageError if it cannot be stored."""
    source = source_of({"name": name})
    if source.generated or not source.copies:
        return FetchReport(name, "generated", source.home, (), source.notes, "")
    found = fetching.obtain(source, fetching.Places.find(offline, mirror, data_dir), must_cache=True)
    return FetchReport(name, found.place, found.copy.at, found.paths, found.dataset.notes, found.dataset.sha256)


def verify(name: str, data_dir=None) -> VerifyReport:
    """Hash the cached raw files and the arrays made from them again; a DataError names every wrong file."""
    source = source_of({"name": name})
    if source.generated or not source.copies:
        return VerifyReport(name, 0, (), "")
    places = replace(fetching.Places.find(True, "", data_dir), mirror="")  # the cache only
    known = {places.data / f.path: f for f in source.files}
    damaged = [str(path) for path, f in known.items() if path.is_file() and not fetching.sound(path, f)]
    if damaged:
        raise DataError(f"{name}: {', '.join(damaged)} is damaged (wrong hash): run `gpbench data fetch {name}`")
    if not fetching.at_hand(source, places):
        raise DataError(f"{name} is not in {places.data}: run `gpbench data fetch {name}`")
    found = fetching.obtain(source, places)
    return VerifyReport(name, found.dataset.n, found.paths, found.dataset.sha256)


def audit(name: str, target: str = "", task: str = "regression", missing: str = "median") -> dict[str, str]:
    """Audit the rows of a data set, downloaded if necessary, or of a csv file.

    The default `target` of a file is its last column.
    """
    if name in catalog.available("dataset") or not (csv_file.exists(name) or name.endswith(".csv")):
        return audit_of(load({"name": name})).facts()
    target = target or csv_file.table(name)[0][-1]
    found = csv_file.look(name, target, task, Choices(categorical="one-hot", missing=missing), as_option)
    if found.faults:  # the text of a person's table: what fit makes of it
        auto = csv_file.look(name, target, task, Choices(columns="auto", missing=missing), as_option)
        if auto.faults:
            raise DataError.of_lines(found.faults)
        found = auto
    return audit_of(Dataset(name, found.X, found.y, task)).facts(found.encoding.inputs)


def audit_at_hand(cls: type[Source]) -> dict[str, str]:
    """Audit of a data set whose files are on this machine, else {}. Downloads and writes nothing."""
    if not cls.copies or any(f.is_required() for f in cls.model_fields.values()):
        return {}
    try:
        found = fetching.read_at_hand(cls(), fetching.Places.find(True))
    except DataError as e:
        return {"not possible": str(e)}
    return audit_of(found).facts() if found else {}


def cite(name: str) -> str:
    """Title, reference, licence and home, ready to paste."""
    cls = catalog.find("dataset", name)
    lines = [cls.title, f"  {cls.citation}", f"  licence: {cls.licence}", f"  from: {cls.home}"]
    return "\n".join(lines + [f"  note: {note}" for note in cls.notes])
