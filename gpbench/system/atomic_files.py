"""Our own disk: files that are whole or absent, JSON, hashes, and telling our trouble from that of the other side."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
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
    with _beside(path) as (temporary, f):
        yield f
        f.flush()
        os.fsync(f.fileno())
        os.replace(temporary, path)
        _fsync_folder(path.parent)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file in the same folder, and a stream into it; it is removed when the block ends, unless it was renamed."""
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{path.name}.part")
    temporary.unlink(missing_ok=True)  # of a killed process with the same number
    try:
        with open(descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as f:
            yield temporary, f
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing_files(folder: Path, seal: str) -> Iterator[Path]:
    """A folder for new files, which take the place of those of the same names in `folder` when the block ends.

    The file `seal` describes the others: it is removed before the first of them is moved and is moved last, so that no
    folder with it holds a mixture. Other files of `folder` stay; an OSError comes as it is.
    """
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    staged = folder / f"{TEMPORARY}{os.getpid()}"
    try:
        for leftover in folder.glob(f"{TEMPORARY}*"):  # of a killed process
            shutil.rmtree(leftover)
        staged.mkdir()
        yield staged
        _move_files(staged, folder, seal)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        if made:
            with contextlib.suppress(OSError):  # it is not empty: the files are there
                folder.rmdir()


def _move_files(staged: Path, folder: Path, seal: str) -> None:
    names = sorted(file.relative_to(staged) for file in staged.rglob("*") if file.is_file())
    homes = sorted({(folder / name).parent for name in names})
    for home in homes:  # as long as the older files are whole: a full disk may refuse a folder
        home.mkdir(parents=True, exist_ok=True)
    (folder / seal).unlink(missing_ok=True)
    _fsync_folder(folder)
    for name in names:
        if name != Path(seal):
            os.replace(staged / name, folder / name)
    for home in homes:
        _fsync_folder(home)
    os.replace(staged / seal, folder / seal)
    _fsync_folder(folder)


@contextlib.contextmanager
def naming(path) -> Iterator[None]:
    """Around work on a file that the user has named: an OSError becomes a sentence with its name (exit 7)."""
    try:
        yield
    except BrokenPipeError:  # the file is a pipe, and its reader is gone
        raise
    except OSError as e:
        folder = Path(os.path.realpath(path) if Path(path).is_symlink() else path).parent
        why = e.strerror or str(e) if folder.is_dir() else f"there is no folder {folder}"
        raise StorageError(f"cannot write {path}: {why}; name another file") from e


@contextlib.contextmanager
def writing(path) -> Iterator[BinaryIO]:
    """A stream into a file that the user has named, which keeps its older content until the block has ended well.

    A link stays a link, and what it leads to is replaced; a device or a pipe has no older content and is written to.
    """
    refuse_unwritable(path)
    with naming(path):
        if _is_special(path):
            with open(path, "wb") as stream:
                yield stream
            return
        place = Path(os.path.realpath(path))
        with replacing(place) as stream:
            if place.exists():  # with the permissions that the user gave it
                os.fchmod(stream.fileno(), stat.S_IMODE(place.stat().st_mode))
            yield stream


def write(path, content: str | bytes) -> None:
    """Put the content into a file that the user has named, as `writing` does."""
    with writing(path) as stream:
        stream.write(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))


def refuse_unwritable(path) -> None:
    """Before the work whose result goes to that file: StorageError where it could not be written."""
    with naming(path):
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_special(path):
            with _beside(Path(os.path.realpath(path))):
                pass  # whether its folder takes a new file
        if Path(path).exists() and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _is_special(path) -> bool:
    """Whether a device, a pipe or a socket is there."""
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def descriptor(path: Path, flags: int) -> int:
    """Descriptor of a plain file; a link, a pipe or a device in its place is refused."""
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
    """The JSON content; raises `error`, which names `what` the file is, if it cannot be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise error(f"{what}{file}: not readable as JSON ({e})") from e


def raise_if_ours(error: BaseException, path) -> None:
    """Raise a StorageError if the error says that there is no space, or no permission, to write."""
    number = getattr(getattr(error, "reason", error), "errno", None)
    if number in _OURS:
        reason = getattr(error, "strerror", error)
        raise StorageError(
            f"cannot write {path} ({reason}); free some space, or set GPBENCH_DATA and TMPDIR to other folders"
        ) from error


def raw_hash(path) -> str:
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(f)


def _digest(f) -> str:
    h = hashlib.sha256()
    while block := f.read(1 << 20):
        h.update(block)
    return h.hexdigest()
