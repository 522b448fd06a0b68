"""gpbench: the benchmarks of five sparse Gaussian process papers, side by side; and their methods as estimators."""

from .old_paths import install as _install
from .system.numba_cache import settle as _settle

__version__ = "0.3.0.dev0"
_settle()
_install()

_LAZY = {  # name -> module and what it is called there: nothing is imported before it is asked for
    "SparseGPRegressor": ("gpbench.estimators.regressor", "SparseGPRegressor"),
    "SparseGPClassifier": ("gpbench.estimators.classifier", "SparseGPClassifier"),
    "load": ("gpbench.estimators.model_file", "load"),
    "streams": ("gpbench.estimators.random_streams", "of_trial"),
}
__all__ = ["SparseGPClassifier", "SparseGPRegressor", "__version__", "load", "streams"]


def __getattr__(name: str):
    if name not in _LAZY:
        raise AttributeError(f"module 'gpbench' has no attribute '{name}'")
    from importlib import import_module

    module, attribute = _LAZY[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
