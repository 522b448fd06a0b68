"""Finding kernels, data sets and methods by name: one file each, no registry to keep in step.

The file of `loo-cve` is `methods/loo_cve.py`; a file may hold several names (pp0..pp3). Files outside the package
(`--plugin my.py`) and installed packages (entry points `gpbench.methods`, `gpbench.kernels`, `gpbench.datasets`) may
take any name that is free.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from . import plugin_files
from .errors import ConfigError
from .foreign_names import our_name
from .metrics import METRICS, Metric
from .text import is_name, suggestion

_KINDS = {  # kind -> (package to search, module and name of the base class)
    "method": ("gpbench.methods", "gpbench.methods.base", "Method"),
    "kernel": ("gpbench.gp.kernels", "gpbench.gp.kernels.base", "Kernel"),
    "likelihood": ("gpbench.gp.likelihoods", "gpbench.gp.likelihoods.base", "Likelihood"),
    "stop-rule": ("gpbench.methods.stop_rules", "gpbench.methods.stop_rules.base", "StopRule"),
    "dataset": ("gpbench.data.sources", "gpbench.data.source", "Source"),
}
_NAME = re.compile(r'^    name\b[^=\n]*= "([^"]+)"', re.MULTILINE)
_plugins: dict[str, plugin_files.PluginFile] = {}  # by path


@cache
def _base(kind):
    _, module, name = _KINDS[kind]
    return getattr(importlib.import_module(module), name)


@cache
def _named(module, base: Any) -> dict[str, type]:
    """Classes of this module that are named plug-ins of the given base."""
    return {
        cls.name: cls  # type: ignore[attr-defined]
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if issubclass(cls, base) and cls.__module__ == module.__name__ and "name" in vars(cls)
    }


@cache
def _module_names(kind) -> list[str]:
    package = importlib.import_module(_KINDS[kind][0])
    return [
        m.name
        for m in pkgutil.iter_modules(package.__path__)
        if m.name not in ("base", "quadrature") and m.name[0] != "_"
    ]


def own_names(kind: str) -> set[str]:
    """What gpbench itself has of a kind."""
    return set(_own_modules(kind))


@cache
def _own_modules(kind: str) -> dict[str, str]:
    """The module of each of gpbench's own names, found in the text of the files: importing all would take a second."""
    package = importlib.import_module(_KINDS[kind][0])
    files = [file for folder in package.__path__ for file in Path(folder).glob("*.py")]
    return {name: file.stem for file in files for name in _NAME.findall(file.read_text(encoding="utf-8"))}


@cache
def _installed(kind: str) -> tuple[list[plugin_files.PluginFile], list[str]]:
    """Plug-ins of installed packages, looked for once and only when a name is; a name of ours stays ours."""
    found, broken = plugin_files.installed(f"gpbench.{kind}s")
    taken = own_names(kind)
    for plugin in found:
        for name in _named(plugin.module, _base(kind)).keys() & taken:
            broken.append(f"plug-in {plugin.hash.rsplit('-', 1)[0]}: there is a {kind} '{name}' already; not used")
    return found, broken


def _outside(kind: str) -> list[plugin_files.PluginFile]:
    return [*_plugins.values(), *_installed(kind)[0]]


def load_plugin(path: str) -> None:
    """Make the plug-ins of a user's file known; loading the same file twice is harmless."""
    file = str(Path(path).resolve())
    if file in _plugins:
        return
    loaded = plugin_files.load(path)
    names = {kind: _named(loaded.module, _base(kind)) for kind in _KINDS}
    added = _metrics_of(loaded.module)
    if not any(names.values()) and not added:
        raise ConfigError(
            f"plugin {path}: defines no Method, Kernel, Likelihood, StopRule, Metric or Source with a name "
            "(docs/reference/extending.md)"
        )
    if taken := [metric.name for metric in added if metric.name in METRICS]:
        raise ConfigError(f"plugin {path}: there is a metric '{taken[0]}' already; give yours another name")
    for kind, found in names.items():
        if odd := [name for name in found if not is_name(name)]:
            rule = "a name is made of a-z 0-9 _ . - and does not begin with . or -"
            raise ConfigError(f"plugin {path}: {kind} '{odd[0]}': {rule}")
        if taken := sorted(found.keys() & (own_names(kind) | _of(_plugins.values(), kind).keys())):
            raise ConfigError(f"plugin {path}: there is a {kind} '{taken[0]}' already; give yours another name")
    _plugins[file] = loaded
    METRICS.update({metric.name: metric for metric in added})


def _metrics_of(module) -> list[Metric]:
    """The metrics that a plug-in makes, without those of gpbench that it imports."""
    return [m for m in vars(module).values() if isinstance(m, Metric) and METRICS.get(m.name) is not m]


@cache
def load_installed_metrics() -> tuple[str, ...]:
    """Add the metrics of installed packages (entry points `gpbench.metrics`); a sentence for each that is not used."""
    found, broken = plugin_files.installed("gpbench.metrics")
    for plugin in found:
        for metric in _metrics_of(plugin.module):
            if METRICS.setdefault(metric.name, metric) is not metric:
                broken.append(f"plug-in {plugin.hash}: there is a metric '{metric.name}' already; not used")
    return tuple(broken)


def plugin_paths() -> list[str]:
    return list(_plugins)


def _of(plugins, kind: str) -> dict[str, type]:
    return {name: cls for p in plugins for name, cls in _named(p.module, _base(kind)).items()}


def of_plugins(kind: str) -> dict[str, type]:
    """What the user's files and installed packages have of a kind, by name; a file's comes before a package's."""
    found, ours = _of(reversed(_outside(kind)), kind), own_names(kind)
    return {name: cls for name, cls in found.items() if name not in ours}


def available(kind: str) -> dict[str, type]:
    """Every name of a kind with its class; imports all of that folder."""
    base, found = _base(kind), {}
    ours = [importlib.import_module(f"{_KINDS[kind][0]}.{m}") for m in _module_names(kind)]
    for module in [*(p.module for p in reversed(_outside(kind))), *ours]:
        found.update(_named(module, base))
    return dict(sorted(found.items()))


def broken(kind: str) -> list[str]:
    """Installed plug-ins that cannot be used, each in a sentence."""
    return _installed(kind)[1]


def find(kind: str, name: str) -> type[Any]:
    """The class of that name; an unknown name is a ConfigError that offers the nearest ones."""
    base = _base(kind)
    for plugin in _plugins.values():
        if name in (found := _named(plugin.module, base)):
            return found[name]
    stem = name.replace("-", "_")
    if stem not in (modules := _module_names(kind)):
        stem = _own_modules(kind).get(name, "")  # of a file with several names
    if stem in modules:
        found = _named(importlib.import_module(f"{_KINDS[kind][0]}.{stem}"), base)
        if name in found:
            return found[name]
    every = available(kind)
    if name in every:
        return every[name]
    raise ConfigError(f"unknown {kind} '{name}'{hint(kind, name)}" + "".join(f" ({text})" for text in broken(kind)))


def hint(kind: str, name: str) -> str:
    """What may have been meant by an unknown name: a file nearby, our name for it, the nearest ones, or all names."""
    every = available(kind)
    for file in sorted(Path().glob("*.py")):
        if name in (file.stem, file.stem.replace("_", "-")) or name in _NAME.findall(_text(file)):
            return f"; {file} may define it: add --plugin {file}"
    if (ours := our_name(kind, name)) in every:
        return f"; gpbench calls it '{ours}'"
    return suggestion(name, every, f"; known: {', '.join(every)}")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace") if file.stat().st_size < 10**6 else ""
    except OSError:
        return ""


def source_hash(cls: type) -> str:
    """Empty for gpbench's own classes; for a plug-in the hash of the file that was loaded: its edits must run again."""
    if cls.__module__.startswith("gpbench."):
        return ""
    module = sys.modules[cls.__module__]
    every = [*_plugins.values(), *(p for kind in _KINDS for p in _installed(kind)[0])]
    return next((p.hash for p in every if p.module is module), "")


def refuse_changed(code: str) -> None:
    """`code` is what a trial was planned with (`source_hash` of its parts, joined by +): its number must be theirs."""
    if code and not set(code.split("+")) <= {p.hash for kind in _KINDS for p in _outside(kind)}:
        files = ", ".join(_plugins) or "the plug-in"
        raise ConfigError(f"{files}: has changed since the run was planned; put the old file back or start a new run")
