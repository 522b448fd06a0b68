"""Settings of a trial: their names, their defaults and their precedence.

A setting may be given at three levels; precedence: method entry > data set entry > top level > default.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from gpbench.data.dataset import name_of

from . import kernel_entry, sections
from .document_checker import Reader
from .yaml_document import Keys

DEFAULTS: dict[str, Any] = {
    "split": "default",
    "scale": {},
    "trials": None,  # 1; k for folds
    "kernel": "ard-se",
    "hyperparameters": {},
    "nmse_variance": "dataset",
    "target_units": "raw",
}
SETTINGS = tuple(DEFAULTS)
METHOD_SETTINGS = ("kernel", "hyperparameters")  # settings that a method's entry may have
SCORING = {"nmse_variance": Literal["dataset", "test"], "target_units": Literal["raw", "standardised"]}
Trials = Annotated[int, Field(ge=1, le=100_000)]


def read(reader: Reader, key: str, data: Any, keys: Keys) -> Any:
    """Read one of SETTINGS into its plain form."""
    if key == "kernel":
        return kernel_entry.kernel(reader, data, keys)
    if key in ("split", "scale", "hyperparameters"):
        return getattr(sections, key)(reader, data, keys)
    if key == "trials":
        return None if data is None and keys not in reader.document.marks else reader.validate(Trials, data, keys)
    return reader.validate(SCORING[key], data, keys)


def choices(key: str) -> list[str]:
    """Allowed values of a setting of SCORING, its default first."""
    return list(get_args(SCORING[key]))


def for_trial(top: dict, of_dataset: dict, of_method: dict) -> dict:
    """Settings of the trials of one method on one data set."""
    return sections.without_idle_bias(top | of_dataset | of_method)


def repetitions(top: dict, of_dataset: dict) -> int:
    """Number of repetitions on a data set."""
    settings = top | of_dataset
    return settings["trials"] or settings["split"].get("k", 1)


def where(key: str, of_dataset: dict, dataset_keys: Keys, of_method: dict, method_keys: Keys) -> Keys:
    """The place in the document of the value that has precedence."""
    if key in of_method:
        return (*method_keys, key)
    return (*dataset_keys, key) if key in of_dataset else (key,)


def written(config: dict, dataset: str, n_train: float, label: str = "") -> dict:
    """Settings and parameters of results whose plan is not known, from the content of config.resolved.yaml.

    A data set may be listed with several training sizes; a method is listed under its label or its name.
    """
    found = config | _dataset_entry(config, dataset, n_train)
    for entry in config.get("methods") or []:
        entry = {"method": entry} if isinstance(entry, str) else entry
        if label and label in (entry.get("label"), entry.get("method")):
            return found | entry
    return found


def _dataset_entry(config: dict, dataset: str, n_train: float) -> dict:
    for entry in config.get("datasets") or [config.get("dataset")]:
        options = entry if isinstance(entry, dict) else {"name": entry}
        alternatives = [a if isinstance(a, dict) else {"name": a} for a in options.get("first_of", [options])]
        named = dataset in {n for a in alternatives for n in (name_of(a), a.get("csv"))}  # older: a path
        if named and options.get("n_train") in (None, n_train):
            return options
    return {}
