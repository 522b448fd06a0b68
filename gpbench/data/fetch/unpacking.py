"""Extract one member from an untrusted zip or tar archive.

Only that member is written, under a name chosen by gpbench. An archive that contains a path to the outside, a link, a
device or too many bytes is refused before anything is written.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from gpbench.errors import DataError
from gpbench.system import atomic_files

TOTAL = 1_000_000_000  # bytes that all members together may unpack to
_BLOCK = 1 << 20
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


def extract(archive: Path, member: str, out: Path, limit: int) -> None:
    """Write `member` to `out`; "outer.tar.gz!inner" takes it from an archive inside the archive."""
    member, _, inner = member.partition("!")
    target = out if not inner else Path(tempfile.mkdtemp(dir=out.parent)) / "inner"
    try:
        if zipfile.is_zipfile(archive):
            _from_zip(archive, member, target, limit)
        elif tarfile.is_tarfile(archive):
            _from_tar(archive, member, target, limit)
        else:
            raise DataError(f"{archive.name} is neither a zip nor a tar archive")
    except _DAMAGED as e:
        atomic_files.raise_if_ours(e, target)
        raise DataError(f"{archive.name} is a damaged archive ({e})") from e
    if inner:
        extract(target, inner, out, limit)
        shutil.rmtree(target.parent)


def _from_zip(archive: Path, member: str, out: Path, limit: int) -> None:
    with zipfile.ZipFile(archive) as z:
        total = 0
        for info in z.infolist():
            link = (info.external_attr >> 16) & 0o170000 == 0o120000
            total = _admit(archive, info.filename, link, total + info.file_size)
        if member not in z.namelist():
            raise DataError(f"{archive.name} has no member {member}")
        _size(archive, member, z.getinfo(member).file_size, limit)
        with z.open(member) as src:
            _copy(archive, member, src, out, limit)


def _from_tar(archive: Path, member: str, out: Path, limit: int) -> None:
    # check each header before its content is unpacked
    with tarfile.open(archive) as t:
        total, found = 0, None
        for info in t:
            special = not (info.isfile() or info.isdir())
            total = _admit(archive, info.name, special, total + info.size)
            if info.name.removeprefix("./") == member:
                found = info
        if found is None:
            raise DataError(f"{archive.name} has no member {member}")
        _size(archive, member, found.size, limit)
        with t.extractfile(found) as src:
            _copy(archive, member, src, out, limit)


def _admit(archive: Path, name: str, link: bool, total: int) -> int:
    path = PurePosixPath(name.replace("\\", "/"))
    drive = bool(path.parts) and path.parts[0].endswith(":")
    if path.is_absolute() or drive or ".." in path.parts:
        raise DataError(f"{archive.name} is refused: its member {name} leads outside the archive")
    if link:
        raise DataError(f"{archive.name} is refused: its member {name} is a link or a device")
    if total > TOTAL:
        raise DataError(f"{archive.name} is refused: it unpacks to more than {TOTAL} bytes")
    return total


def _size(archive: Path, member: str, size: int, limit: int) -> None:
    if size > limit:
        raise DataError(f"{archive.name} is refused: {member} unpacks to {size} bytes, more than the {limit} allowed")


def _copy(archive: Path, member: str, src, out: Path, limit: int) -> None:
    """Copy with a limit on the size, because the size in a header may be wrong."""
    count = 0
    try:
        with open(out, "wb") as f:
            while block := src.read(_BLOCK):
                count += len(block)
                _size(archive, member, count, limit)
                f.write(block)
    except BaseException:
        out.unlink(missing_ok=True)
        raise
