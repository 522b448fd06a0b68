"""Our own disk: the sha256 of a file, and telling its trouble from that of the other side."""

from __future__ import annotations

import errno
import hashlib

from gpbench.errors import StorageError

_OURS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}


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
