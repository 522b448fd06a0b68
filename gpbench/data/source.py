"""What a data set's file provides: one class per name, with its options as fields.

A new data set is one file in `sources/` (or a `--plugin` file) with a subclass of `Source` that has a `name`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from .dataset import Dataset


class Source(BaseModel):
    """A named data set; fields are the options a config may give ({name: friedman3, n_train: 200})."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: ClassVar[str]
    title: ClassVar[str] = ""
    task: ClassVar[str] = "regression"
    papers: ClassVar[tuple[str, ...]] = ()
    citation: ClassVar[str] = ""
    licence: ClassVar[str] = ""
    shape: ClassVar[tuple[int, int] | None] = None  # rows and inputs, where they are fixed
    generated: ClassVar[bool] = False  # needs no files
    per_trial: ClassVar[bool] = False  # a fresh draw for every trial (Friedman), not one data set that trials re-split
    files: ClassVar[tuple] = ()  # RemoteFile records (fetch.py); empty for generated data

    def load(self, paths: dict, rng: np.random.Generator) -> Dataset:
        """The data set from its verified raw files (`paths`: file name -> local path), or drawn with `rng`."""
        raise NotImplementedError
