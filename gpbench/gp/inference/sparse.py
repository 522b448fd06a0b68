"""DTC/PLV, FITC, VFE and the tighter bound as one computation: one build, one pull-back (sparse_predict.py predicts).

With Kuu = LL', V = L^-1 Kuf and r = kdiag - diag(V'V) the covariance is S = V'V + diag(lam),

    DTC/PLV  lam = noise
    FITC     lam = noise + r                 [snelson] eq. (8)-(9): their Lambda + sigma^2 I
    VFE      lam = noise, and -1/2 sum(r / noise) is added to the evidence (to no other objective)
    TIGHT    lam = noise, and -1/2 sum(log(1 + r / noise)): the bound that a free diagonal of q(f | u) gives

The objective and its gradient are accumulated over blocks of points. Kuf and V are kept when they fit in `memory`, else
made anew in each of the three walks (build; solve; pull-back), with the same blocks and therefore the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from gpbench.gp.linalg.blocked import BlockedTriangle
from gpbench.gp.linalg.buffer_pool import borrow, fresh
from gpbench.gp.linalg.cholesky import Cholesky
from gpbench.gp.linalg.lowrank import LowRank, blocks, scratch
from gpbench.gp.linalg.structured import column_dots
from gpbench.gp.linalg.triangular import Triangle, add_gram, mirror_lower, product
from gpbench.gp.objectives.evidence import evidence

from .model import GP

MEMORY = 1 << 30  # bytes that Kuf and V may take before they are made anew in each walk


@dataclass(frozen=True)
class Approximation:
    name: str
    diag_correction: float = 0.0
    penalty: Literal["", "trace", "log"] = ""  # what a bound takes off the evidence for r
    blocked: bool = True  # solves by matrix products, Z prepared once, memory handed on

    def plain(self) -> Approximation:
        """The same by LAPACK's solves: its last bits are those of every selection that was made in turns with it."""
        return replace(self, blocked=False)

    def penalise(self, r, noise) -> tuple[float, np.ndarray | float]:
        """(the penalty P >= 0, t = dP/dr); its derivative in the noise is -t r / noise for both forms."""
        if self.penalty == "trace":
            return 0.5 * float(np.sum(r / noise)), 0.5 / noise
        return 0.5 * float(np.sum(np.log1p(r / noise))), 0.5 / (noise + r)


DTC = Approximation("dtc").plain()
FITC = Approximation("fitc", diag_correction=1.0)
VFE = Approximation("vfe", penalty="trace")
TIGHT = Approximation("tight", penalty="log")
APPROXIMATIONS = {a.name: a for a in (DTC, FITC, VFE, TIGHT)}


class KernelColumns:
    """Kuf and V = L^-1 Kuf by blocks of training points; `kuf(rows)` hands out the block just walked over."""

    def __init__(self, approximation: Approximation, kernel, Z, X, L, memory: float):
        self.X, self.array = X, borrow if approximation.blocked else fresh
        self.triangle = BlockedTriangle if approximation.blocked else Triangle
        self.L = self.triangle(L)
        self._against = kernel.against(Z) if approximation.blocked else lambda X: kernel(X, Z)
        self.shape = (len(Z), len(X))
        self.keeps = 2 * 8 * len(Z) * len(X) <= memory
        # a walk holds up to eight blocks of 8-byte numbers
        self.blocks = blocks(*self.shape, entries=min(1 << 18, max(1, int(memory) // 64)))
        self._K = self._V = None  # (m, n)

    def __iter__(self):
        known = self._V is not None
        if self.keeps and not known:
            self._K, self._V = self.array(self, self.shape), self.array(self, self.shape)
        for rows in self.blocks:
            if not known:
                K = self._evaluate(rows)
            if not self.keeps:
                self._latest = rows, K
                yield rows, self.L.solve(K)
                continue
            if not known:
                self._K[:, rows] = self._V[:, rows] = K
                self.L.solve(self._V[:, rows], overwrite=True)
            yield rows, self._V[:, rows]

    def kuf(self, rows) -> np.ndarray:
        if self.keeps:
            return self._K[:, rows]
        latest, K = self._latest
        return K if latest == rows else self._evaluate(rows)

    def _evaluate(self, rows) -> np.ndarray:
        return np.asfortranarray(self._against(self.X[rows]).T)  # (m, b)


@dataclass(frozen=True)
class SparseModel:
    """A built approximation. `noise` is a number, or (n,) when every point has its own."""

    approximation: Approximation
    gp: GP
    Z: np.ndarray  # (m, D)
    X: np.ndarray  # (n, D)
    y: np.ndarray  # (n,)
    Kuu: np.ndarray  # (m, m) without the jitter
    root: Cholesky  # of Kuu
    factor: LowRank
    r: np.ndarray  # (n,) kdiag - diag Qff

    @property
    def L(self) -> np.ndarray:
        return self.root.L

    @property
    def jitters(self) -> dict[str, float]:
        """What had to be added to keep the factorisations alive, besides the first rung; empty when nothing was."""
        return {k: v for k, v in (("Kuu", self.root.needed), ("B", self.factor.B.jitter)) if v}


def build(approximation, gp: GP, Z, X, y, jitter: float = 0.0, memory: float = MEMORY) -> SparseModel:
    """`jitter`, relative to the mean of Kuu's diagonal, is the first rung of the ladder; O(n m^2)."""
    Kuu = gp.kernel(Z)
    root = Cholesky.of(Kuu, jitter)
    columns = KernelColumns(approximation, gp.kernel, Z, X, root.L, memory)
    r, lam, gram, projection = first_walk(approximation, gp, columns, y)
    mirror_lower(gram)
    factor = LowRank(columns, lam, gram, y, projection)
    return SparseModel(approximation, gp, Z, X, y, Kuu, root, factor, r)


def first_walk(approximation, gp: GP, columns: KernelColumns, y):
    """(r, lam, V Lam^-1 V' below its diagonal, V Lam^-1 y); lam is a number where all points share it."""
    kdiag, noise = gp.kernel.diag(columns.X), gp.noise
    m, n = columns.shape
    r, gram, projection = np.empty(n), np.zeros((m, m), order="F"), np.zeros(m)
    pointwise = approximation.diag_correction or np.ndim(noise)
    lam, buffer = noise + np.zeros(n) if pointwise else noise, scratch(columns)
    for rows, V in columns:
        r[rows] = residual(kdiag[rows], V)
        if pointwise:
            lam[rows] += approximation.diag_correction * r[rows]
        inv_lam = 1 / lam[rows] if pointwise else 1 / lam
        add_gram(gram, V, inv_lam, buffer)
        projection += product(V, inv_lam * y[rows])
    return r, lam, gram, projection


def residual(kdiag, V) -> np.ndarray:
    """kdiag - diag(V'V) >= 0 by construction: what is below is rounding, and with little noise made lam negative."""
    return np.maximum(kdiag - column_dots(V, V), 0.0)


@dataclass(frozen=True)
class Evaluation:
    F: float
    dtheta: np.ndarray | None = None  # (p,) of the kernel's log parameters
    dnoise: float | np.ndarray | None = None  # of the variance itself, per point if the noise is
    dZ: np.ndarray | None = None  # (m, D)


def evaluate(model: SparseModel, objective=evidence, gradient: bool = True, inputs: bool = True) -> Evaluation:
    """Any of gpbench/objectives with its gradient in hyperparameters, noise and (with `inputs`) Z."""
    extra = None if model.approximation.diag_correction else model.r
    F, W, h = objective(model.factor, model.y, extra, gradient=gradient)
    penalty, t = 0.0, 0.0
    if model.approximation.penalty and objective is evidence:
        penalty, t = model.approximation.penalise(model.r, model.gp.noise)
    if not gradient:
        return Evaluation(F - penalty)
    return Evaluation(F - penalty, *pull_back(model, W, h, t, inputs))


def pull_back(model: SparseModel, W, h, t, inputs: bool = True):
    """(dF/dtheta, dF/dnoise, dF/dZ) from W = dF/dS, h = dF/dextra and t = dF/dQ_ii of the penalty."""
    noise, c = model.gp.noise, model.approximation.diag_correction
    slopes = Slopes(model.gp.kernel, model.Z, inputs)
    gram, g, dtheta_diag = pull_rows(model, W, h, t, slopes)
    dKuu = -W.pull_inner(model.factor.columns.L, gram, t - h, c)
    dtheta, dZ = slopes.close(dKuu, model.Kuu, model.root.jitter, dtheta_diag)
    penalty = t * model.r / noise
    if np.ndim(noise):
        return dtheta, (W.diag() if g is None else g) + penalty, dZ
    return dtheta, float((W.trace() if g is None else g.sum()) + penalty.sum()), dZ


def pull_rows(model: SparseModel, W, h, t, slopes: Slopes):
    """What `pull_back` adds up over the rows: Kuf's share goes to `slopes`, that of Kuu to W.pull_inner, kdiag's."""
    c, kuf = model.approximation.diag_correction, model.factor.columns.kuf
    visit = lambda rows, PW: slopes.add(PW, model.X[rows], kuf(rows), times=2.0)  # noqa: E731
    gram, g = W.pull_rows(model.factor.columns.L, visit, t - h, c)
    dkdiag = np.broadcast_to(h - t + (c * g if c else 0.0), model.factor.n)
    return gram, g, model.gp.kernel.vjp_diag(dkdiag, model.X)


class Slopes:
    """dF/dtheta and dF/dZ, gathered from the derivatives in Kuf and Kuu."""

    def __init__(self, kernel, Z, inputs: bool):
        self.kernel, self.Z, self.inputs = kernel, Z, inputs and kernel.smooth
        self.dtheta, self.dZ = np.zeros(len(kernel.theta)), np.zeros(Z.shape) if self.inputs else None

    def add(self, dK, X=None, K=None, times=1.0) -> None:
        at_theta, at_Z = self.kernel.pullback(dK, self.Z, X, K, self.inputs)
        self.dtheta += times * at_theta
        if self.inputs:
            self.dZ += times * at_Z

    def close(self, dKuu, Kuu, jitter: float, dtheta_diag):
        """With the derivative in Kuu, to whose diagonal the jitter adds in proportion, and that of kdiag."""
        dKuu[np.diag_indices_from(dKuu)] += jitter / np.trace(Kuu) * np.trace(dKuu)
        self.add(dKuu)
        return self.dtheta + dtheta_diag, self.dZ
