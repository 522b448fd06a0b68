"""One virtual environment per library, pinned, made on first use and kept below the data folder."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import yaml

from gpbench.errors import NOT_HAD, ConfigError, NotApplicable, StorageError
from gpbench.text import is_python_file

HOME = Path(__file__).parent
SECONDS = 1800  # an installation may take
KEPT = HOME / "kept_locks.yaml"
REQUIREMENTS, OFFERS = "requirements.txt", "offers.yaml"
_WHOLE = ".installed"  # written last: what a killed installation leaves does not count
_copies: dict[str, str] = {}  # of this process: where an adapter file of another machine is kept on this one


@dataclass(frozen=True)
class Adapter:
    """A library and one of its models: `gpytorch-svgp` is model svgp of adapters/gpytorch/adapter.py."""

    name: str  # as the config writes it
    file: Path  # adapter.py
    model: str

    @property
    def library(self) -> str:
        return self.file.parent.name if self.file.parent.parent == HOME else self.file.stem

    @property
    def requirements(self) -> Path | None:
        """Pinned packages; None for a user's file without any beside it, which runs under our own Python."""
        path = self.file.parent / REQUIREMENTS
        return path if path.is_file() else None

    @property
    def lock(self) -> str:
        """What determines its numbers: the pinned packages and the adapter's own code.

        A model whose numbers an edit of the adapter left as they were keeps the lock of before (kept_locks.yaml).
        """
        parts = [p.read_bytes() for p in (self.requirements, self.file) if p is not None]
        found = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
        return kept_locks().get(found, {}).get(self.model, found)

    def of(self, approx: str | None) -> Adapter:
        """Another of its models, where `approx` names one."""
        return replace(self, model=approx) if approx in models(self.file) else self

    @property
    def folder(self) -> Path | None:
        if self.requirements is None:
            return None
        content = self.requirements.read_bytes() + f"{sys.version_info[0]}.{sys.version_info[1]}".encode()
        return home() / f"{self.library}-{hashlib.sha256(content).hexdigest()[:12]}"


@cache
def kept_locks() -> dict[str, dict[str, str]]:
    """By the lock of an adapter's code, for some of its models the lock under which their trials are known."""
    return yaml.safe_load(KEPT.read_text(encoding="utf-8"))


def home() -> Path:
    return Path(os.environ.get("GPBENCH_DATA") or "datasets").expanduser().resolve() / "adapters"


def libraries() -> list[str]:
    return sorted(p.parent.name for p in HOME.glob("*/adapter.py"))


def models(file: Path) -> tuple[str, ...]:
    """The adapter's MODELS, read without running it; the first is the default."""
    try:
        body = ast.parse(file.read_text(encoding="utf-8")).body
    except SyntaxError as e:
        raise ConfigError(f"external {file.name}, line {e.lineno}: {e.msg}") from e
    except (ValueError, OSError) as e:  # no text, NUL bytes, a folder
        raise ConfigError(f"external {file.name}: no Python file ({e})") from e
    for node in body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "MODELS":
            return _names(node, file)
    return ("",)


def _names(node: ast.Assign, file: Path) -> tuple[str, ...]:
    try:
        found = ast.literal_eval(node.value)
    except ValueError:
        found = None
    if not isinstance(found, (tuple, list)) or not found or not all(isinstance(name, str) for name in found):
        where = f"external {file.name}, line {node.lineno}"
        raise ConfigError(f"{where}: MODELS must be names, written out: ('one', 'two')")
    return tuple(found)


def find(name: str) -> Adapter:
    """`gpboost`, `gpytorch-svgp`, or the path of a user's own adapter file."""
    if is_python_file(name):
        file = Path(_copies.get(name, name))
        if not file.is_file():
            raise ConfigError(f"external {name}: no such file, neither beside the config nor in {Path.cwd()}")
        return Adapter(name, file.resolve(), models(file)[0])
    library, _, model = name.partition("-")
    if library not in libraries():
        raise ConfigError(
            f"external {name}: known libraries are {', '.join(libraries())}; or give an adapter's .py file"
        )
    file = HOME / library / "adapter.py"
    if model and model not in models(file):
        raise ConfigError(f"external {name}: {library} has {', '.join(f'{library}-{m}' for m in models(file))}")
    return Adapter(name, file, model or models(file)[0])


def keep_copy(path: str, copy: str) -> None:
    """From now on the adapter file at `copy` is taken for `path`, which belongs to the machine that planned the run."""
    _copies[path] = copy


def bundle(name: str) -> dict[str, bytes]:
    """A user's adapter file and the list of its packages, for another machine."""
    adapter = find(name)
    return {p.name: p.read_bytes() for p in (adapter.file, adapter.requirements) if p is not None}


def refuse_changed(name: str, lock: str, approx: str | None = None) -> None:
    """`lock` is what a trial was planned with: its number must be that code's."""
    if find(name).of(approx).lock != lock:
        raise ConfigError(
            f"external {name}: has changed since the run was planned; put the old file back or start a new run"
        )


def python_of(adapter: Adapter) -> Path:
    """The interpreter of its environment, made if it is not there; NotApplicable tells why it cannot be had."""
    if adapter.folder is None:
        return Path(sys.executable)
    if not installed(adapter):
        install(adapter)
    return adapter.folder / "bin" / "python"


def installed(adapter: Adapter) -> bool:
    return adapter.folder is None or (adapter.folder / _WHOLE).exists()


def install(adapter: Adapter) -> None:
    """Make the environment; under a lock, and removed again unless all of it could be installed."""
    from filelock import FileLock

    folder = adapter.folder
    if folder is None:
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise StorageError(f"cannot write to {folder.parent} ({e.strerror}); set GPBENCH_DATA") from e
    with FileLock(f"{folder}.lock"):
        if installed(adapter):
            return
        if os.environ.get("GPBENCH_OFFLINE"):
            raise NotApplicable(f"{adapter.library} {NOT_HAD}: GPBENCH_OFFLINE is set")
        shutil.rmtree(folder, ignore_errors=True)
        try:
            _run(adapter, sys.executable, "-m", "venv", str(folder))
            # wheels only: a source archive would run its own set-up script
            pip = (str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q", "install")
            _run(adapter, *pip, "--only-binary", ":all:", "-r", str(adapter.requirements))
            (folder / _WHOLE).touch()
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _run(adapter: Adapter, *command: str) -> None:
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=clean)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise NotApplicable(f"{adapter.library} {NOT_HAD}: {e}") from e
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        said = next((line for line in lines if re.match("ERROR", line)), lines[-1] if lines else "no message")
        raise NotApplicable(f"{adapter.library} {NOT_HAD}: {' '.join(said.split())[:200]}")


def remove(adapter: Adapter) -> list[Path]:
    """Delete every environment of a library, of a user's file its own; the folders that were there."""
    every = home().glob(f"{adapter.library}-*") if adapter.file.parent.parent == HOME else [adapter.folder]
    found = sorted(p for p in every if p is not None and p.is_dir())
    for path in found:
        shutil.rmtree(path)
        Path(f"{path}.lock").unlink(missing_ok=True)
    return found
