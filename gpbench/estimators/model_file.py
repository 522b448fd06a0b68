"""A fitted estimator as plain arrays and a description of how they belong together. Nothing in the file is code.

The description is JSON: numbers, texts, lists, places of arrays, and objects of gpbench's own classes as the mapping of
their attributes. Reading makes objects of classes inside gpbench only, and calls no function of theirs but
`__setstate__`. A kernel of a plug-in is written by its name and its file's hash; the reader has to have loaded
that file.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import gpbench
from gpbench import catalog
from gpbench.errors import BadInput, BadParameter, DataError, MissingExtra
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.kernels.function import FunctionKernel
from gpbench.old_paths import new_path
from gpbench.system import named_pipes
from gpbench.system.atomic_files import refuse_unwritable, writing

from . import model_archive
from .model_checks import Unfit, check_state
from .model_layouts import LAYOUTS

FORMAT = 2  # 1, of version 0.1, had no checksum
READ = (1, 2)
FITTED = (  # attributes of an estimator that are kept
    "model_", "method_", "objects_", "n_basis_", "basis_", "kernel_", "noise_", "log_evidence_", "path_", "notes_",
    "n_features_in_", "feature_names_in_", "classes_", "columns_",
    "quality_",
)  # fmt: skip
_PLAIN = (str, int, float, bool, type(None))


def refuse_path(path) -> None:
    """Refuse a path to which no model can be written, before the fit."""
    place = Path(path)
    if place.suffix != ".npz":
        named = place.name.strip(".") not in ("", "npz")  # "." and ".." are folders, ".npz" is a suffix without a name
        example = place.with_suffix(".npz") if named else "model.npz"
        raise BadParameter(f"{place}: a model is saved as .npz, for example {example}")
    refuse_unwritable(path)


def save(estimator, path) -> None:
    refuse_path(path)
    packer = _Packer()
    state = {k: v for k, v in vars(estimator).items() if k in FITTED}
    given = {k: v.item() if isinstance(v, np.generic) else v for k, v in estimator.get_params(deep=False).items()}
    parameters = {k: v if _is_plain(v) else None for k, v in given.items()}
    content = {
        "format": FORMAT, "gpbench": gpbench.__version__, "class": type(estimator).__name__, "parameters": parameters,
        "state": packer.pack(state), "kernels": packer.pack({k: v for k, v in given.items() if isinstance(v, Kernel)}),
    }  # fmt: skip
    with writing(path) as stream:
        model_archive.write(stream, content, packer.arrays)


def load(path):
    """Read an estimator that `save` wrote, ready to predict.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    SparseGPRegressor or SparseGPClassifier
        The fitted estimator.

    Raises
    ------
    DataError
        The file is missing, damaged or edited; the message says which.

    Examples
    --------
    >>> import tempfile, numpy as np, gpbench
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> model = gpbench.SparseGPRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.npz")
    ...     again = gpbench.load(f"{folder}/model.npz")
    >>> bool(np.array_equal(again.predict(X), model.predict(X)))
    True
    """
    try:
        named_pipes.refuse(path)
        with open(path, "rb") as stream:
            content, arrays, confirmed = model_archive.read(path, stream)
        return _estimator(path, content, arrays, confirmed)
    except FileNotFoundError as e:
        raise DataError(f"{path}: no such file") from e
    except OSError as e:
        raise DataError(f"{path}: cannot be read ({e.strerror or e})") from e
    except Unfit as e:
        raise DataError(f"{path}: is damaged or edited: {e}; save the model again") from e
    except (DataError, MissingExtra):
        raise
    except Exception as e:  # whatever zipfile, numpy and the classes' own code say of a state that is not theirs
        raise DataError(f"{path}: is no model of gpbench, or a damaged one; save it again") from e


def _estimator(path, content: dict, arrays: dict[str, np.ndarray], confirmed: bool):
    if content["format"] not in READ:
        raise DataError(f"{path}: is of format {content['format']}; this gpbench reads formats 1 and {FORMAT}")
    if content["format"] >= 2 and not confirmed:
        raise DataError(f"{path}: has no checksum: the file is damaged or edited; save the model again")
    if content["class"] not in ("SparseGPRegressor", "SparseGPClassifier"):
        raise DataError(f"{path}: holds a {content['class']}, which gpbench does not know")
    unpacker = _Unpacker(path, arrays, content["gpbench"])
    state = unpacker.unpack(content["state"])  # first, as it was written: what follows may refer to it
    kernels = unpacker.unpack(content.get("kernels", {"dict": []}))  # parameters; older files have none
    if unpacker.used != arrays.keys():
        raise Unfit("it has arrays that no part of it uses")
    check_state(state)
    estimator = getattr(gpbench, content["class"])(**content["parameters"] | kernels)
    if (content["class"] == "SparseGPClassifier") != ("classes_" in state) or state["model_"].task != estimator._task:
        raise Unfit(f"it is no model of a {content['class']}")
    for name, value in state.items():
        if name in FITTED:
            setattr(estimator, name, value)
    return estimator


def _is_plain(value) -> bool:
    try:
        return json.loads(json.dumps(value)) == value
    except (TypeError, ValueError):
        return False


class _Packer:
    """Equal objects are written once; arrays go to `arrays` under the names a0, a1, ..."""

    def __init__(self):
        self.arrays: dict[str, np.ndarray] = {}
        self._seen: dict[int, tuple[int, Any]] = {}

    def pack(self, value) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not np.isfinite(value):
            return {"float": str(value)}
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return {type(value).__name__: [self.pack(v) for v in value]}
        if isinstance(value, dict):
            return {"dict": [[self.pack(k), self.pack(v)] for k, v in value.items()]}
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if sparse.issparse(value):
            value = value.tocsc()
            return {"csc": [self.pack(a) for a in (value.data, value.indices, value.indptr)], "shape": value.shape}
        return self._object(value)

    def _array(self, value) -> dict:
        if value.dtype == object:
            if not all(isinstance(v, str) for v in value.ravel()):
                raise BadInput("a model of inputs that are neither numbers nor text cannot be saved as plain arrays")
            return {"texts": value.tolist()}
        name = f"a{len(self.arrays)}"
        self.arrays[name] = value
        return {"array": name}

    def _object(self, value) -> dict:
        if isinstance(value, FunctionKernel):
            raise BadInput(
                f"kernel {value.name} is a Python function, which is not kept as plain arrays: save the rows and "
                "fit again, or make it a kernel of a plug-in, which is saved by its name (docs/reference/extending.md)"
            )
        if id(value) in self._seen:
            return {"again": self._seen[id(value)][0]}
        kind = _kind_of(value)
        number = len(self._seen)
        self._seen[id(value)] = number, value
        state = value._asdict() if hasattr(value, "_fields") else _state_of(value)
        return {**kind, "number": number, "state": self.pack(state)}


def _kind_of(value) -> dict[str, str]:
    """How its class is found again."""
    cls = type(value)
    if cls.__module__.startswith("gpbench.") and not cls.__module__.startswith("gpbench.methods.external"):
        return {"object": f"{cls.__module__}:{cls.__qualname__}"}
    if isinstance(value, Kernel):
        if catalog.available("kernel").get(value.name) is cls:
            return {"kernel": value.name, "code": catalog.source_hash(cls)}
        raise BadInput(
            f"kernel {value.name} is a class of your own, which no file of arrays brings back: save the rows and "
            "fit again, or load it as a plug-in, which is saved by its name (docs/reference/extending.md)"
        )
    raise BadInput(
        f"a model that holds a {cls.__qualname__}, a class from outside gpbench, cannot be saved as plain arrays: "
        "save the rows and fit again"
    )


def _state_of(value) -> dict:
    own = "__getstate__" in {name for cls in type(value).__mro__[:-1] for name in vars(cls)}
    return value.__getstate__() if own else dict(vars(value))


class _Unpacker:
    def __init__(self, path, arrays, version: str):
        self.path, self.arrays, self.version = path, arrays, version
        self._known: dict[int, Any] = {}
        self.used: set[str] = set()

    def unpack(self, value) -> Any:
        if not isinstance(value, dict):
            return value
        kind = next(iter(value))
        return self._KINDS[kind](self, value)

    def _object(self, value):
        cls = self._kernel(value["kernel"], value.get("code")) if "kernel" in value else self._class(value["object"])
        if hasattr(cls, "_fields"):
            made = self._known[value["number"]] = cls(**self.unpack(value["state"]))
            return made
        made = self._known[value["number"]] = cls.__new__(cls)
        state = self.unpack(value["state"])
        if hasattr(cls, "__setstate__"):
            made.__setstate__(state)
        else:
            made.__dict__.update(state)
        return made

    def _class(self, name: str) -> type:
        module, _, path = name.partition(":")
        module = new_path(module) or module
        try:
            if not (module.startswith("gpbench.gp.kernels.") or (module.startswith("gpbench.") and path in LAYOUTS)):
                raise AttributeError  # before anything is imported
            found = importlib.import_module(module)
            for part in path.split("."):
                found = getattr(found, part)
            if not isinstance(found, type) or found.__module__ != module:
                raise AttributeError
        except (ImportError, AttributeError):
            raise DataError(
                f"{self.path}: was saved by gpbench {self.version} with a {name}, which this one, "
                f"{gpbench.__version__}, does not have; load it there, or fit again"
            ) from None
        return found

    def _kernel(self, name: str, code: str | None) -> type:
        """`code` is the hash of the file that the model was fitted with: its arrays are that kernel's."""
        found = catalog.available("kernel").get(name)
        if found is None:
            raise DataError(
                f"{self.path}: needs the kernel '{name}' of a plug-in: give its file as --plugin, in Python by "
                "gpbench.catalog.load_plugin"
            )
        if code is not None and code != catalog.source_hash(found):
            raise DataError(
                f"{self.path}: was fitted with another version of the plug-in that has the kernel '{name}': load that "
                "file, or fit again"
            )
        return found

    def _array(self, value) -> np.ndarray:
        if value["array"] in self.used:
            raise Unfit(f"array {value['array']} is used twice")
        self.used.add(value["array"])
        return self.arrays[value["array"]]

    def _texts(self, value) -> np.ndarray:
        return np.array(value["texts"], dtype=object)

    def _csc(self, value):
        return sparse.csc_matrix(tuple(self.unpack(a) for a in value["csc"]), shape=tuple(value["shape"]))

    _KINDS = {  # noqa: RUF012
        "float": lambda self, v: float(v["float"]),
        "array": _array,
        "texts": _texts,
        "list": lambda self, v: [self.unpack(x) for x in v["list"]],
        "tuple": lambda self, v: tuple(self.unpack(x) for x in v["tuple"]),
        "dict": lambda self, v: {self.unpack(k): self.unpack(x) for k, x in v["dict"]},
        "slice": lambda self, v: slice(*v["slice"]),
        "csc": _csc,
        "again": lambda self, v: self._known[v["again"]],
        "object": _object,
        "kernel": _object,
    }
