"""Expand the parameters that a config gives a method into grid points, with defaults filled in.

A list is a grid axis unless the parameter itself takes a list. The name of another parameter means the value of that
parameter (`cache: d_max`) unless the parameter itself takes the text (`stop: d_max`).
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import product
from math import prod
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from gpbench.methods.base import Method


def accepts(cls: type[Method], name: str, value: Any) -> bool:
    try:
        _checker(cls, name).validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=4096)
def _checker(cls: type[Method], name: str) -> TypeAdapter:
    field = cls.model_fields[name]
    return TypeAdapter(Annotated[(field.annotation, *field.metadata, None)])


def axes(cls: type[Method], given: dict) -> dict[str, list]:
    """Parameters that vary, with their values."""
    return {k: v for k, v in given.items() if isinstance(v, list) and k in cls.model_fields and not accepts(cls, k, v)}


def size(cls: type[Method], given: dict) -> int:
    """Number of grid points."""
    return prod(len(values) for values in axes(cls, given).values())


def combinations(cls: type[Method], given: dict) -> list[dict]:
    """Parameters of every grid point: references are replaced, defaults not yet filled in."""
    varying = axes(cls, given)
    points = []
    for values in product(*varying.values()):
        point = given | dict(zip(varying, values))
        points.append({k: _refer(cls, k, v, point) for k, v in point.items()})
    return points


def _refer(cls: type[Method], name: str, value: Any, point: dict) -> Any:
    is_reference = isinstance(value, str) and value != name and value in cls.model_fields
    if not is_reference or name not in cls.model_fields or accepts(cls, name, value):
        return value
    return point.get(value, cls.model_fields[value].get_default(call_default_factory=True))


def filled(cls: type[Method], point: dict) -> dict:
    """Every parameter of the method as plain data; raises pydantic's ValidationError."""
    return json.loads(_filled(cls, json.dumps(point)))


@lru_cache(maxsize=4096)
def _filled(cls: type[Method], point: str) -> str:
    """The same as text: the check of a config and its plan ask for each grid point."""
    return json.dumps(cls.model_validate_json(point, strict=True).model_dump(mode="json"))
