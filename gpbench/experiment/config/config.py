"""Load a config file: resolve every name, check every value and fill in every default.

A value may be given at three levels; the most specific one holds (settings.py).
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from gpbench import catalog
from gpbench.metrics import METRICS
from gpbench.text import nearest

from . import dataset_entry, grid, kernel_entry, method_entry
from . import settings as settings_of
from .dataset_entry import DatasetEntry
from .document_checker import Reader, check_name, label_of, shown
from .method_entry import MethodEntry
from .resolved import resolved_yaml
from .sections import Compare, Limits, Published
from .settings import DEFAULTS, METHOD_SETTINGS, SETTINGS
from .yaml_document import Keys, override, read

__all__ = ["Config", "load_config", "published_items", "resolved_yaml"]

ONCE = ("name", "description", "dataset", "datasets", "seed", "methods", "metrics", "also", "compare", "published",
        "timeout", "memory")  # fmt: skip
MOST_TRIALS = 200_000  # of one config: data sets x methods x grid points x repetitions
Seed = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Config:
    """A checked config: plain data in one form, whichever of the allowed forms the file uses."""

    name: str
    description: str
    datasets: tuple[DatasetEntry, ...]
    methods: tuple[MethodEntry, ...]
    settings: dict  # the SETTINGS at top level, defaults filled in
    params: dict  # method parameters at top level
    seed: int
    metrics: tuple[str, ...]
    also: tuple[str, ...]  # keys of the trace
    compare: dict
    published: tuple[dict, ...]  # {"paper": ..., "item": ...}
    timeout: float | None  # seconds per trial
    memory: int | None  # MB per trial

    def settings_for(self, dataset: DatasetEntry, method: MethodEntry) -> dict:
        return settings_of.for_trial(self.settings, dataset.settings, method.settings)

    def repetitions_for(self, dataset: DatasetEntry) -> int:
        return settings_of.repetitions(self.settings, dataset.settings)

    def params_for(self, dataset: DatasetEntry, method: MethodEntry) -> dict:
        """Parameters that the config gives to a method on a data set; lists and references are not yet expanded."""
        general = {k: v for k, v in (self.params | dataset.params).items() if self._meant_for(method.cls, k, v)}
        idle = method.cls.idle(general | method.params)
        return {k: v for k, v in general.items() if k not in idle} | method.params

    def _meant_for(self, cls: type, key: str, value: Any) -> bool:
        """Whether a parameter at top level applies to this method: `stop: {patience: 15}` does not apply to fitc."""
        if key not in cls.model_fields:
            return False
        if not isinstance(value, dict) or grid.accepts(cls, key, value):
            return True
        return not any(key in other.model_fields and grid.accepts(other, key, value) for other in self.classes)

    @cached_property
    def classes(self) -> tuple[type, ...]:
        return tuple(dict.fromkeys(m.cls for m in self.methods))


def load_config(path: str | Path, overrides: list[str] | tuple[str, ...] = ()) -> Config:
    """Load a file and apply `--set key=value`; one ConfigError lists every fault with its position."""
    document = read(path)
    for text in overrides:
        override(document, text)
    reader = Reader(document)
    config = _read(reader, document.data, Path(path).parent)
    reader.finish()
    return config


# -- reading ---------------------------------------------------------------------------------------------------------


def _read(reader: Reader, data: dict, folder: Path) -> Config:
    """Read all sections. A part with faults is None in the Config, which the caller then discards."""
    classes = _method_classes(reader, data)
    parameters = {p for _, cls in classes if cls for p in cls.model_fields}
    all_found = all(cls for _, cls in classes)
    valid = {*SETTINGS, *ONCE, *parameters}
    for key in data.keys() - valid:
        reader.unknown_key((key,), valid, "neither a setting nor a parameter of a listed method", sure=all_found)
    if "name" in data:
        check_name(reader, data["name"], ("name",), "name")
    else:
        reader.fault((), "'name' is missing: it names the results folder")
    settings = {k: settings_of.read(reader, k, data.get(k, DEFAULTS[k]), (k,)) for k in SETTINGS}
    datasets = _datasets(reader, data, folder, parameters, all_found)
    if "methods" not in data and any(d.classes > 2 for d in datasets):
        entries = method_entry.recommended({"classification"}, "hyperparameters" in data)
        classes = [(entry, catalog.find("method", entry["method"])) for entry in entries]
    kernel_given = "kernel" in data or any("kernel" in d.settings for d in datasets)
    methods = _methods(reader, classes, folder, kernel_given)
    limits = reader.validate(Limits, {k: data[k] for k in ("timeout", "memory") if k in data}, ()) or Limits()
    config = Config(
        name=data.get("name", ""),
        description=reader.validate(str, data.get("description", ""), ("description",)),
        datasets=tuple(datasets),
        methods=tuple(methods),
        settings=settings,
        params={k: v for k, v in data.items() if k in parameters and k not in ONCE},
        seed=reader.validate(Seed, data.get("seed", 0), ("seed",)),
        metrics=_metrics(reader, data, datasets),
        also=tuple(reader.validate(list[str], data.get("also", []), ("also",)) or ()),
        compare=(reader.validate(Compare, data.get("compare", {}), ("compare",)) or Compare()).plain(),
        published=_published(
            reader, data.get("published", []), {*(n for d in datasets for n in d.names), *(m.label for m in methods)}
        ),
        **limits.plain(),
    )
    _check_pairs(reader, config)
    return config


def _method_classes(reader: Reader, data: dict) -> list[tuple[dict, type | None]]:
    listed = data.get("methods")
    if "methods" not in data:
        tasks = dataset_entry.tasks_of(data)
        if len(tasks) > 1:
            reader.fault((), "'methods' is missing: with data sets of both tasks the config has to list them")
        listed = method_entry.recommended(tasks, "hyperparameters" in data)
    if not isinstance(listed, list) or not listed:
        reader.fault(("methods",), f"methods: expected a list of methods; got {shown(listed)}")
        return []
    return [method_entry.method_name(reader, item, ("methods", i)) for i, item in enumerate(listed)]


def _methods(reader: Reader, classes, folder: Path, kernel_given: bool) -> list[MethodEntry]:
    found, labels = [], {}
    for i, (data, cls) in enumerate(classes):
        if cls is None:
            continue
        keys = ("methods", i)
        for key in cls.model_fields.keys() & {*SETTINGS, *ONCE, "method", "label"}:
            reader.fault(keys, f"method {cls.name}: its parameter '{key}' has the name of a config key; rename it")
        for key in data.keys() - {"method", "label", *METHOD_SETTINGS} - cls.model_fields.keys():
            reader.unknown_key((*keys, key), {"label", *METHOD_SETTINGS, *cls.model_fields}, f"method {cls.name}")
        label = label_of(reader, data, keys, method_entry.usual_label(data, cls.name))
        if label in labels:
            where = (*keys, "label") if "label" in data else keys
            both = f"methods {labels[label] + 1} and {i + 1} are both called '{label}'"
            reader.fault(where, f"{both}; give one a `label` of its own")
        labels.setdefault(label, i)
        if cls.usual_kernel and not kernel_given:
            data = {"kernel": cls.usual_kernel} | data
        settings = {k: settings_of.read(reader, k, data[k], (*keys, k)) for k in METHOD_SETTINGS if k in data}
        params = method_entry.with_adapter_found({k: v for k, v in data.items() if k in cls.model_fields}, folder)
        method_entry.refuse_idle(reader, cls, data, params, keys)
        found.append(MethodEntry(cls.name, label, settings, params, keys))
    return found


def _datasets(reader: Reader, data: dict, folder: Path, parameters: set[str], complete: bool) -> list[DatasetEntry]:
    """`parameters`: of all methods. `complete`: False if a method's name is wrong, so some parameters are unknown."""
    if ("dataset" in data) == ("datasets" in data):
        message = "give `dataset` or `datasets`, not both" if "dataset" in data else "'dataset' is missing"
        reader.fault(("dataset",) if "dataset" in data else (), message, on="key")
    listed = [(("dataset",), data["dataset"])] if "dataset" in data else []
    if "datasets" in data:
        items = data["datasets"]
        if not isinstance(items, list) or not items:
            reader.fault(("datasets",), f"datasets: expected a list, got {shown(items)}")
            items = []
        listed += [(("datasets", i), item) for i, item in enumerate(items)]
    found, seen = [], set()
    for keys, item in listed:
        entry = _dataset(reader, item, keys, folder, parameters, complete)
        if entry is None:
            continue
        sized = {(name, entry.n_train) for name in entry.names}  # tables distinguish its entries by size only
        for name, _ in sorted(seen & sized, key=str):
            reader.fault(keys, f"data set '{name}' is listed twice; entries of one data set differ in n_train")
        seen |= sized
        found.append(entry)
    return found


def _dataset(reader: Reader, data: Any, keys: Keys, folder: Path, parameters, complete) -> DatasetEntry | None:
    if isinstance(data, dict) and "first_of" in data:
        chosen = dataset_entry.first_of(reader, data, keys, folder)
    else:
        chosen = dataset_entry.alternative(reader, data, keys, folder)
        chosen = chosen and ([chosen[0]], *chosen[1:])
    if chosen is None:
        return None
    plain, task, own = chosen
    label = label_of(reader, data, keys, "") if isinstance(data, dict) and "label" in data else ""
    own = own | {"label"}
    rest = {k: v for k, v in data.items() if k not in own} if isinstance(data, dict) else {}
    for key in rest.keys() - set(SETTINGS) - parameters:
        reader.unknown_key((*keys, key), {*own, *SETTINGS, *parameters}, sure=complete)
    settings = {k: settings_of.read(reader, k, v, (*keys, k)) for k, v in rest.items() if k in SETTINGS}
    params = {k: v for k, v in rest.items() if k not in SETTINGS}
    return DatasetEntry(tuple(plain), task, settings, params, keys, label, dataset_entry.classes_of(reader, plain))


def _metrics(reader: Reader, data: dict, datasets) -> tuple[str, ...]:
    classification = bool(datasets) and all(d.task == "classification" for d in datasets)
    listed = data.get("metrics", ["err" if classification else "nmse", "nlpd"])
    if not isinstance(listed, list) or not listed:
        reader.fault(("metrics",), f"metrics: expected a list, got {shown(listed)}")
        return ()
    if not METRICS.keys() >= {str(metric) for metric in listed}:
        catalog.load_installed_metrics()
    first: dict[str, int] = {}
    for i, metric in enumerate(listed):
        if not isinstance(metric, str) or metric not in METRICS:
            reader.fault(("metrics", i), f"unknown metric {shown(metric)}{nearest(str(metric), sorted(METRICS))}")
        elif first.setdefault(metric, i) != i:
            reader.fault(("metrics", i), f"metric '{metric}' is listed twice")
    return tuple(listed)


def _published(reader: Reader, data: Any, names: set[str]) -> tuple[dict, ...]:
    single = not isinstance(data, list)
    found = []
    for i, item in enumerate([data] if single else data):
        keys = ("published",) if single else ("published", i)
        one = reader.validate(Published, item, keys)
        if one is None:
            continue
        items = published_items()
        if one.paper not in items:
            reader.fault((*keys, "paper"), f"unknown paper '{one.paper}'{nearest(one.paper, items)}")
        elif not any(known.startswith(one.item) for known in items[one.paper]):
            hint = nearest(one.item, items[one.paper])
            reader.fault((*keys, "item"), f"{one.paper} has no printed numbers or claims for '{one.item}'{hint}")
        for name in one.spent.keys() - names if isinstance(one.spent, dict) else ():
            reader.fault((*keys, "spent", name), f"no data set or method is called '{name}'{nearest(name, names)}")
        found.append(one.plain())
    return tuple(found)


@cache
def published_items() -> dict[str, list[str]]:
    """Tables and figures of each paper with printed numbers in gpbench, then the sections of its claims."""
    folder, found = files("gpbench.published"), {}

    def read(name):
        with (folder / name).open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    for name in sorted(file.name for file in folder.iterdir() if file.name.endswith(".csv")):
        if name != "claims.csv":
            found[name[:-4]] = [row["table_or_figure"] for row in read(name)]
    for row in read("claims.csv"):
        places = re.split(r"[;,] ", row["figure_or_section"])
        found[row["paper"]] += [place for place in places if place.startswith("section")]
    return {paper: list(dict.fromkeys(items)) for paper, items in found.items()}


# -- checks of a data set together with a method ---------------------------------------------------------------------


def _trials_in_all(config: Config) -> int:
    sizes = ((d, grid.size(m.cls, config.params_for(d, m))) for d in config.datasets for m in config.methods)
    return sum(points * (config.repetitions_for(d) if (config.settings | d.settings)["split"] is not None else 1)
               for d, points in sizes)  # fmt: skip


def _check_pairs(reader: Reader, config: Config) -> None:
    if (count := _trials_in_all(config)) > MOST_TRIALS:
        reader.fault((), f"this config has {count:,} trials, more than the {MOST_TRIALS:,} that one may have")
        return
    nowhere = DatasetEntry((), "", {}, {}, ())
    for method in config.methods:  # top-level values that every data set overrides must be valid, too
        _check_params(reader, config, nowhere, method)
    for dataset in config.datasets:
        if (split := (config.settings | dataset.settings)["split"]) is not None:
            dataset_entry.check_split(reader, dataset, split)
            place = settings_of.where("trials", dataset.settings, dataset.keys, {}, ())
            dataset_entry.check_trials(reader, dataset, split, config.repetitions_for(dataset), place)
        for method in config.methods:
            points = list(grid.combinations(method.cls, config.params_for(dataset, method)))
            for task in {method.cls.task_of(p) for p in points if not method.cls.serves(dataset.task, p)}:
                message = f"{method.method} is a {task} method, {dataset.names[0]} is {dataset.task} data"
                reader.fault(method.keys, message)
            _check_params(reader, config, dataset, method)
            settings = config.settings_for(dataset, method)
            _check_classes(reader, dataset, method)
            learned = settings["hyperparameters"] or {}
            if settings["kernel"]:
                place = (*method.keys, "kernel") if "kernel" in method.settings else method.keys
                if method.cls.compact:
                    kernel_entry.check_support(reader, method.method, settings["kernel"], place)
                kernel_entry.check_auto(reader, method.cls, settings["kernel"], learned, place)
            place = settings_of.where("hyperparameters", dataset.settings, dataset.keys, method.settings, method.keys)
            sharing = (method.cls,) if "hyperparameters" in method.settings else config.classes
            method_entry.refuse_idle_keys(reader, learned, sharing, place)
            cls = method.cls
            no_prior = cls.task == "regression" and not cls.learns_itself and not cls.takes_prior
            if learned.get("prior", "none") != "none" and no_prior:
                why = f"'prior': {method.method} has none; it is for classification and sparse-gp"
                reader.fault((*place, "prior"), why)
            values = learned.get("values")
            if values is not None and settings["kernel"]:
                kernel_entry.check_values(reader, values, settings["kernel"], (*place, "values"), method.cls.task)
            if learned.get("bounds") and settings["kernel"]:
                kernel_entry.check_parameters(reader, learned["bounds"], settings["kernel"], (*place, "bounds"))


def _check_classes(reader: Reader, dataset: DatasetEntry, method: MethodEntry) -> None:
    if dataset.task == "classification" and dataset.classes > 2 and not method.cls.many_classes:
        message = f"{method.method} is for two classes, {dataset.names[0]} has {dataset.classes}"
        reader.fault(method.keys, f"{message}; take dirichlet or one-vs-rest")


def _check_params(reader: Reader, config: Config, dataset: DatasetEntry, method: MethodEntry) -> None:
    given = config.params_for(dataset, method)
    varying = grid.axes(method.cls, given)
    numbers = {k: {repr(v): len(vs) - i for i, v in enumerate(reversed(vs), 1)} for k, vs in varying.items()}
    for point in grid.combinations(method.cls, given):

        def where(loc, point=point):
            if not loc or loc[0] not in given:
                return (*method.keys, *loc)
            keys = settings_of.where(loc[0], dataset.params, dataset.keys, method.params, method.keys)
            number = numbers.get(loc[0], {}).get(repr(point[loc[0]]))
            return (*keys, *loc[1:]) if number is None else (*keys, number, *loc[1:])

        try:
            grid.filled(method.cls, point)
        except ValidationError as e:
            reader.pydantic(e, where, method.cls.model_fields, partial=not dataset.alternatives)
    for key, values in varying.items():
        keys = settings_of.where(key, dataset.params, dataset.keys, method.params, method.keys)
        if not reader.refused_in(keys) and (not values or len(numbers[key]) < len(values)):
            reader.fault(keys, f"'{key}': a grid needs one or more different values, got {shown(values)}")
