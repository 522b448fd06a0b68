"""From an estimator's parameters to the runner's terms: a method, a kernel, `hyperparameters`. Bad ones: a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from gpbench import catalog
from gpbench.data.dataset import Kind
from gpbench.errors import BadParameter, ConfigError
from gpbench.experiment.config import kernel_entry
from gpbench.experiment.config.document_checker import Reader, wording
from gpbench.experiment.config.sections import Hyperparameters
from gpbench.experiment.config.yaml_document import Document
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.kernels.build import (
    COLUMNS,
    COMBINED,
    build_kernel,
    fault_of_columns,
    how_to_write,
    is_compact,
    named_columns,
    names_in,
    options_of,
    with_positions,
)
from gpbench.gp.kernels.function import FunctionKernel
from gpbench.gp.kernels.patterns import NO_SUPPORT
from gpbench.methods.auto import Auto, usual_learning
from gpbench.methods.base import Method
from gpbench.text import nearest, seconds

from . import defaults

SIZES = ("d_max", "neighbours")  # fields that `n_basis` stands for
LEARN = ("auto", "fixed", "joint", "interleaved")


def placed(choice: KernelChoice, places: Mapping[str, Sequence[int]], inputs: int) -> KernelChoice:
    """With the positions of the inputs that the kernel names."""
    if isinstance(choice.given, Kernel) or choice.objects:
        return choice
    for name in named_columns(choice.given):
        if name not in places:
            known = list(places)[:20]
            raise BadParameter(f"kernel: columns: there is no input '{name}'{nearest(name, known, 'there are')}")
    given = with_positions(choice.given, places)
    if why := fault_of_columns(given, inputs):
        raise BadParameter(f"kernel: {why}")
    return replace(choice, given=given)


@dataclass(frozen=True)
class KernelChoice:
    given: dict | Kernel  # a description, or the kernel itself
    objects: bool  # inputs are handed on as they are: (n,) objects, or whatever a user's function takes

    @property
    def raw_inputs(self) -> bool:
        """Vectors, but such as no scaling may touch: bins of histograms."""
        if isinstance(self.given, Kernel):
            return self.given.raw_inputs
        return any(catalog.find("kernel", name).raw_inputs for name in names_in(self.given))

    def build(self, X) -> Kernel:
        return self.given if isinstance(self.given, Kernel) else build_kernel(self.given, X)


def method_class(name: str, kind: Kind, likelihood: str | None = None) -> tuple[type[Method], dict]:
    """The method's class, and the likelihood among its parameters."""
    if not isinstance(name, str):
        raise BadParameter(f"method: expected a name such as 'vfe', got {name!r}")
    task, usual = kind.task, {}
    try:
        cls = catalog.find("method", name)
    except ConfigError as e:
        raise BadParameter(f"method: {e}") from e
    if likelihood is not None:
        usual = {"likelihood": _likelihood(likelihood, cls, task)}
    if not cls.serves(task, usual):
        other = "SparseGPClassifier" if cls.task == "classification" else "SparseGPRegressor"
        raise BadParameter(f"method: {name} is for {cls.task}; use {other}")
    if kind.classes > 2 and not cls.many_classes:
        raise BadParameter(  # the first words are those that scikit-learn's own checks look for
            f"Only binary classification is supported. The method {name} is for two classes, y has {kind.classes}; "
            "take dirichlet or one-vs-rest"
        )
    return cls, usual


def _likelihood(name, cls: type[Method], task: str) -> str:
    """The name, if a likelihood has it and it suits the method and the task."""
    if not isinstance(name, str):
        raise BadParameter(f"likelihood: expected a name such as 'student-t', got {name!r}")
    try:
        found = catalog.find("likelihood", name)
    except ConfigError as e:
        raise BadParameter(f"likelihood: {e}") from e
    if "likelihood" not in cls.model_fields:
        raise BadParameter(f"likelihood: method {cls.name} takes none; take ep or ep-fic")
    if (found.targets == "classes") != (task == "classification"):
        raise BadParameter(f"likelihood: {name} is for {'classes' if found.targets == 'classes' else found.targets}")
    return name


def method(
    cls: type[Method], task: str, n_basis, options: dict | None, usual: dict, n: int
) -> tuple[Method, list[str]]:
    """The method with its size, and a remark about the size."""
    size, notes = next((f for f in SIZES if f in cls.model_fields), None), []
    given = dict(usual)
    if "nugget" in cls.model_fields:
        given["nugget"] = 0.0  # [keerthi]'s noise-free NLPD needs it; a user's latent deviation is the posterior's
    if n_basis == "auto":
        if size == "d_max" and cls is not Auto:
            given["d_max"] = defaults.largest_size(task, n)
            if "stop" in cls.model_fields:
                given["stop"] = "auto"
    elif isinstance(n_basis, (int, np.integer)) and not isinstance(n_basis, bool) and n_basis >= 1:
        if size is None:
            notes.append(f"{cls.name} has no number of basis vectors: n_basis is not used")
        else:
            given[size] = int(n_basis)
            if n_basis > n:
                notes.append(f"n_basis {n_basis} is more than the {n} rows")
    else:
        raise BadParameter(f"n_basis: expected 'auto' or a whole number from 1 on, got {n_basis!r}")
    if not isinstance(options or {}, dict):
        raise BadParameter(f"options: expected a mapping of {cls.name}'s parameters, got {options!r}")
    if n_basis != "auto" and size in (options or {}):
        raise BadParameter(f"n_basis: is the {size} of {cls.name}, which the options give too; give one of the two")
    given |= options or {}
    try:
        return cls.model_validate_json(json.dumps(given), strict=True), notes
    except ValidationError as e:
        raise BadParameter(_of_method(cls, e)) from e
    except TypeError as e:
        raise BadParameter(f"options: expected plain numbers, texts and lists ({e})") from e


def _of_method(cls: type[Method], error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"])) or "options"
    if first["type"] == "extra_forbidden":
        return f"options: {cls.name} has no parameter '{where}'; it has {', '.join(cls.model_fields)}"
    if first["type"] == "missing":
        return f"options: {cls.name} needs '{where}': {cls.model_fields[where].description or 'it has no default'}"
    return f"options: {cls.name}: {where}: {wording(first)}, got {first['input']!r}"


def takes_objects(given: Any) -> bool:
    """Inputs of this kernel are handed on as they are."""
    if isinstance(given, type):
        known = f"its name '{given.name}'" if issubclass(given, Kernel) and "name" in vars(given) else "a name"
        raise BadParameter(
            f"kernel: {given.__name__} is a class; give {known}, an object of a Kernel or a function k(A, B)"
        )
    if isinstance(given, Kernel):
        return given.objects
    if callable(given):
        return True
    return given != "auto" and any(catalog.find("kernel", name).objects for name in names_in(_described(given)))


def kernel(given: Any, cls: type[Method]) -> KernelChoice:
    """A name, a mapping as in YAML, a Kernel, or a function k(A, B)."""
    objects = takes_objects(given)
    if isinstance(given, Kernel):
        choice = KernelChoice(given, objects)
    elif callable(given):
        choice = KernelChoice(FunctionKernel.create(None, given), objects)
    else:
        choice = KernelChoice(defaults.kernel(cls.compact) if given == "auto" else _described(given), objects)
    if cls.compact and not _compact(choice):
        chosen = given if isinstance(given, str) else "the given one"
        raise BadParameter(f"kernel: {cls.name} needs one of compact support; {chosen} has {NO_SUPPORT}")
    return choice


def _compact(choice: KernelChoice) -> bool:
    return choice.given.compact if isinstance(choice.given, Kernel) else is_compact(choice.given)


def _described(given: Any) -> dict:
    """A kernel description with all options, as gp/kernels/build.py expects it."""
    given = {"name": given} if isinstance(given, str) else given
    if not isinstance(given, dict):
        raise BadParameter(f"kernel: expected a name, a mapping, a Kernel or a function k(A, B), got {given!r}")
    for how in COMBINED:
        if how in given:
            parts = given[how]
            if not isinstance(parts, (list, tuple)) or len(parts) < 2 or len(given) > 1:
                raise BadParameter(f"kernel: {how_to_write(how)}; got {given!r}")
            return {how: [_described(part) for part in parts]}
    if "name" not in given:
        raise BadParameter("kernel: 'name' is missing")
    if given["name"] in COMBINED:
        raise BadParameter(f"kernel: {how_to_write(given['name'])}")
    try:
        options = options_of(catalog.find("kernel", given["name"]))
    except ConfigError as e:
        raise BadParameter(f"kernel: {e}") from e
    if unknown := [k for k in given if k not in {"name", COLUMNS, *options}]:
        known = ", ".join([*options, COLUMNS])
        raise BadParameter(f"kernel: {given['name']} has no option '{unknown[0]}'; it has {known}")
    return given


def hyperparameters(learn: Any, task: str, likelihood: str | None = None) -> dict:
    """As a trial keeps them; `learn` is a word, or a mapping as a config has under `hyperparameters`."""
    if isinstance(learn, dict):
        given = learn
    elif learn not in LEARN:
        raise BadParameter(f"learn: expected {', '.join(LEARN)} or a mapping, got {learn!r}")
    else:
        given = usual_learning(task, likelihood)
        if learn != "auto" and learn != given["schedule"]:
            given = {"schedule": learn, "from": "full-gp"}
    try:
        found = Hyperparameters.model_validate_json(json.dumps(given), strict=True)
    except (ValidationError, TypeError) as e:
        raise BadParameter(f"learn: {_of_learning(e)}") from e
    if faults := [*found.faults(), *found.value_faults()]:
        raise BadParameter(f"learn: {faults[0][1]}")
    if found.plain().get("subset_of") == "data":
        raise BadParameter("learn: `subset_of: data` is for the runner: an estimator sees the training rows alone")
    return found.plain()


def check_values(h: dict, choice: KernelChoice, task: str) -> None:
    """Values are given for the kernel's parameters and the noise, each by its name, as in a config; bounds for some."""
    if isinstance(choice.given, Kernel):
        return
    reader = Reader(Document(h, {}))
    if h.get("values") is not None:
        kernel_entry.check_values(reader, h["values"], choice.given, ("values",), task)
    kernel_entry.check_parameters(reader, h.get("bounds") or {}, choice.given, ("bounds",))
    if reader.faults:
        raise BadParameter(f"learn: {reader.faults[0].message}")


def _of_learning(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return f"expected plain numbers and texts ({error})"
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"unknown key '{where}'{nearest(where, [f.alias or k for k, f in Hyperparameters.model_fields.items()])}"
    return f"{where}: {wording(first)}"


def max_seconds(given: Any) -> float | None:
    """Seconds, from a number or from a text such as 10m."""
    if given is None:
        return None
    found = seconds(given) if isinstance(given, str) else given
    if isinstance(found, bool) or not isinstance(found, (int, float, np.number)) or not found > 0:
        raise BadParameter(f"max_seconds: expected seconds above 0, or a time such as '90s' or '10m', got {given!r}")
    return float(found)
