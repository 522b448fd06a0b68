"""Where the raw files of a data set are: facts only; `obtain.py` gets them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_RAW = "https://raw.githubusercontent.com"  # files of public repositories at a fixed commit
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
    sha256: str = ""  # of the raw bytes; empty: unknown, then only the hash of the processed arrays is checked
    url: str = ""  # https address of the file, or of an archive that contains it
    package: str = ""  # name==version on a Python index
    package_sha256: str = ""  # sha256 of the package's archive, which identifies it
    member: str = ""  # name inside the archive of `url` or `package`; "outer.tar.gz!inner" for an archive in it
    installed: str = ""  # its place in an installed package, "sklearn/datasets/data/iris.csv"; no code of it runs
    limit: int = 50_000_000  # bytes; a download stops when it exceeds them


@dataclass(frozen=True)
class Copy:
    """One raw form of a data set: its files and how to read them, with rows in the data set's own order."""

    files: tuple[RemoteFile, ...]
    read: Callable  # (local path of each file) -> (X, y), or (X, y, rows of the published training part)
    arrays: str = ""  # sha256 of the processed arrays (dataset.fingerprint); empty only for the user's own files
    note: str = ""  # how it differs from the published rows (rounded, say); printed with every number
    shape: tuple[int, int] | None = None  # if it differs from the data set's
    user: bool = False  # the user's own files: only their shape is checked, and they are never downloaded

    @property
    def at(self) -> str:
        """Origin of the copy, for messages."""
        f = self.files[0]
        return f.url or (f.package and f"pip package {f.package}") or f.path


def one_file(path: str, sha256: str, read: Callable, arrays: str, note: str = "", **where) -> Copy:
    """A copy that is a single file; `where` gives its url, package, member."""
    return Copy((RemoteFile(path, sha256, **where),), read, arrays, note)
