"""Write files of a results folder whole or not at all, with checksums; report storage errors in one sentence."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpbench.errors import StorageError
from gpbench.experiment.plan.trial import digest
from gpbench.system import atomic_files

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Damaged(Exception):
    """A file that has changed since it was written: truncated, empty or edited."""


@contextlib.contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn an OSError into a StorageError that says what to do (exit 7)."""
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
    """Descriptor of a plain file; refuses a link, a pipe or a device in its place."""
    with storing(path):
        return atomic_files.descriptor(path, flags)


def make_folder(path: Path) -> None:
    """Make a folder below a results folder; refuses a link in its place."""
    with storing(path):
        if path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
        path.mkdir(parents=True, exist_ok=True)


def stems(folder: Path, suffix: str = ".json") -> list[str]:
    """Names of the files in a folder, without the suffix; a folder without the right to read it is a StorageError."""
    try:
        names = os.listdir(folder)
        os.stat(folder / ".", follow_symlinks=False)  # needs the right to enter the folder
    except FileNotFoundError:
        return []
    except OSError as e:
        why = e.strerror or str(e)
        raise StorageError(f"cannot read {folder}: {why}; get the right to read it, then run the same command") from e
    return [name.removesuffix(suffix) for name in names if name.endswith(suffix)]


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file so that after a crash it holds either its old or its new content, complete."""
    with storing(path), atomic_files.replacing(path) as file:
        file.write(content)


def write_summed(path: Path, content: bytes) -> None:
    """Write a file and its sha256 (for `sha256sum -c`), which also detects a file cut at the end of a line.

    While the file is replaced, the .sha256 file holds both sums, so that the file always matches one of them.
    """
    sums, new = path.with_name(f"{path.name}.sha256"), f"{hashlib.sha256(content).hexdigest()}  {path.name}\n"
    old = sums.read_text(encoding="ascii", errors="replace") if sums.is_file() else ""
    if path.is_file() and path.read_bytes() == content and old == new:
        return
    write_atomic(sums, (old + new).encode())
    write_atomic(path, content)
    write_atomic(sums, new.encode())


def as_summed(path: Path) -> bool:
    """True if the file matches its .sha256, or has none (folders older than checksums)."""
    sums = path.with_name(f"{path.name}.sha256")
    if not sums.is_file():
        return True
    known = {
        line.split()[0] for line in sums.read_text(encoding="ascii", errors="replace").splitlines() if line.strip()
    }
    return hashlib.sha256(path.read_bytes()).hexdigest() in known


def unused(path: Path) -> Path:
    """A free name in the same folder: x.json.0, x.json.1, ..."""
    return next(free for n in range(10**9) if not (free := path.with_name(f"{path.name}.{n}")).exists())


def write_checked(path: Path, body: dict[str, Any]) -> None:
    """Write JSON that contains the checksum of its content."""
    body = finite(body)
    text = json.dumps({"checksum": digest(body), **body}, indent=1, allow_nan=False)
    write_atomic(path, (text + "\n").encode())


def read_checked(path: Path) -> dict[str, Any]:
    """The content of a file of `write_checked`; Damaged if the checksum differs."""
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
    return dict(body)


def finite(content: Any) -> Any:
    """Plain data for JSON: NaN and infinities become null, numpy scalars become numbers."""
    if isinstance(content, dict):
        return {str(k): finite(v) for k, v in content.items()}
    if isinstance(content, (list, tuple)):
        return [finite(v) for v in content]
    if hasattr(content, "tolist"):  # numpy scalars and arrays
        return finite(content.tolist())
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
