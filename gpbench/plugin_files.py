"""A user's Python file: loaded as a module, and hashed with the modules of the user's that it imports.

Its numbers depend on all of them, so the hash enters the ids of the trials that run through the file. The bytes that
are hashed are the bytes that run: an edit in the middle of a run is noticed where the file is loaded.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.machinery
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ConfigError
from .system import named_pipes

_OURS = Path(__file__).parent
_STANDARD = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
_ENDING = ("_exit", "abort", "execv", "execve")  # the other functions of this kind call these
_posix = sys.modules[os.open.__module__]  # where `os` has them from
_INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True)
class PluginFile:
    module: types.ModuleType
    hash: str


class _Ends(BaseException):
    """Raised in place of a call that would end or replace this process while a file is loaded."""


@contextlib.contextmanager
def _nothing_ends_us() -> Iterator[None]:
    """Let `os._exit` and its like raise `_Ends`: the run would be over with exit code 0 and nothing done.

    A process that the file starts by fork may end as it likes.
    """
    pid, before = os.getpid(), {(m, n): getattr(m, n) for m in (os, _posix) for n in _ENDING if hasattr(m, n)}

    def refusing(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if os.getpid() != pid:
                return real(*args, **kwargs)
            raise _Ends(f"calls os.{name} while it is loaded, which would end gpbench; remove the call")

        return call

    for (module, name), real in before.items():
        setattr(module, name, refusing(name, real))
    try:
        yield
    finally:
        for (module, name), real in before.items():
            setattr(module, name, real)


def _why(error: BaseException) -> str:
    return str(error) if isinstance(error, _Ends) else f"{type(error).__name__}: {error}"


def installed(group: str) -> tuple[list[PluginFile], list[str]]:
    """Modules that installed packages offer under an entry-point group, and what could not be loaded, in a sentence.

    Name and version of the package and the hash of the file make up the plug-in's hash.
    """
    from importlib import import_module
    from importlib.metadata import entry_points

    found, broken = [], []
    for point in entry_points(group=group):
        package = point.dist.name if point.dist else "an unknown package"
        try:
            with _nothing_ends_us():
                module = import_module(point.module)
            content = Path(module.__file__).read_bytes()
        except (Exception, SystemExit, _Ends) as e:
            broken.append(f"plug-in {point.name} of {package}: {' '.join(_why(e).split())}")
            continue
        version = point.dist.version.replace("+", "_") if point.dist else ""
        found.append(PluginFile(module, f"{package}-{version}-{_sha(content)[:16]}"))
    return found, broken


def load(path: str | Path) -> PluginFile:
    """Run the file; ConfigError in one sentence when that is not possible."""
    file = Path(path).resolve()
    if file.suffix != ".py":
        raise ConfigError(f"plugin {path}: a plug-in is a Python file (my.py; see docs/reference/extending.md)")
    try:
        named_pipes.refuse(file)
        content = file.read_bytes()
    except FileNotFoundError as e:
        raise ConfigError(f"plugin {path}: no such file") from e
    except OSError as e:
        raise ConfigError(f"plugin {path}: cannot be read ({e.strerror})") from e
    name = "gpbench_plugin_" + _sha(os.fsencode(file))[:12]
    module = types.ModuleType(name)
    module.__file__ = str(file)
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # its helper modules stand beside it; last, so that they hide nothing
    sys.modules[name] = module
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a cached helper may be older than its file
    try:
        with _nothing_ends_us():
            exec(compile(content, str(file), "exec"), module.__dict__)
    except (Exception, SystemExit, _Ends) as e:
        del sys.modules[name]
        raise ConfigError(f"plugin {path}: {_why(e)}") from e
    finally:
        sys.dont_write_bytecode = written
    return PluginFile(module, _hash(file, content))


def bundle(path: str | Path) -> dict[str, bytes]:
    """The file and the user's modules it imports, by names that stand to each other as theirs do; the file is first."""
    file = Path(path).resolve()
    return dict(_with_helpers(file, file.read_bytes()).values())


def _hash(file: Path, content: bytes) -> str:
    """The hash of the file, and of the user's own modules where it imports some."""
    found = _with_helpers(file, content)
    hashes = [_sha(content), *sorted(_sha(found[f][1]) for f in found if f != file)]
    return (hashes[0] if len(hashes) == 1 else _sha("".join(hashes).encode()))[:16]


def _with_helpers(file: Path, content: bytes) -> dict[Path, tuple[str, bytes]]:
    """Name below the folder of its imports, and content, of the file and of all it reaches."""
    found = {file: (file.name, content)}
    pending = [file]
    while pending:
        name, text = found[current := pending.pop()]
        for depth, helper in _imported(current, text, len(Path(name).parts)):
            if helper not in found:
                found[helper] = ("/".join(helper.parts[-depth:]), helper.read_bytes())
                pending.append(helper)
    return found


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _imported(file: Path, content: bytes, depth: int) -> Iterator[tuple[int, Path]]:
    """Files of the user's that this one imports, at its top or inside a function.

    With each the number of its path's last parts that a path of imports has to have above it; `depth` is the file's.
    """
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # a helper that cannot be loaded either: where it is imported it is an error
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(alias.name, sys.path, 0)
        elif isinstance(node, ast.ImportFrom):
            folders = sys.path if not node.level else [str(file.parents[node.level - 1])]
            above = depth - node.level if node.level else 0
            for alias in node.names:
                yield from _files(".".join(filter(None, (node.module, alias.name))), folders, above)


def _files(dotted: str, folders: list[str], above: int) -> Iterator[tuple[int, Path]]:
    """The files behind a.b.c, as far as they are modules and not gpbench's or an installed library's."""
    for level, part in enumerate(dotted.split("."), start=above + 1):
        spec = importlib.machinery.PathFinder.find_spec(part, folders)
        if spec is None:
            return
        if spec.origin and spec.origin.endswith(".py"):
            origin = Path(spec.origin).resolve()
            if _INSTALLED & set(origin.parts) or any(home in origin.parents for home in (_OURS, *_STANDARD)):
                return
            yield level + (origin.name == "__init__.py"), origin
        folders = list(spec.submodule_search_locations or [])
        if not folders:
            return
