"""Base classes of data sets: one class per name, with its options as fields.

A new data set is one file in `sources/` (or a `--plugin` file) with a subclass of `Source` that has a `name`: a
`Generated` one samples its rows, a `Real` one lists the copies of its raw files and how to read each.
"""

from __future__ import annotations

import zlib
from typing import ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from gpbench.errors import DataError, NotApplicable

from .dataset import Dataset, fingerprint
from .fetch.copies import Copy, RemoteFile
from .labels import coded

Kind = Literal["same rows", "simulated", "own recipe", "subset"]  # relation of a stand-in to the published data set


class Source(BaseModel):
    """A named data set; fields are the options a config may give ({name: friedman3, n_train: 200}).

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import Dataset, Source
    >>> class Noise(Source):
    ...     name = "noise"
    ...     n: int = 10
    ...     def load(self, paths, rng):
    ...         return Dataset(self.name, rng.normal(size=(self.n, 1)), rng.normal(size=self.n), simulated=True)
    >>> Noise(n=3).load({}, np.random.default_rng(0)).X.shape
    (3, 1)
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: ClassVar[str]
    version: ClassVar[int] = 1  # raised when its rows change (gpbench/versions.py)
    stands_on: ClassVar[tuple] = ()  # modules and classes whose `version` is added to this one
    title: ClassVar[str] = ""
    task: ClassVar[str] = "regression"
    labels: ClassVar[tuple] = ()  # of the classes, where there are more than two or they have names
    papers: ClassVar[tuple[str, ...]] = ()
    citation: ClassVar[str] = ""
    licence: ClassVar[str] = ""
    home: ClassVar[str] = ""  # first publication, or the recipe of generated data
    shape: ClassVar[tuple[int, int] | None] = None  # (rows, inputs), if fixed
    splits: ClassVar[int | None] = None  # number of published splits if there are several; repetition t uses split t
    generated: ClassVar[bool] = False  # needs no files
    simulated: ClassVar[bool] = False  # replaces published rows that it does not contain
    stands_for: ClassVar[tuple[str, Kind] | None] = None  # (published name, relation); None: the paper's own
    per_trial: ClassVar[bool] = False  # new rows for each repetition (Friedman), not one data set that is split again
    notes: ClassVar[tuple[str, ...]] = ()  # remarks printed with every number
    copies: ClassVar[tuple[Copy, ...]] = ()  # copies of the raw files, best first; empty for generated data
    missing: ClassVar[str] = ""  # for data that cannot be downloaded: why, and what to put where
    files: ClassVar[tuple[RemoteFile, ...]] = ()  # all files of all copies; filled in from `copies`

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs):
        super().__pydantic_init_subclass__(**kwargs)
        cls.files = tuple(f for copy in cls.copies for f in copy.files)

    def load(self, paths: dict, rng: np.random.Generator) -> Dataset:
        """The data set from its verified raw files (`paths`: RemoteFile.path -> local file), or sampled with `rng`."""
        raise NotImplementedError

    def dataset(self, X, y, published_split=None, notes=()) -> Dataset:
        y, labels = coded(y, self.labels) if self.task == "classification" else (y, ())
        told = (*self.notes, *notes)
        return Dataset(
            self.name, X, y, self.task, published_split, self.simulated, told, fingerprint(X, y), labels=labels
        )


class Generated(Source):
    """Sampled rows, training part first, which is the published split.

    A `per_trial` set uses the caller's rng. Any other is one fixed data set: it depends on its own `seed` option, not
    on the experiment's seed, so its rows are the same in every experiment.
    """

    generated: ClassVar[bool] = True
    n_train: int = Field(1000, ge=1, description="training rows")
    n_test: int = Field(1000, ge=1, description="test rows")

    def sample(self, rng: np.random.Generator):
        """(X, y), the n_train training rows first."""
        raise NotImplementedError

    def rows(self, n: int, rng: np.random.Generator):
        """(X, y) of n identically distributed rows, for data of any size (`gpbench data shards`)."""
        raise NotApplicable(f"{self.name} cannot be drawn block by block")

    def load(self, paths: dict, rng: np.random.Generator) -> Dataset:
        if not self.per_trial:
            rng = np.random.default_rng([zlib.crc32(self.name.encode()), getattr(self, "seed", 0)])
        X, y = self.sample(rng)
        parts = np.arange(self.n_train), np.arange(len(y) - self.n_test, len(y))
        return self.dataset(X, y, parts)


class Real(Source):
    """Published rows; `copies` say where each raw form is and how to read it."""

    published_train: ClassVar[int | None] = None  # rows of the published training part; the rest is its test part

    def load(self, paths: dict, rng: np.random.Generator | None = None) -> Dataset:
        """The data set from the first copy whose files are all in `paths`; checks the shape and the processed hash."""
        copy = next((c for c in self.copies if all(f.path in paths for f in c.files)), None)
        if copy is None:
            raise DataError(f"{self.name}: none of its raw forms is complete in {sorted(map(str, paths))}")
        try:
            X, y, *train = copy.read(*(paths[f.path] for f in copy.files))
        except (
            ValueError,
            IndexError,
            KeyError,
        ) as e:  # a server may send another file
            raise DataError(f"{copy.files[0].path} is not this data set's file ({type(e).__name__}: {e})") from e
        self.check(copy, X, y)
        n_train = train[0] if train else self.published_train
        split = None if n_train is None else (np.arange(n_train), np.arange(n_train, len(y)))
        return self.dataset(X, self.target(y), split, [copy.note] if copy.note else [])

    def target(self, y):
        """The target that the options select, if the files hold several."""
        return y

    def check(self, copy: Copy, X, y) -> None:
        """DataError if the arrays are not those of the data set."""
        where = f"{self.name} from {copy.files[0].path}"
        got = (len(y), X.shape[1] if X.ndim > 1 else 1)
        shape = copy.shape or self.shape
        if shape is not None and got != shape:
            raise DataError(f"{where}: expected {shape[0]} rows of {shape[1]} inputs, got {got[0]} of {got[1]}")
        if not np.isfinite(y).all() or (X.dtype != object and not np.isfinite(X).all()):
            raise DataError(f"{where}: has missing or infinite values")
        if copy.arrays and (sha := fingerprint(X, y)) != copy.arrays:
            raise DataError(
                f"{where}: the rows hash to {sha[:16]}..., expected {copy.arrays[:16]}...: not this data set"
            )


class Uci(Real):
    """From the UCI Machine Learning Repository."""

    licence: ClassVar[str] = "CC BY 4.0 (UCI)"
    uci: ClassVar[int]  # number of the data set there

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs):
        super().__pydantic_init_subclass__(**kwargs)
        cls.home = f"UCI Machine Learning Repository, data set {cls.uci}"
