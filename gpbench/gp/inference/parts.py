"""One sparse model of rows beyond memory: objective, gradient and posterior as sums over parts of the rows.

The walks of `sparse.py` in two rounds. Of each part of the rows the first gives V Lam^-1 V' and V Lam^-1 y; with B of
all rows known, the second gives the part's share of the evidence and of every derivative. Between the rounds travel
m x m matrices, so any process may compute a part; they are added up as a binary tree over their order, which depends on
the rows alone. Who does them, and how many, changes no digit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.lowrank import NoRows, PartOfRows
from gpbench.gp.linalg.triangular import Triangle, mirror_lower, solve_lower
from gpbench.gp.objectives.evidence import evidence

from .model import GP, Prediction, Predictor
from .sparse import (
    MEMORY,
    Approximation,
    Evaluation,
    KernelColumns,
    Slopes,
    SparseModel,
    first_walk,
    pull_rows,
    residual,
)
from .sparse_predict import SparsePosterior

CHUNK = 8192  # rows whose Kuf and V are held at a time
PART = 16 * CHUNK  # rows that are handed out together

Sums = dict[str, Any]  # numbers and arrays that add up over rows


class Rows(Protocol):
    """Scaled rows by position; `part` is small enough to be sent."""

    def __len__(self) -> int: ...

    def block(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]: ...

    def part(self, start: int, stop: int) -> Rows: ...


Map = Callable[[Callable[..., Sums], Sequence[Rows], tuple], list[Sums]]


def in_turn(function, parts, shared) -> list[Sums]:
    """The simplest of all ways to do the parts: here, one after the other."""
    return [function(part, *shared) for part in parts]


def split(rows: Rows) -> list[Rows]:
    return [rows.part(i, min(i + PART, len(rows))) for i in range(0, len(rows), PART)]


def tree_sum(sums: Sequence[Sums]) -> Sums:
    """Neighbours first, then neighbours of those: one order for any number of hands."""
    sums = list(sums)
    while len(sums) > 1:
        pairs = [_add(a, b) for a, b in zip(sums[::2], sums[1::2])]
        sums = pairs + sums[2 * len(pairs) :]
    return sums[0]


def _add(a: Sums, b: Sums) -> Sums:
    return {k: None if a[k] is None else a[k] + b[k] for k in a}


def _chunks(rows: Rows):
    return (rows.block(i, min(i + CHUNK, len(rows))) for i in range(0, len(rows), CHUNK))


# -- what is done with a part -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class At:
    """Where a model is evaluated."""

    approximation: Approximation
    gp: GP
    Z: np.ndarray  # (m, D)
    root: Cholesky  # of Kuu


def first_round(rows: Rows, at: At) -> Sums:
    return tree_sum([_first(at, X, y) for X, y in _chunks(rows)])


def _first(at: At, X, y) -> Sums:
    columns = KernelColumns(at.approximation, at.gp.kernel, at.Z, X, at.root.L, MEMORY)
    r, _, gram, projection = first_walk(at.approximation, at.gp, columns, y)
    penalty, t = at.approximation.penalise(r, at.gp.noise) if at.approximation.penalty else (0.0, 0.0)
    return {"gram": gram, "projection": projection, "penalty": penalty, "dnoise": np.sum(t * r / at.gp.noise)}


def second_round(rows: Rows, at: At, whole: dict, gradient: bool, inputs: bool) -> Sums:
    return tree_sum([_second(at, X, y, whole, gradient, inputs) for X, y in _chunks(rows)])


def _second(at: At, X, y, whole: dict, gradient: bool, inputs: bool) -> Sums:
    approximation, gp = at.approximation, at.gp
    columns = KernelColumns(approximation, gp.kernel, at.Z, X, at.root.L, MEMORY)
    lam, t = gp.noise, 0.5 / gp.noise if approximation.penalty == "trace" else 0.0
    if approximation.diag_correction or approximation.penalty == "log":
        kdiag = gp.kernel.diag(X)
        r = np.concatenate([residual(kdiag[rows], V) for rows, V in columns])
        lam = gp.noise + approximation.diag_correction * r if approximation.diag_correction else lam
        t = approximation.penalise(r, gp.noise)[1] if approximation.penalty else 0.0
    factor = PartOfRows(columns, lam, whole["gram"], whole["B"], y, whole["projection"])
    F, W, h = evidence(factor, y, gradient=gradient)
    if not gradient:
        return {"F": F}
    model = SparseModel(approximation, gp, at.Z, X, y, whole["Kuu"], at.root, factor, np.empty(0))
    slopes = Slopes(gp.kernel, at.Z, inputs)
    gram, g, dtheta_diag = pull_rows(model, W, h, t, slopes)
    dnoise = W.trace() if g is None else float(g.sum())
    return {"F": F, "gram": gram, "dtheta": slopes.dtheta, "dZ": slopes.dZ, "diag": dtheta_diag, "dnoise": dnoise}


def predictions(rows: Rows, posterior: SparsePosterior) -> Sums:
    """Predictions of each row of a part; the only sums here that are not added up over parts."""
    found = [posterior.predict(X) for X, _ in _chunks(rows)]
    names = [k for k in ("mean", "var", "var_latent") if getattr(found[0], k) is not None]
    return {k: np.concatenate([getattr(p, k) for p in found]) for k in names}


# -- the model of all rows ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LargeModel:
    """What a model of all rows leaves behind, nothing of size n."""

    at: At
    Kuu: np.ndarray
    B: Cholesky
    first: Sums

    @property
    def jitters(self) -> dict[str, float]:
        return {k: v for k, v in (("Kuu", self.at.root.needed), ("B", self.B.jitter)) if v}

    @property
    def whole(self) -> dict:
        return {"gram": self.first["gram"], "projection": self.first["projection"], "B": self.B, "Kuu": self.Kuu}

    def posterior(self, nugget: float = 0.0, latent: bool = True) -> SparsePosterior:
        L = self.at.root.L
        weights = solve_lower(L, self.B.solve(self.first["projection"]), trans=True)
        return SparsePosterior(self.at.gp, self.at.Z, L, self.B.L, weights, nugget, latent)


@dataclass(frozen=True)
class LargePosterior(Predictor):
    """A posterior that also predicts at rows beyond memory, part by part."""

    posterior: SparsePosterior
    do: Map

    def predict(self, X) -> Prediction:
        if isinstance(X, np.ndarray):
            return self.posterior.predict(X)
        found = self.do(predictions, split(X), (self.posterior,))
        return Prediction(**{k: np.concatenate([f[k] for f in found]) for k in found[0]})


def build(approximation, gp: GP, Z, parts: Sequence[Rows], jitter: float = 0.0, do: Map = in_turn) -> LargeModel:
    Kuu = gp.kernel(Z)
    at = At(approximation, gp, Z, Cholesky.of(Kuu, jitter))
    first = tree_sum(do(first_round, parts, (at,)))
    mirror_lower(first["gram"])
    return LargeModel(at, Kuu, Cholesky.of(first["gram"] + np.eye(len(Z))), first)


def evaluate(
    model: LargeModel, parts: Sequence[Rows], gradient: bool = True, inputs: bool = True, do: Map = in_turn
) -> Evaluation:
    """The evidence, or its bound, with its gradient in hyperparameters, noise and (with `inputs`) Z."""
    at, first, gp = model.at, model.first, model.at.gp
    sums = tree_sum(do(second_round, parts, (at, model.whole, gradient, inputs)))
    F = sums["F"] - float(np.log(model.B.L.diagonal()).sum()) - first["penalty"]
    if not gradient:
        return Evaluation(F)
    c, m = at.approximation.diag_correction, len(at.Z)
    pointwise = c or at.approximation.penalty == "log"
    none = np.empty(0)
    B = PartOfRows(NoRows(m), none if c else gp.noise, first["gram"], model.B, none, first["projection"])
    _, W, _ = evidence(B, none)
    shift = none if pointwise else (0.5 / gp.noise if at.approximation.penalty else 0.0)
    dKuu = -W.pull_inner(Triangle(at.root.L), sums["gram"], shift, c)
    slopes = Slopes(gp.kernel, at.Z, inputs)
    slopes.dtheta, slopes.dZ = sums["dtheta"], sums["dZ"]
    dtheta, dZ = slopes.close(dKuu, model.Kuu, at.root.jitter, sums["diag"])
    dnoise = sums["dnoise"] + first["dnoise"]
    if not c:  # of tr S^-1 the share of B, which no part has counted
        inv_B_trace = float((model.B.half_solve(np.eye(m, order="F")) ** 2).sum())
        dnoise -= 0.5 * (inv_B_trace - m) / gp.noise
    return Evaluation(float(F), dtheta, float(dnoise), dZ)
