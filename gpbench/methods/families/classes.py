"""What methods for any number of classes share: class numbers, and the method that does the work for each class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from gpbench import catalog
from gpbench.errors import DataError
from gpbench.methods.base import Method, Problem


class ManyClasses(Method):
    """A method that fits another one for each class."""

    task: ClassVar[str] = "classification"
    many_classes: ClassVar[bool] = True

    d_max: int | None = Field(None, ge=1, description="its number of inducing inputs; null: its own default")
    options: dict[str, Any] = Field(default_factory=dict, description="further parameters of it")

    def part(self, name: str, **usual) -> Method:
        """The method of one class; `usual` are parameters that hold where it has them and the options say nothing."""
        return part_of(name, self.d_max, self.options, usual)


def part_of(name: str, d_max: int | None, options: dict, usual: dict | None = None) -> Method:
    cls = catalog.find("method", name)
    given = {k: v for k, v in {**(usual or {}), "d_max": d_max}.items() if k in cls.model_fields and v is not None}
    return cls(**{**given, **options})


def numbers(problem: Problem) -> np.ndarray:
    """Class numbers 0 to K-1 of the rows."""
    y = problem.y > 0 if problem.classes == 2 else problem.y
    found = y.astype(int)
    if len(np.unique(found)) < 2:
        raise DataError("the training part has rows of one class only")
    return found
