"""Which inputs matter, and how the prediction changes along one of them while the others stay at a typical row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpbench.gp.kernels.base import Kernel
from gpbench.gp.kernels.on_columns import OnColumns
from gpbench.metrics import each_class

from .judged import ROWS, order

POINTS = 41  # of a curve
FEW = 12  # distinct values that are points of their own
ENDS = (0.01, 0.99)  # quantiles between which a curve is drawn
SCALES, RANGE = "1 / length-scale of the scaled inputs", "range of the mean along the input"


@dataclass(frozen=True)
class Column:
    """A column of the user's table: one input, or one for each level; a further 0/1 input may tell of gaps."""

    name: str
    inputs: tuple[int, ...]
    levels: tuple[str, ...] = ()  # one for each input
    ends: tuple[str, ...] = ()  # what 0 and 1 mean in the single input of two levels
    unit: str = ""


@dataclass(frozen=True)
class Effect:
    """Predictions along one column, the others at the typical row."""

    column: Column
    at: list[float] | list[str]
    mean: np.ndarray
    std: np.ndarray | None  # of the function, where the model gives one


def names_of(estimator) -> list[str]:
    if (encoding := getattr(estimator, "columns_", None)) is not None:
        return list(encoding.inputs)
    if (names := getattr(estimator, "feature_names_in_", None)) is not None:
        return [str(name) for name in names]
    return [f"input {j}" for j in range(estimator.n_features_in_)]


def columns_of(estimator) -> list[Column]:
    """The columns of the user's table that are inputs: a category made one-hot is one column again."""
    encoding = getattr(estimator, "columns_", None)
    if encoding is None:
        return [Column(name, (j,)) for j, name in enumerate(names_of(estimator))]
    found, at = [], 0
    for column in encoding.columns:
        names = column.inputs
        inputs, at = tuple(range(at, at + len(names))), at + len(names)
        if names:
            found.append(_column(column, names, inputs))
    return found


def _column(rule, names: list[str], inputs: tuple[int, ...]) -> Column:
    kind = getattr(rule, "kind", "category" if rule.levels else "number")
    if kind == "category":
        return Column(rule.name, inputs, tuple(name.removeprefix(f"{rule.name}=") for name in names))
    if kind == "boolean":
        return Column(rule.name, inputs, ends=(rule.levels[0], rule.levels[-1]))
    return Column(rule.name, inputs, unit=rule.becomes.split(",")[0] if kind in ("date", "time") else "")


def inverse_scales(kernel: Kernel | None, inputs: int) -> np.ndarray | None:
    """1 / length-scale of each input, the largest of a kernel's parts; None where no part has one per input."""
    if kernel is None:
        return None
    parts: Sequence[Kernel] = getattr(kernel, "parts", ())
    each = [inverse_scales(part, inputs) for part in parts]
    if parts:
        known = [scales for scales in each if scales is not None]
        return np.max(known, axis=0) if known else None
    if isinstance(kernel, OnColumns):
        own, found = inverse_scales(kernel.part, len(kernel.columns)), np.zeros(inputs)
        if own is not None:
            found[list(kernel.columns)] = own
        return None if own is None else found
    scales = np.atleast_1d(kernel.values().get("lengthscale", ()))
    return 1 / scales if len(scales) == inputs and "lengthscale[0]" in kernel.names else None


def typical(estimator) -> tuple[np.ndarray, np.ndarray]:
    """(a typical row; rows of the fit it comes from), in raw units."""
    training = estimator._training
    X = estimator.model_.scaler.raw_inputs(training.X[order(len(training.y))[:ROWS]])
    return centre_of(estimator, X), X


def centre_of(estimator, X) -> np.ndarray:
    """Medians, with the most frequent level of each category."""
    centre = np.median(X, axis=0)
    for column in columns_of(estimator):
        if column.levels:
            own = list(column.inputs)
            centre[own] = np.arange(len(own)) == X[:, own].sum(0).argmax()
    return centre


def relevance(estimator, centre=None, rows=None) -> tuple[str, list[tuple[Column, float]]]:
    """What is measured, and it for each column, the largest first; empty for inputs that are no vectors.

    Rows (t, D) and a typical one, in raw units, are those of the fit unless others are given.
    """
    if estimator.objects_:
        return "", []
    if rows is None:
        centre, rows = typical(estimator)
    columns = columns_of(estimator)
    scales = inverse_scales(estimator.kernel_, rows.shape[1])
    if scales is not None:
        moves = np.ptp(rows, axis=0) > 0  # the length-scale of a constant says nothing
        found = [(c, float(max(np.where(moves, scales, 0.0)[list(c.inputs)]))) for c in columns]
        measure = SCALES
    else:
        found = [(c, float(np.ptp(effect(estimator, c, centre, rows, 5).mean))) for c in columns]
        measure = RANGE
    return measure, sorted(found, key=lambda pair: -pair[1])


def effect(estimator, column: Column, centre, X, points: int = POINTS, of_class: int = -1) -> Effect:
    grid, at = _grid(column, centre, X, points)
    p = estimator.model_.predict(grid)
    if estimator.model_.task == "classification":
        return Effect(column, at, each_class(p.prob)[:, of_class], None)
    var = p.var if p.var_latent is None else p.var_latent
    return Effect(column, at, p.mean, np.sqrt(np.maximum(var, 0.0)))


def _grid(column: Column, centre, X, points: int):
    if column.levels:
        own = list(column.inputs)
        often = Counter(X[:, own].argmax(1).tolist()).most_common(FEW)
        grid = np.tile(centre, (len(often), 1))
        grid[:, own] = np.eye(len(own))[[level for level, _ in often]]
        return grid, [column.levels[level] for level, _ in often]
    j = column.inputs[0]
    values = np.unique(X[:, j])
    if len(values) > FEW:
        values = np.linspace(*np.quantile(X[:, j], ENDS), points)
    grid = np.tile(centre, (len(values), 1))
    grid[:, j] = values
    if column.ends and set(values) <= {0.0, 1.0}:
        return grid, [column.ends[int(value)] for value in values]
    return grid, values.tolist()
