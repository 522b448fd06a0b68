"""Files of a results folder: written whole or not at all, JSON with a checksum, storage errors in one sentence."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
from pathlib import Path
from typing import Any

from gpbench.errors import StorageError
from gpbench.experiment.plan.trial import digest
from gpbench.system import atomic_files

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Damaged(Exception):
    """A file that is not what was written: truncated, empty or edited."""


@contextlib.contextmanager
def storing(path):
    """Turn an OSError into the sentence a user needs (exit 7)."""
    try:
        yield
    except OSError as e:
        cure = "make the folder writable or choose another with --output"
        if e.errno in FULL:
            cure = "free some space"
        elif e.errno in (errno.EMFILE, errno.ENFILE):
            cure = "raise the limit of open files (ulimit -n)"
        elif e.errno == errno.ELOOP:
            cure = "gpbench follows no links inside a results folder: remove it"
        why = e.strerror or str(e)
        raise StorageError(
            f"cannot write {path}: {why}; {cure}, then run the same command: finished trials are kept"
        ) from e


def open_plain(path: Path, flags: int) -> int:
    """A descriptor of a file of ours; a link, a pipe or a device in its place is refused, not followed."""
    with storing(path):
        return atomic_files.descriptor(path, flags)


def make_folder(path: Path) -> None:
    """A folder of ours below a results folder; a link to a folder elsewhere is refused."""
    with storing(path):
        if path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
        path.mkdir(parents=True, exist_ok=True)


def write_atomic(path: Path, content: bytes) -> None:
    """After a crash at any moment the file holds its old content or all of the new one."""
    with storing(path), atomic_files.replacing(path) as file:
        file.write(content)


def write_summed(path: Path, content: bytes) -> None:
    """With its sha256 beside it (`sha256sum -c` reads it), so that a file cut at the end of a line is known as such.

    In between both sums are there: the file is one of the two at every moment.
    """
    sums, new = path.with_name(f"{path.name}.sha256"), f"{hashlib.sha256(content).hexdigest()}  {path.name}\n"
    old = sums.read_text(encoding="ascii", errors="replace") if sums.is_file() else ""
    if path.is_file() and path.read_bytes() == content and old == new:
        return
    write_atomic(sums, (old + new).encode())
    write_atomic(path, content)
    write_atomic(sums, new.encode())


def as_summed(path: Path) -> bool:
    """Whether the file is what `write_summed` left; of files from before nobody knows, and they are believed."""
    sums = path.with_name(f"{path.name}.sha256")
    if not sums.is_file():
        return True
    known = {
        line.split()[0] for line in sums.read_text(encoding="ascii", errors="replace").splitlines() if line.strip()
    }
    return hashlib.sha256(path.read_bytes()).hexdigest() in known


def unused(path: Path) -> Path:
    """A name beside it that nothing has: x.json.0, x.json.1, ..."""
    return next(free for n in range(10**9) if not (free := path.with_name(f"{path.name}.{n}")).exists())


def write_checked(path: Path, body: dict) -> None:
    """JSON with the checksum of its content inside."""
    body = finite(body)
    text = json.dumps({"checksum": digest(body), **body}, indent=1, allow_nan=False)
    write_atomic(path, (text + "\n").encode())


def read_checked(path: Path) -> dict:
    """The content of a file of `write_checked`; Damaged when it is not what was written."""
    try:
        body = json.loads(path.read_bytes())
        checksum = body.pop("checksum")
        whole = checksum == digest(body)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as e:
        raise Damaged(f"{path.name}: {type(e).__name__}") from e
    if not whole:
        raise Damaged(f"{path.name}: checksum differs")
    return body


def finite(content: Any) -> Any:
    """Plain data with null in place of NaN and infinities, which JSON does not have; numpy scalars become numbers."""
    if isinstance(content, dict):
        return {str(k): finite(v) for k, v in content.items()}
    if isinstance(content, (list, tuple)):
        return [finite(v) for v in content]
    if hasattr(content, "tolist"):  # numpy scalars and arrays
        return finite(content.tolist())
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
