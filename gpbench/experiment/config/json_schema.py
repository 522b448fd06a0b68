"""JSON schema of a config, for editors: completion, descriptions, red lines while typing.

It comes from the same classes that `load_config` uses. A schema cannot express every rule (a label used twice, a value
that only one of the methods takes); `gpbench validate` checks those.
"""

from __future__ import annotations

from inspect import Parameter
from typing import Any

from pydantic import BaseModel, TypeAdapter

from gpbench import catalog
from gpbench.data.tables.csv_columns import Choices
from gpbench.gp.kernels.build import COMBINED, options_of
from gpbench.metrics import METRICS
from gpbench.text import NAME

from .config import Seed, published_items
from .dataset_entry import LARGE_KEYS
from .sections import SPLITS, Compare, Hyperparameters, Limits, Scale
from .settings import DEFAULTS, METHOD_SETTINGS, Trials, choices

Schema = dict[str, Any]


def config_schema() -> Schema:
    """The schema with the names of all methods, kernels and data sets, plug-ins included."""
    defs: dict[str, Schema] = {}
    methods, sources = catalog.available("method"), catalog.available("dataset")
    settings = _settings(defs)
    params = _all_parameters(methods, defs)
    dataset = {"$ref": "#/$defs/dataset"}
    defs["dataset"] = _dataset(sources, settings, params, defs)
    defs["method"] = {"anyOf": [_enum(methods), *(_method(m, settings, defs) for m in methods.values())]}
    properties = {
        "name": {"type": "string", "pattern": NAME, "description": "names the results folder"},
        "description": {"type": "string"},
        "dataset": dataset,
        "datasets": {"type": "array", "items": dataset, "minItems": 1},
        **settings,
        "seed": TypeAdapter(Seed).json_schema() | {"description": "of splits, subsets and methods", "default": 0},
        "methods": {"type": "array", "items": {"$ref": "#/$defs/method"}, "minItems": 1},
        "metrics": {"type": "array", "items": _enum(METRICS), "minItems": 1, "uniqueItems": True},
        "also": {"type": "array", "items": {"type": "string"}, "description": "keys of the trace in the results table"},
        "compare": _model(Compare, defs),
        "published": _published(),
        **_model(Limits, defs)["properties"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gpbench config",
        "type": "object",
        "properties": properties | {k: v for k, v in params.items() if k not in properties},
        "required": ["name"],
        "oneOf": [{"required": ["dataset"]}, {"required": ["datasets"]}],
        "additionalProperties": False,
        "$defs": defs,
    }


def _enum(names) -> Schema:
    return {"enum": list(names)}


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _model(cls: type[BaseModel], defs: dict) -> Schema:
    """Schema of a model; models inside it move to the common $defs under unique names."""
    schema = cls.model_json_schema(by_alias=True, ref_template=f"#/$defs/{cls.__name__}.{{model}}")
    defs |= {f"{cls.__name__}.{k}": v for k, v in schema.pop("$defs", {}).items()}
    return schema


def _settings(defs: dict) -> dict[str, Schema]:
    defs["kernel"] = _kernel()
    splits = [{**_model(cls, defs), "required": _required(cls)} for cls in SPLITS.values()]
    return {
        "split": {"anyOf": [{"const": "default"}, *splits], "description": "rows for training and for testing"},
        "scale": {"anyOf": [{"const": "none"}, _model(Scale, defs)], "description": "by the training part"},
        "trials": TypeAdapter(Trials).json_schema() | {"description": "repetitions; 1, or the number of folds"},
        "kernel": {"$ref": "#/$defs/kernel"},
        "hyperparameters": _model(Hyperparameters, defs),
        "nmse_variance": _scoring("nmse_variance") | {"description": "what nmse divides by"},
        "target_units": _scoring("target_units") | {"description": "scale of nlpd"},
    }


def _scoring(key: str) -> Schema:
    return _enum(choices(key)) | {"default": DEFAULTS[key]}


def _required(split: type[BaseModel]) -> list[str]:
    return ["kind", *(k for k, f in split.model_fields.items() if f.is_required())]


def _kernel() -> Schema:
    classes = {n: cls for n, cls in catalog.available("kernel").items() if n not in COMBINED}
    described = []
    for name, cls in classes.items():
        options = options_of(cls)
        properties = {k: TypeAdapter(t).json_schema() for k, (t, _) in options.items()}
        required = [k for k, (_, default) in options.items() if default is Parameter.empty]
        described.append(_object({"name": {"const": name}, **properties}, ["name", *required]))
    parts = {"type": "array", "items": {"$ref": "#/$defs/kernel"}, "minItems": 2}
    return {"anyOf": [_enum(classes), *described, *(_object({how: parts}, [how]) for how in COMBINED)]}


def _values(field: Schema) -> Schema:
    """A parameter's value, a list of them (a grid axis), or the name of another parameter."""
    about = {k: field[k] for k in ("description", "default") if k in field}
    bare = {k: v for k, v in field.items() if k not in ("description", "default", "title")}
    reference = {"type": "string", "pattern": "^[a-z_]+$"}
    return {
        "anyOf": [bare, {"type": "array", "items": {"anyOf": [bare, reference]}, "minItems": 1}, reference],
        **about,
    }


def _parameters(cls: type[BaseModel], defs: dict) -> dict[str, Schema]:
    return {k: _values(v) for k, v in _model(cls, defs).get("properties", {}).items()}


def _all_parameters(methods: dict[str, type], defs: dict) -> dict[str, Schema]:
    found: dict[str, list[Schema]] = {}
    for cls in methods.values():
        for key, schema in _parameters(cls, defs).items():
            if schema not in found.setdefault(key, []):
                found[key].append(schema)
    return {k: v[0] if len(v) == 1 else {"anyOf": v} for k, v in found.items()}


def _method(cls: type, settings: Schema, defs: dict) -> Schema:
    own = {"method": {"const": cls.name, "description": cls.title}, "label": {"type": "string", "maxLength": 60}}
    shared = {k: settings[k] for k in METHOD_SETTINGS}
    required = ["external"] if cls.name == "external" else ["method"]  # {external: gpboost} needs no `method` key
    return _object({**own, **shared, **_parameters(cls, defs)}, required)


def _dataset(sources: dict[str, type], settings: Schema, params: Schema, defs: dict) -> Schema:
    def plain(cls):
        return {"name": {"const": cls.name, "description": cls.title}, **_model(cls, defs).get("properties", {})}

    text = {"type": "string", "minLength": 1}
    csv = {"csv": text, "target": text, "task": _enum(["regression", "classification"]), "label": text}
    csv |= _model(Choices, defs)["properties"]
    label = {"label": {"type": "string", "maxLength": 60, "description": "how tables and figures call it"}}
    names, extra = _enum(sources), {**params, **settings, **label}
    own = [
        (csv, ["csv", "target"]),
        *(({**dict.fromkeys(k, text), "label": text}, list(k)) for k in LARGE_KEYS.values()),
    ]
    choice = {"anyOf": [names, *(_object(plain(c), ["name"]) for c in sources.values()), *(_object(*o) for o in own)]}
    first = {"first_of": {"type": "array", "items": choice, "minItems": 1}}
    named = [_object({**extra, **plain(c)}, ["name"]) for c in sources.values()]
    return {
        "anyOf": [
            names,
            *named,
            *(_object({**extra, **keys}, needed) for keys, needed in own),
            _object({**extra, **first}, ["first_of"]),
        ]
    }


def _published() -> Schema:
    count = {"type": "integer", "minimum": 0}
    spent = {"anyOf": [count, {"type": "object", "additionalProperties": count}]}
    papers = []
    for p, items in published_items().items():
        keys = {"paper": {"const": p}, "item": {"type": "string", "examples": items}, "spent": spent}
        keys["open"] = {"type": "boolean", "description": "another protocol that the paper leaves open"}
        papers.append(_object(keys, ["paper", "item"]))
    one = {"anyOf": papers}
    return {"anyOf": [one, {"type": "array", "items": one}], "description": "whose printed numbers stand beside ours"}
