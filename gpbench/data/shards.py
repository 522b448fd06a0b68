"""Rows beyond memory: a folder of memory-mapped pairs X-00000.npy (rows, D), y-00000.npy (rows,).

`Inputs` is the X of such a data set. Selecting at most AT_ONCE rows gives an array; selecting more gives `Chosen`,
which holds the numbers of the rows and their scaling, and reads them block by block.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NoReturn

import numpy as np

from gpbench.errors import DataError, StorageError
from gpbench.system.atomic_files import TEMPORARY, raw_hash, replacing

AT_ONCE = 50_000  # largest selection that becomes an array
SHARD = 1 << 17  # rows of a file that we write
_BLOCK = 1 << 16  # rows read at a time for statistics
LARGEST = 1e140  # sums of squares of larger numbers overflow


@dataclass(frozen=True)
class Inputs:
    """All rows of the pairs in a folder, in the order of the files' names."""

    folder: str

    @cached_property
    def files(self) -> list[tuple[Path, Path]]:
        home = Path(self.folder)
        pairs = [(x, x.with_name("y" + x.name[1:])) for x in sorted(home.glob("X-*.npy"))]
        if not pairs:
            raise DataError(f"{home}: has no files X-*.npy: docs/reference/data.md says what a folder of shards holds")
        if alone := [y for _, y in pairs if not y.is_file()]:
            raise DataError(f"{home}: {alone[0].name} is missing beside its X")
        return pairs

    @cached_property
    def maps(self) -> list[tuple[np.ndarray, np.ndarray]]:
        found = [(_mapped(x, 2), _mapped(y, 1)) for x, y in self.files]
        for (x, _), (X, y) in zip(self.files, found):
            if len(X) != len(y) or X.shape[1] != found[0][0].shape[1]:
                raise DataError(f"{x}: shape {X.shape} does not go with y {y.shape} and {found[0][0].shape[1]} inputs")
        return found

    @cached_property
    def ends(self) -> np.ndarray:
        return np.cumsum([len(y) for _, y in self.maps])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.ends[-1]), self.maps[0][0].shape[1]

    ndim, dtype = 2, np.dtype(float)

    def __len__(self) -> int:
        return self.shape[0]

    def targets(self) -> np.ndarray:
        y = np.concatenate([y for _, y in self.maps]).astype(float, copy=False)
        if not _all_fit(y):
            self._refuse(np.arange(len(y)), y, 1)
        return y

    def __getitem__(self, rows):
        rows = np.arange(len(self))[rows] if isinstance(rows, slice) else np.asarray(rows)
        return Chosen(self, rows) if len(rows) > AT_ONCE else self.take(rows)

    def take(self, rows) -> np.ndarray:
        """X of these rows, in their order   (len(rows), D)."""
        return self.pairs(rows)[0]

    def pairs(self, rows) -> tuple[np.ndarray, np.ndarray]:
        X, y = np.empty((len(rows), self.shape[1])), np.empty(len(rows))
        shard = np.searchsorted(self.ends, rows, side="right")
        touched = np.unique(shard)
        for s in touched:
            mine = slice(None) if len(touched) == 1 else shard == s
            local = rows[mine] - (self.ends[s - 1] if s else 0)
            X[mine], y[mine] = self.maps[s][0][local], self.maps[s][1][local]
        if not _all_fit(X):
            self._refuse(rows, X, 0)
        return X, y

    def check(self, rows) -> None:
        """DataError if one of these rows has a missing or too large number; reads them once, block by block."""
        for i in range(0, len(rows), _BLOCK):
            self.take(rows[i : i + _BLOCK])

    def _refuse(self, rows, values, which: int) -> NoReturn:
        place = tuple(np.argwhere(~(np.abs(values) <= LARGEST))[0])
        s = int(np.searchsorted(self.ends, rows[place[0]], side="right"))
        row = rows[place[0]] - (self.ends[s - 1] if s else 0)
        where = ", ".join(f"{what} {i}" for what, i in zip(("row", "column"), (row, *place[1:])))
        what = "too large" if np.isfinite(values[place]) else "not finite"
        raise DataError(
            f"{self.files[s][which]}: {where} (from 0) is {values[place]:g}, {what}; leave the row out or fill it in"
        )

    def __getstate__(self):
        return {"folder": self.folder}  # without the maps: another process opens its own


def _mapped(path: Path, ndim: int) -> np.ndarray:
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as e:
        raise DataError(f"{path}: is not a .npy file of numbers ({e})") from e
    if found.ndim != ndim or found.dtype.kind not in "fiu" or len(found) == 0:
        raise DataError(f"{path}: expected numbers of {ndim} dimension(s), got {found.dtype} {found.shape}")
    return found


@dataclass(frozen=True)
class Chosen:
    """Some rows, scaled: (X - shift) / stretch and, for `block`, (y - offset) / factor."""

    inputs: Inputs
    rows: np.ndarray  # of the data
    shift: np.ndarray | None = None
    stretch: np.ndarray | None = None
    offset: float = 0.0
    factor: float = 1.0

    ndim, dtype = 2, np.dtype(float)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), self.inputs.shape[1]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen) -> np.ndarray:
        return self._scaled(self.inputs.take(self.rows[chosen]))

    def block(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        X, y = self.inputs.pairs(self.rows[start:stop])
        return self._scaled(X), (y - self.offset) / self.factor

    def part(self, start: int, stop: int) -> Chosen:
        return replace(self, rows=self.rows[start:stop])

    def scaled(self, shift, stretch) -> Chosen:
        return replace(self, shift=shift, stretch=stretch)

    def with_target(self, offset: float, factor: float) -> Chosen:
        return replace(self, offset=offset, factor=factor)

    def _scaled(self, X) -> np.ndarray:
        return X if self.shift is None else (X - self.shift) / self.stretch

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of the columns in one pass; a constant column is only shifted."""
        low, high, first = np.inf, -np.inf, self[:1][0]
        n, mean, squares = 0, np.zeros(self.shape[1]), np.zeros(self.shape[1])
        for i in range(0, len(self), _BLOCK):
            X = self[i : i + _BLOCK]
            low, high = np.minimum(low, X.min(0)), np.maximum(high, X.max(0))
            own, gap = X.mean(0), X.mean(0) - mean  # moments of parts are combined as in [chan]
            squares += ((X - own) ** 2).sum(0) + gap**2 * n * len(X) / (n + len(X))
            mean += gap * len(X) / (n + len(X))
            n += len(X)
        constant, deviation = low == high, np.sqrt(squares / n)
        return np.where(constant, first, mean), np.where(constant | (deviation == 0), 1.0, deviation)


def _all_fit(values) -> bool:
    """Whether all values are numbers up to LARGEST."""
    return bool(max(values.max(), -values.min()) <= LARGEST) if values.size else True


def content_hash(paths: Iterable[Path]) -> str:
    """Hash of files, in order; enters the trial's id."""
    return hashlib.sha256("\n".join(raw_hash(p) for p in paths).encode()).hexdigest()


def write(folder: Path, blocks: Iterator[tuple[np.ndarray, np.ndarray]]) -> int:
    """Write a new folder of shards, complete or absent; returns the number of rows."""
    folder = Path(folder)
    if folder.exists():
        raise StorageError(f"{folder} is there already; give another folder or remove it")
    temporary = folder.with_name(f"{TEMPORARY}{os.getpid()}-{folder.name}")
    rows = 0
    try:
        temporary.mkdir(parents=True)
        for i, (X, y) in enumerate(blocks):
            for name, rows_of in (("X", X), ("y", y)):
                content = io.BytesIO()  # if numpy writes to a file itself, its error has no reason
                np.save(content, rows_of, allow_pickle=False)
                with replacing(temporary / f"{name}-{i:05d}.npy") as stream:
                    stream.write(content.getbuffer())
            rows += len(y)
        if not rows:
            raise DataError(f"{folder}: no rows to write")
        temporary.rename(folder)
    except OSError as e:
        raise StorageError(f"cannot write {folder}: {e.strerror or e}") from e
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(temporary)
    return rows


def generate(source, n: int, seed: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Blocks of rows of a simulator; the first rows are the same for every n."""
    for i in range(0, n, SHARD):
        rng = np.random.default_rng([zlib.crc32(source.name.encode()), seed, i // SHARD])
        X, y = source.rows(SHARD, rng)
        yield X[: n - i], y[: n - i]
