"""Where numba keeps compiled code: beside the source or in the home folder, else in a temporary one of ours.

Without any of them its decorator raises where a module is imported, and no command of gpbench would work: containers
and shared clusters have read-only installations and homes that cannot be written.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

_VARIABLE = "NUMBA_CACHE_DIR"
_ours = ""  # the temporary folder, where it is used


def settle() -> None:
    """Choose the folder; to be called before numba is imported."""
    global _ours
    if os.environ.get(_VARIABLE):
        return
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~")) / ".cache") / "numba"
    if _writable(Path(__file__).parents[1] / "gp" / "linalg" / "__pycache__") or _writable(home):
        return
    try:
        _ours = _private_folder()
    except OSError:  # no temporary folder either: numba says so where it is imported
        return
    os.environ[_VARIABLE] = _ours
    os.environ.setdefault("MPLCONFIGDIR", _ours)  # matplotlib has the same trouble, and says so at every start


def notice() -> str:
    """One sentence when compiled code is kept for this machine's uptime only; else empty."""
    if not _ours:
        return ""
    return f"neither the installation nor the home folder can be written: compiled code is kept in {_ours} (set {_VARIABLE} to a lasting folder)"  # noqa: E501


def _writable(path: Path) -> bool:
    """Whether files can be made there, tried as numba tries it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError:
        return False
    return True


def _private_folder() -> str:
    """Code is loaded from there, so no other user may write to it."""
    folder = Path(tempfile.gettempdir()) / f"gpbench-compiled-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            return tempfile.mkdtemp(prefix="gpbench-compiled-")
    return str(folder)
