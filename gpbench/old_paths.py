"""Old import paths of gpbench 0.1 and 0.2 that its documentation showed. They work until 0.4, with a warning.

The old name is an alias of the same module object: a second copy of a class would fail `issubclass` in catalog.py.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

MOVED = {  # old module or package -> new one; what lies below a package moves with it
    "gpbench.advising": "gpbench.estimators.advise",
    "gpbench.data.csv_columns": "gpbench.data.tables.csv_columns",
    "gpbench.disk": "gpbench.system.atomic_files",
    "gpbench.estimators.fitting": "gpbench.estimators.fit",
    "gpbench.estimators.saving": "gpbench.estimators.model_file",
    "gpbench.estimators.streams": "gpbench.estimators.random_streams",
    "gpbench.estimators.tables": "gpbench.estimators.csv_models",
    "gpbench.inference": "gpbench.gp.inference",
    "gpbench.keeping.record": "gpbench.experiment.results.trial_result",
    "gpbench.keeping.store": "gpbench.experiment.results.folder",
    "gpbench.kernels": "gpbench.gp.kernels",
    "gpbench.learning": "gpbench.gp.learning",
    "gpbench.linalg.room": "gpbench.gp.linalg.buffer_pool",
    "gpbench.linalg": "gpbench.gp.linalg",
    "gpbench.objectives": "gpbench.gp.objectives",
    "gpbench.planning.config": "gpbench.experiment.config.config",
    "gpbench.planning.plan": "gpbench.experiment.plan.plan",
    "gpbench.planning.trial": "gpbench.experiment.plan.trial",
    "gpbench.running.draw": "gpbench.experiment.evaluation.trial_data",
    "gpbench.running.evaluate": "gpbench.experiment.evaluation.evaluate",
    "gpbench.selection.rules": "gpbench.gp.selection.initialisers",
    "gpbench.selection": "gpbench.gp.selection",
}
PARENTS = ("gpbench.keeping", "gpbench.planning", "gpbench.running")  # packages that exist no longer


def new_path(old: str) -> str | None:
    """The present name of a module that has moved; None if it has not."""
    for prefix in sorted(MOVED, key=len, reverse=True):
        if old == prefix or old.startswith(prefix + "."):
            return MOVED[prefix] + old[len(prefix) :]
    return None


class _Alias(Loader):
    """Loads the module of the new path under the old name."""

    def __init__(self, new: str):
        self.new = new

    def create_module(self, spec):
        module = importlib.import_module(self.new)
        self.spec = module.__spec__
        return module

    def exec_module(self, module) -> None:
        module.__spec__ = self.spec  # the import system has put the alias's own there


class _Parent(Loader):
    """An empty package whose modules have moved."""

    def create_module(self, spec):
        return None

    def exec_module(self, module) -> None:
        module.__path__ = []


class _Finder(MetaPathFinder):
    """Asked first: an aliased package has a search path, where the usual finder would load a second copy."""

    def find_spec(self, name, path=None, target=None):
        if name in PARENTS:
            return ModuleSpec(name, _Parent(), is_package=True)
        if not name.startswith("gpbench.") or (new := new_path(name)) is None:
            return None
        warnings.warn(
            f"{name} has moved: import from gpbench.extend (docs/reference/extending.md); the old path ends with 0.4",
            DeprecationWarning,
            stacklevel=2,
        )
        return ModuleSpec(name, _Alias(new), is_package=False)


def install() -> None:
    """Make the old paths importable."""
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
