"""Finding kernels, data sets and methods by name: one file each, no registry to keep in step.

The file of `loo-cve` is `methods/loo_cve.py`; a file may hold several names (pp0..pp3). Files outside the package
(`--plugin my.py`) are searched first, so that a user's class may take any free name.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from pathlib import Path

from .errors import ConfigError

_KINDS = {  # kind -> (package to search, module and name of the base class)
    "method": ("gpbench.methods", "gpbench.methods.base", "Method"),
    "kernel": ("gpbench.kernels", "gpbench.kernels.base", "Kernel"),
    "dataset": ("gpbench.data.sources", "gpbench.data.source", "Source"),
}
_plugins: dict[str, object] = {}  # path -> module


def _base(kind):
    _, module, name = _KINDS[kind]
    return getattr(importlib.import_module(module), name)


def _named(module, base) -> dict[str, type]:
    """Classes of this module that are named plug-ins of the given base."""
    return {
        cls.name: cls
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if issubclass(cls, base) and cls.__module__ == module.__name__ and "name" in vars(cls)
    }


def _module_names(kind) -> list[str]:
    package = importlib.import_module(_KINDS[kind][0])
    return [m.name for m in pkgutil.iter_modules(package.__path__) if m.name not in ("base",) and m.name[0] != "_"]


def load_plugin(path: str) -> None:
    """Make the plug-ins of a user's file known; loading the same file twice is harmless."""
    file = Path(path).resolve()
    if str(file) in _plugins:
        return
    if not file.is_file():
        raise ConfigError(f"plugin {path}: no such file")
    name = "gpbench_plugin_" + hashlib.sha256(str(file).encode()).hexdigest()[:12]
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as e:
        del sys.modules[name]
        raise ConfigError(f"plugin {path}: {type(e).__name__}: {e}") from e
    if not any(_named(module, _base(kind)) for kind in _KINDS):
        raise ConfigError(f"plugin {path}: defines no Method, Kernel or Source with a name (see docs/extending.md)")
    _plugins[str(file)] = module


def plugin_paths() -> list[str]:
    return list(_plugins)


def available(kind: str) -> dict[str, type]:
    """Every name of a kind with its class; imports all of that folder."""
    base, found = _base(kind), {}
    for module in [importlib.import_module(f"{_KINDS[kind][0]}.{m}") for m in _module_names(kind)] + list(
        _plugins.values()
    ):
        found.update(_named(module, base))
    return dict(sorted(found.items()))


def find(kind: str, name: str) -> type:
    """The class of that name; an unknown name is a ConfigError that offers the nearest ones."""
    base = _base(kind)
    for module in _plugins.values():
        if name in (found := _named(module, base)):
            return found[name]
    stem = name.replace("-", "_")
    if stem in _module_names(kind):
        found = _named(importlib.import_module(f"{_KINDS[kind][0]}.{stem}"), base)
        if name in found:
            return found[name]
    every = available(kind)
    if name in every:
        return every[name]
    near = difflib.get_close_matches(name, every, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(every)}"
    raise ConfigError(f"unknown {kind} '{name}'{hint}")


def source_hash(cls: type) -> str:
    """Empty for gpbench's own classes; the hash of the file for a plug-in, whose edits must run again."""
    module = sys.modules[cls.__module__]
    return hashlib.sha256(Path(module.__file__).read_bytes()).hexdigest()[:16] if module in _plugins.values() else ""
