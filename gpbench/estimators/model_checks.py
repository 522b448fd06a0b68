"""Whether the objects of a saved model are what their layouts say, so that a prediction of them can be made.

Compiled code follows the index arrays without a look at their range: a wrong one has to be found here.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from gpbench.gp.kernels.base import Kernel
from gpbench.gp.kernels.on_columns import OnColumns, fault

from .model_layouts import LAYOUTS, STATE


class Unfit(Exception):
    """Which part of a model is not what its layout says."""


def check_state(state: dict) -> None:
    lengths: dict[str, int] = {}
    for name in ("model_", "method_", "objects_", "notes_", "n_features_in_"):
        if name not in state:
            raise Unfit(f"{name} is missing")
    for name, value in state.items():
        if name in STATE:
            _check(value, STATE[name], lengths, name)
    if (labels := state.get("classes_")) is not None and len(labels) != state["model_"].classes:
        raise Unfit("classes_ are not as many as the model has")
    if hasattr(state.get("columns_"), "separator") and "feature_names_in_" in state:
        return  # columns of a data frame, of which the rules make other inputs
    if not state["objects_"] and lengths.setdefault("D", state["n_features_in_"]) != state["n_features_in_"]:
        raise Unfit("n_features_in_ is not the number of its inputs")


def _check(value, spec: str, lengths: dict[str, int], where: str) -> None:
    word, *letters = spec.split()
    if word == "?":
        if value is None:
            return
        word, *letters = letters
    if word == "each":
        _of_type(value, tuple, where)
        for part in value:
            _check(part, " ".join(letters), lengths, where)
    elif word in _ARRAYS:
        _array(value, word, letters, lengths, where)
    elif word in _WORDS:
        if not _WORDS[word](value):
            raise Unfit(f"{where} is no {word}")
    elif word == "kernel":
        _kernel(value, lengths.get(letters[0]), where)
    else:
        _object(value, word.split("|"), letters, lengths, where)


def _of_type(value, kind, where: str) -> None:
    if not isinstance(value, kind):
        raise Unfit(f"{where} has the wrong type")


def _object(value, names, letters, outer, where: str) -> None:
    name = type(value).__name__
    if name not in names or not type(value).__module__.startswith("gpbench."):
        raise Unfit(f"{where} is no {' or '.join(names)}")
    own, attributes = LAYOUTS[name]
    lengths = {mine: outer[theirs] for mine, theirs in zip(own.split(), letters) if theirs in outer}
    for key, spec in attributes.items():
        if spec:
            found = getattr(value, key, Unfit)
            if found is Unfit:
                raise Unfit(f"{where}.{key} is missing")
            _check(found, spec, lengths, f"{where}.{key}")
    for mine, theirs in zip(own.split(), letters):
        if mine in lengths and outer.setdefault(theirs, lengths[mine]) != lengths[mine]:
            raise Unfit(f"{where} has another length than what belongs to it")
    if name in _MORE:
        _MORE[name](value, lengths, where)


def _array(value, word, letters, lengths, where: str) -> None:
    if word == "rows" and isinstance(value, np.ndarray) and value.dtype == object:
        letters = letters[:1]
    elif word == "csc":
        if not sparse.issparse(value) or value.format != "csc":
            raise Unfit(f"{where} is no sparse matrix")
        value.check_format(full_check=True)
        _check(value.data, "f e", lengths, where)
    else:
        _of_type(value, np.ndarray, where)
        if value.dtype != _ARRAYS[word]:
            raise Unfit(f"{where} has the type {value.dtype}")
        if value.dtype == float and word != "work" and not np.isfinite(value).all():
            raise Unfit(f"{where} has entries that are not finite")
        if (word == "positives" and (value <= 0).any()) or (word == "naturals" and (value < 0).any()):
            raise Unfit(f"{where} has negative entries")
    letters = letters * 2 if word == "lower" else letters
    if value.ndim != len(letters):
        raise Unfit(f"{where} has the shape {value.shape}")
    for letter, length in zip(letters, value.shape):
        if lengths.setdefault(letter, length) != length:
            raise Unfit(f"{where} has the shape {value.shape}")
    if word == "lower" and not (value.diagonal() > 0).all():
        raise Unfit(f"{where} is no triangular factor")


def _kernel(value, D: int | None, where: str) -> None:
    _of_type(value, Kernel, where)
    theta = getattr(value, "theta", None)
    if not isinstance(theta, np.ndarray) or theta.dtype != float or theta.ndim != 1 or not np.isfinite(theta).all():
        raise Unfit(f"{where} has no hyperparameters that are finite numbers")
    if not type(value).__module__.startswith("gpbench.gp.kernels."):
        return
    parts = getattr(value, "parts", None)
    if parts is not None:
        _of_type(parts, tuple, where)
        for part in parts:
            _kernel(part, D, where)
        made = type(value)(parts)
        if isinstance(value.names, tuple) and len(value.names) == len(made.names):
            value.names = made.names  # version 0.1 repeated some
    elif isinstance(value, OnColumns):
        columns = value.columns
        if not isinstance(columns, tuple) or fault(columns, D):
            raise Unfit(f"{where} looks at inputs that are not there")
        _kernel(value.part, len(columns), where)
        made = OnColumns(value.part, columns)
    elif hasattr(value, "dims"):
        if D is not None and value.dims != D:
            raise Unfit(f"{where} is for {value.dims} inputs, not for {D}")
        more = {key: vars(value)[key] for key in ("form", "dimension") if key in vars(value)}
        _of_type(value.ard, bool, where)
        made = type(value)(theta, value.dims, value.ard, **more)
    else:
        made = value.with_theta(theta)
        ends = getattr(getattr(value, "overlaps", None), "ends", None)
        if ends is not None and not (ends[0] == 0 and (np.diff(ends) > 0).all() and len(ends) == len(theta) + 1
                                     and D in (None, ends[-1])):  # fmt: skip
            raise Unfit(f"{where} has groups that do not fit")
    same = vars(made).keys() == vars(value).keys() and all(_same(vars(made)[k], v) for k, v in vars(value).items())
    if not same or len(value.names) != len(theta):
        raise Unfit(f"{where} has attributes that contradict each other")


def _same(a, b) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a is b or a == b


def _halving(tree, lengths, where: str) -> None:
    leaf = tree.rows is not None
    if leaf != (tree.left is None) or leaf != (tree.right is None) or leaf != (tree.direction is None):
        raise Unfit(f"{where} is neither a node nor a leaf")


def _local(value, lengths, where: str) -> None:
    if len(value.tree.leaves()) != len(value.parts):
        raise Unfit(f"{where} has another number of leaves than of parts")


def _multifrontal(value, lengths, where: str) -> None:
    fronts, tree, n = value.fronts, value.fronts.tree, len(value.fronts.perm)
    width, height = np.diff(tree.first), np.diff(tree.row_start)
    last = np.repeat(tree.first[1:], np.maximum(height, 0)) if len(width) == len(tree.parent) else None
    sound = (
        value.tree is tree and last is not None and len(last) == len(tree.rows)
        and _permutes(fronts.perm, n) and np.array_equal(np.argsort(fronts.perm), fronts.inverse)
        and tree.first[0] == 0 and tree.first[-1] == n and (width > 0).all()
        and tree.row_start[0] == 0 and tree.row_start[-1] == len(tree.rows) and (height >= 0).all()
        and (tree.rows >= last).all() and (tree.rows < n).all()
        and ((tree.parent == -1) | (tree.parent > np.arange(len(width)))).all() and (tree.parent < len(width)).all()
        and np.array_equal(tree.panel_start, np.r_[0, np.cumsum((width + height) * width)])
        and tree.panel_start[-1] == len(value.panel) and fronts.tallest == height.max(initial=0)
    )  # fmt: skip
    if not sound:
        raise Unfit(f"{where} is no tree of fronts")


def _permutes(perm, n: int) -> bool:
    return np.array_equal(np.sort(perm), np.arange(n))


_MORE = {"Halving": _halving, "LocalPosterior": _local, "Multifrontal": _multifrontal}
_ARRAYS = {"f": float, "positives": float, "naturals": float, "lower": float, "rows": float, "work": float,
           "csc": float, "i": np.int64,
    "short": np.int32, "b": bool}  # fmt: skip


def _real(value) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)


def _texts(value) -> bool:
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


_WORDS = {
    "real": _real,
    "number": lambda v: isinstance(v, float),
    "natural": lambda v: _real(v) and v >= 0,
    "positive": lambda v: _real(v) and v > 0,
    "count": lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 0,
    "bool": lambda v: isinstance(v, bool),
    "text": lambda v: isinstance(v, str),
    "task": lambda v: v in ("regression", "classification"),
    "dict": lambda v: isinstance(v, dict),
    "list": lambda v: isinstance(v, list),
    "tuple": lambda v: isinstance(v, tuple),
    "texts": _texts,
    "names": lambda v: isinstance(v, np.ndarray) and v.ndim == 1,
    "labels": lambda v: isinstance(v, np.ndarray) and v.ndim == 1 and len(v) >= 2,
}
