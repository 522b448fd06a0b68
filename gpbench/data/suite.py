"""Data sets with several published splits, and their repaired variants (`sources/uci.py` lists them).

Each has two files: rows with the target in the last column, and masks of test rows with one column per split.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from gpbench.errors import DataError

from . import parse
from .dataset import Dataset, first_equal
from .fetch.copies import UCI_SUITE, Copy, RemoteFile
from .source import Real


def read_rows(rows, masks):
    """(X, y); `masks` are read by Suite.load."""
    M = parse.plain_numbers(rows)
    return M[:, :-1], M[:, -1]


class Suite(Real):
    """A set of T. W. Evans' collection of UCI sets with ten published splits."""

    subject: ClassVar[str] = ""  # meaning of the target
    rows: ClassVar[str] = ""  # sha256 of the file of rows ...
    masks: ClassVar[str] = ""  # ... and of the file of masks
    arrays: ClassVar[str] = ""  # of the processed arrays
    splits: ClassVar[int | None] = 10
    licence: ClassVar[str] = "the collection: MIT; its sets from the UCI repository: CC BY 4.0"
    home: ClassVar[str] = (
        "github.com/treforevans/uci_datasets: regression sets with the splits of Yang et al. (2015), A la carte - "
        "learning fast kernels, AISTATS 18"
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs):
        if "rows" in vars(cls):
            folder = cls.name.removeprefix("uci-")
            files = tuple(
                RemoteFile(f"uci/{folder}/{name}.csv.gz", sha256, f"{UCI_SUITE}/{folder}/{name}.csv.gz")
                for name, sha256 in (("data", cls.rows), ("test_mask", cls.masks))
            )
            cls.title = cls._title()
            cls.copies = (Copy(files, read_rows, cls.arrays, shape=cls.shape),)
        super().__pydantic_init_subclass__(**kwargs)

    @classmethod
    def _title(cls) -> str:
        return f"{cls.subject}, {cls.shape[1]} inputs; {cls.splits} published splits"

    def load(self, paths: dict, rng: np.random.Generator | None = None) -> Dataset:
        data, path = super().load(paths, rng), paths[self.copies[0].files[1].path]
        masks = parse.plain_numbers(path)
        if masks.shape != (data.n, self.splits) or not np.isin(masks, (0, 1)).all():
            shape = " x ".join(map(str, masks.shape))
            raise DataError(f"{self.name}: expected {data.n} x {self.splits} zeros and ones in {path}, got {shape}")
        return replace(data, test_masks=masks == 1)


class Repaired(Suite):
    """Base of the repaired variants: no inputs that leak the target; rows with equal inputs are in the same part."""

    leaks: ClassVar[tuple[int, ...]] = ()  # inputs left out, from 1, as `gpbench data audit` names them

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs):
        super().__pydantic_init_subclass__(**kwargs)
        cls.shape = (cls.shape[0], cls.shape[1] - len(cls.leaks))
        cls.title = f"{cls._title()}, repaired"
        names = " and ".join(map(str, cls.leaks))
        without = f"inputs {names} are left out, for they give the target away; " if cls.leaks else ""
        cls.notes = (f"repaired: {without}equal inputs are on the side of the first of them in each split",)

    def load(self, paths: dict, rng: np.random.Generator | None = None) -> Dataset:
        data = super().load(paths, rng)
        X = np.delete(data.X, [j - 1 for j in self.leaks], axis=1)
        return replace(self.dataset(X, data.y), test_masks=one_sided(X, data.test_masks))


def one_sided(X: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Masks in which rows with equal inputs are in the same part: the part of the first of them.

    The first row of a group is a test row as often as any row, so the test part keeps its size, and repeated rows are
    in it as often as others. Moving every row with an equal row in training to the training part would leave a test
    part without repeated rows.
    """
    return masks[first_equal(X)]
