"""Our own disk: files that are whole or absent, JSON, hashes, and telling our trouble from that of the other side."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gpbench.errors import DataError, GpbenchError, StorageError

TEMPORARY = ".tmp-"  # begins the names of files that are being written; no pattern for data or results matches it
_OURS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content takes the place of the file when the block ends; an OSError comes as it is.

    After a crash at any moment the file holds its old content or all of the new one.
    """
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{path.name}.part")
    try:
        temporary.unlink(missing_ok=True)  # of a killed process with the same number
        with open(descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as f:
            yield f
            f.flush()
            os.fsync(f.fileno())
        os.replace(temporary, path)
        _fsync_folder(path.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def writing(path) -> Iterator[None]:
    """Around work on a file that the user has named: an OSError becomes a sentence (exit 7)."""
    try:
        yield
    except OSError as e:
        folder = Path(path).parent
        why = e.strerror or str(e) if folder.is_dir() else f"there is no folder {folder}"
        raise StorageError(f"cannot write {path}: {why}; name another file") from e


def refuse_unwritable(path) -> None:
    """Before the work whose result goes to that file: StorageError where it could not be written."""
    path = Path(path)
    with writing(path):
        if path.exists():
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        else:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            path.unlink()


def descriptor(path: Path, flags: int) -> int:
    """Of a plain file; a link, a pipe or a device in its place is refused, not followed."""
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "it is not a plain file")
    return fd


def _fsync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sweep(folder: Path) -> None:
    """Remove what an interrupted write left behind."""
    for leftover in folder.glob(f"{TEMPORARY}*"):
        leftover.unlink(missing_ok=True)


def read_json(file: Path, what: str = "", error: type[GpbenchError] = DataError) -> Any:
    """The content; `what` the file is, and the `error` that it is to its reader, are said where it cannot be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise error(f"{what}{file}: not readable as JSON ({e})") from e


def raise_if_ours(error: BaseException, path) -> None:
    """A StorageError where the error says that there is no room, or no leave, to write."""
    number = getattr(getattr(error, "reason", error), "errno", None)
    if number in _OURS:
        message = f"cannot write {path} ({error.strerror}); make room, or set GPBENCH_DATA and TMPDIR to other folders"
        raise StorageError(message) from error


def raw_hash(path) -> str:
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(f)


def _digest(f) -> str:
    h = hashlib.sha256()
    while block := f.read(1 << 20):
        h.update(block)
    return h.hexdigest()
