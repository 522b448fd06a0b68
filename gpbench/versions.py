"""What code may do to the ids of finished trials: raise a version, or add a parameter (docs/reference/extending.md).

A method, kernel, data set or learner whose numbers move gets a higher `version`. Version 1 is nothing to a trial's id;
a higher one enters it, but no random stream: splits, subsets and candidates stay as they were, and the trials archived
at a lower version are known as stale. A parameter marked `Annotated[T, Added]` enters an id only where it differs from
its default, so adding it moves no committed id.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, get_args, get_type_hints


class _Added:
    """Marks a parameter that was added later: it enters a trial's id only where it differs from its default.

    Examples
    --------
    >>> from typing import Annotated
    >>> from gpbench.extend import Added, Method
    >>> class FirstRows(Method):
    ...     name = "first-rows"
    ...     d_max: int = 100
    ...     step: Annotated[int, Added] = 1
    >>> FirstRows().step
    1
    """

    def __repr__(self) -> str:
        return "Added"


Added = _Added()


# -- parameters that came later ---------------------------------------------------------------------------------------


def defaults(model: type) -> dict[str, Any]:
    """Plain default of every optional field of a pydantic model, under the names that a config uses."""
    fields = {k: f for k, f in model.model_fields.items() if not f.is_required()}
    instance = model.model_construct(**{k: f.get_default(call_default_factory=True) for k, f in fields.items()})
    return instance.model_dump(mode="json", by_alias=True, include=set(fields))


def essential(model: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The plain values of a pydantic model that enter an id."""
    added = {f.alias or k for k, f in model.model_fields.items() if Added in f.metadata}
    if not added & given.keys():
        return dict(given)
    usual = defaults(model)
    return {k: v for k, v in given.items() if k not in added or k not in usual or v != usual[k]}


def essential_arguments(function, given: Mapping[str, Any]) -> dict[str, Any]:
    """The same for options that are a function's keyword arguments (a kernel's `create`)."""
    hints = get_type_hints(function, include_extras=True)
    usual = {
        name: p.default
        for name, p in inspect.signature(function).parameters.items()
        if p.default is not p.empty and Added in get_args(hints.get(name))
    }
    return {k: v for k, v in given.items() if k not in usual or v != usual[k]}


# -- versions ---------------------------------------------------------------------------------------------------------


def version_of(cls: type) -> int:
    """Version of a class: its own raises, those of its base classes and of what it `stands_on` are added.

    `stands_on` lists modules and classes with a `version` of their own (the EP loop, say); without one it is 1.
    """
    own = [vars(c).get("version", 1) for c in cls.__mro__]
    parts = {part for c in cls.__mro__ for part in vars(c).get("stands_on", ())}
    beneath = [version_of(p) if isinstance(p, type) else getattr(p, "version", 1) for p in parts]
    return 1 + sum(v - 1 for v in [*own, *beneath])


def raised(versions: Mapping[str, int]) -> dict[str, int]:
    """The versions above 1, which a trial keeps and its id contains."""
    return {k: v for k, v in sorted(versions.items()) if v > 1}


def lower(versions: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Every combination below the given one, the latest first."""
    names, top = list(versions), tuple(versions.values())
    below = sorted(product(*(range(1, v + 1) for v in top)), key=sum, reverse=True)
    yield from (raised(dict(zip(names, one))) for one in below if one != top)
