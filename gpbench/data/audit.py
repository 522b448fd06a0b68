"""Report unusual rows of a data set: repeated inputs; leaking, constant and copied columns; rounded targets.

Every step is linear in the number of rows; the search for leaking and copied columns takes D^2 operations a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpbench.text import counted

from .dataset import Dataset, first_equal
from .leaks import LIMIT, Leak, search, standardised, transforms
from .tables.csv_file import filled

OFF_GRID = 0.02  # of a step: targets this close to a multiple of it are on the grid
MOST_PARTS = 10  # of the smallest difference of two targets; finer grids are not searched
SAMPLE = 100  # rows: a column that varies in them is not constant


@dataclass(frozen=True)
class Grid:
    transform: str  # of the target
    step: float  # of the transformed target; exponentials are known to a factor
    steps: int  # from the smallest value to the largest


@dataclass(frozen=True)
class Audit:
    rows: int
    inputs: int
    repeated: int  # rows whose inputs an earlier row has
    conflicting: int  # rows that share their inputs with a row of another target
    shared: tuple[tuple[int, int], ...]  # of each published split: test rows with their inputs in training, test rows
    leaks: tuple[Leak, ...]
    distinct: int  # values of the target
    grid: Grid | None  # that the targets lie on: they are rounded
    deviation: float  # of the target
    constant: tuple[int, ...]  # inputs, from 0
    constant_in_training: tuple[tuple[int, ...], ...]  # of each published split: the further inputs
    copied: tuple[tuple[int, int, bool], ...]  # (input, the earlier input that it copies, whether value for value)

    def facts(self, names: Sequence[str] = ()) -> dict[str, str]:
        """One sentence for each question; inputs are named by `names`, else by number from 1."""

        def called(columns):
            given = [names[j] if names else str(j + 1) for j in columns]
            return ("input " if len(given) == 1 else "inputs ") + " and ".join(", ".join(given).rsplit(", ", 1))

        varying = {k: columns for k, columns in enumerate(self.constant_in_training) if columns}
        return {
            "rows": f"{counted(self.rows, 'row')}, {counted(self.inputs, 'input')}",
            "repeated inputs": self._repetition(),
            "test rows with their inputs in training": self._sharing(),
            "leaking inputs": "; ".join(
                f"{leak.transform} is linear in {called(leak.columns)} (NMSE {leak.nmse:.1e})" for leak in self.leaks
            )
            or "none",
            "target": self._target(),
            "constant inputs": called(self.constant) if self.constant else "none",
            "inputs constant in training": "; ".join(f"split {k}: {called(c)}" for k, c in varying.items()) or "none",
            "copied inputs": "; ".join(
                f"{called([j])} {'is' if same else 'is linear in'} {called([i])}" for j, i, same in self.copied
            )
            or "none",
        }

    def _repetition(self) -> str:
        if not self.repeated:
            return "none"
        of_all = f"{self.repeated} of {self.rows} rows have the inputs of an earlier row"
        return f"{of_all}; {self.conflicting} rows share their inputs with a row of another target"

    def _sharing(self) -> str:
        if not any(count for count, _ in self.shared):
            return f"none of {counted(len(self.shared), 'published split')}" if self.shared else "no published split"
        return ", ".join(f"{count} of {size}" for count, size in self.shared) + " by published split"

    def _target(self) -> str:
        found = counted(self.distinct, "distinct value")
        if self.grid is None:
            return found
        of_deviation = f" ({self.grid.step / self.deviation:.1g} standard deviations)"
        size = f"step {self.grid.step:.4g}{of_deviation}, " if self.grid.transform == "target" else ""
        return f"{found}; {self.grid.transform} is rounded: a grid of {size}{counted(self.grid.steps, 'step')} in all"


def audit(dataset: Dataset) -> Audit:
    """Audit the rows in memory. Objects (molecules, say) have no columns; medians replace missing numbers."""
    X, y, splits = dataset.X, dataset.y, dataset.published_splits
    first = first_equal(X)
    lowest, highest = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    np.minimum.at(lowest, first, y)
    np.maximum.at(highest, first, y)
    vectors = X.ndim == 2
    X = filled(dataset, np.arange(len(y))).X if vectors else np.empty((len(y), 0))
    constant = _constant(X, np.arange(len(y)))
    return Audit(
        rows=len(y),
        inputs=X.shape[1] if vectors else 1,
        repeated=int((first != np.arange(len(y))).sum()),
        conflicting=int((lowest < highest)[first].sum()),
        shared=tuple((int(np.isin(first[test], first[train]).sum()), len(test)) for train, test in splits),
        leaks=tuple(search(X, y)),
        distinct=len(np.unique(y)),
        grid=grid(y),
        deviation=float(y.std()),
        constant=constant,
        constant_in_training=tuple(tuple(sorted({*_constant(X, t)} - {*constant})) for t, _ in splits),
        copied=tuple(_copied(X)),
    )


def _constant(X: np.ndarray, rows: np.ndarray) -> tuple[int, ...]:
    """Inputs with one value in these rows."""
    sample = X[rows[:SAMPLE]]
    candidates = np.flatnonzero(sample.max(0) == sample.min(0))
    return tuple(int(j) for j in candidates if np.ptp(X[rows, j]) == 0)


def _copied(X: np.ndarray) -> list[tuple[int, int, bool]]:
    """Inputs that equal an earlier input, exactly or up to a factor and a shift."""
    Z, _ = standardised(X)
    after, before = np.nonzero(np.tril(1 - (Z.T @ Z) ** 2 < LIMIT, -1))
    first = np.unique(after, return_index=True)[1]  # for each copy the first original
    return [(int(j), int(i), bool(np.array_equal(X[:, i], X[:, j]))) for j, i in zip(after[first], before[first])]


def grid(y: np.ndarray) -> Grid | None:
    """The coarsest grid that the targets, or else their exponentials, lie on; None if there is none."""
    for transform, t in transforms(y):
        values = np.unique(t)
        if len(values) > 1 and (step := _step(values)):
            return Grid(transform, step, round((values[-1] - values[0]) / step))
    return None


def _step(values: np.ndarray) -> float | None:
    """The largest step such that all differences of the sorted values are multiples of it, within OFF_GRID steps.

    The search covers steps that are the smallest difference divided by a small integer.
    """
    differences, smallest = values[1:] - values[0], np.diff(values).min()
    for parts in range(1, MOST_PARTS + 1):
        step = _refined(differences, smallest / parts)
        if np.abs(differences / step - np.round(differences / step)).max() < OFF_GRID:
            return step
    return None


def _refined(differences: np.ndarray, step: float) -> float:
    """The least-squares step from increasing differences; rounding makes an estimate from a small one inaccurate."""
    reach = step
    while reach < differences[-1]:
        reach *= 2
        near = differences[differences <= reach]
        counts = np.round(near / step)
        if counts.any():
            step = float(near @ counts / (counts @ counts))
    return step
