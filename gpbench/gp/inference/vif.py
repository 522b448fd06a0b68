"""Vecchia's approximation of what inducing inputs leave over ("VIF", Gyger, Furrer and Sigrist 2025).

With V = L^-1 Kuf, Kuu = LL', the covariance of the targets is V'V + (K - V'V + noise I), and the second part is
approximated by Vecchia: each row given k earlier ones with coefficients A_i, leaving the variance D_i. Let B be I less
the coefficients at the neighbours' places. Then By has the covariance

    B S B' = T'T + diag(D),   T' = B V',   det B = 1,

which is a `LowRank` factor as in FITC, with D in place of noise + r. Without inducing inputs this is `vecchia`, without
neighbours FITC. Time O(n (m^2 + k m (k + 1) + k^3)), memory O(n (m + k)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_matrix
from scipy.spatial import cKDTree

from gpbench.gp.linalg import regressions
from gpbench.gp.linalg.cholesky import JITTER, Cholesky
from gpbench.gp.linalg.conditionals import diagonal, with_noise
from gpbench.gp.linalg.lowrank import LowRank, Stored, blocks, weighted_gram
from gpbench.gp.linalg.neighbours import earlier_neighbours
from gpbench.gp.linalg.triangular import product, solve_lower, solve_rows
from gpbench.gp.objectives.evidence import evidence

from .model import GP, Prediction, Predictor
from .row_noise import RowNoise
from .sparse import Evaluation, Slopes
from .vecchia import embedding, parts_of, triangles


@dataclass(frozen=True)
class InducingColumns:
    """V' of any rows, for some inducing inputs; one column of zeros where there are none."""

    gp: GP
    Z: np.ndarray  # (m, D)
    Kuu: np.ndarray
    root: Cholesky  # of Kuu

    @classmethod
    def of(cls, gp: GP, Z) -> InducingColumns:
        Kuu = gp.kernel(Z) if len(Z) else np.ones((1, 1))
        return cls(gp, Z, Kuu, Cholesky.of(Kuu, JITTER if len(Z) else 0.0))

    def transposed(self, X) -> np.ndarray:
        """V' (n, max(m, 1)), C order."""
        out = np.zeros((len(X), len(self.Kuu)))
        if len(self.Z):
            against = self.gp.kernel.against(self.Z)
            for rows in blocks(len(self.Z), len(X)):
                out[rows] = solve_rows(self.root.L, np.ascontiguousarray(against(X[rows]).T)).T
        return out

    def left(self, X, Vt) -> np.ndarray:
        """Residual variances, kept above rounding   (n,)."""
        kdiag = self.gp.kernel.diag(X)
        return np.maximum(kdiag - np.einsum("im,im->i", Vt, Vt), np.finfo(float).eps * kdiag)


def parts(near):
    """(rows, group) for all rows in order: the first k one by one, each given all before it, then blocks of rows."""
    k = near.shape[1]
    n = len(near) + k + 1
    for i in range(min(k + 1, n)):
        yield slice(i, i + 1), np.arange(i + 1)[None]
    for part in parts_of(k + 1, len(near)):
        rows = slice(part.start + k + 1, part.stop + k + 1)
        yield rows, np.column_stack([near[part], np.arange(rows.start, rows.stop)])


def padded(near) -> np.ndarray:
    """Neighbours of all rows (n, k); -1 where one of the first rows has fewer."""
    k = near.shape[1]
    head = np.tile(np.arange(k), (k + 1, 1))
    head[head >= np.arange(k + 1)[:, None]] = -1
    return np.concatenate([head, near]).astype(np.int64)


@dataclass(frozen=True)
class FullScaleModel:
    """A built approximation."""

    columns: InducingColumns
    X: np.ndarray  # (n, D)
    y: np.ndarray  # (n,)
    near: np.ndarray  # (n - k - 1, k) of the rows after the first k + 1
    Vt: np.ndarray  # (n, m)
    A: np.ndarray  # (n, k), zero where a row has fewer neighbours
    target: np.ndarray  # (n,) By
    factor: LowRank  # T and diag(D)
    rows: RowNoise | None = None

    @property
    def gp(self) -> GP:
        return self.columns.gp

    @property
    def Tt(self) -> np.ndarray:
        return self.factor.columns.V.T


def build(
    gp: GP, Z, X, y, near, columns: InducingColumns | None = None, Vt=None, noise: RowNoise | None = None
) -> FullScaleModel:  # fmt: skip
    """The model of rows in their order, Z (m, D) with m >= 0; `near` is of linalg/neighbours.py or neighbours below."""
    columns = columns or InducingColumns.of(gp, Z)
    Vt = columns.transposed(X) if Vt is None else Vt
    n, k = len(y), near.shape[1]
    A, D = np.zeros((n, k)), np.empty(n)
    for rows, group in parts(near):
        packed = regressions.residuals(_entries(gp.kernel, X, group), group, Vt)
        A[rows, : group.shape[1] - 1], D[rows] = regressions.regress(*_noisy(packed, gp, group, noise))
    return _assembled(columns, X, y, near, Vt, A, D, noise)


def _noisy(packed, gp: GP, group, noise: RowNoise | None):
    """(packed, noise) for regressions.py: where each row has its own noise, it is on the diagonal already."""
    return (packed, gp.noise) if noise is None else (with_noise(packed, noise[group].variances(gp.noise)), 0.0)


def _assembled(columns, X, y, near, Vt, A, D, noise) -> FullScaleModel:
    both, out = np.column_stack([Vt, y]), np.empty((len(y), Vt.shape[1] + 1))
    regressions.differences(padded(near)[: len(y)], A, both, out)
    target, T = out[:, -1].copy(), Stored(np.ascontiguousarray(out[:, :-1]).T)
    weights = 1 / D
    projection = sum(product(V, weights[rows] * target[rows]) for rows, V in T)
    factor = LowRank(T, D, weighted_gram(T, weights), target, projection)
    return FullScaleModel(columns, X, y, near, Vt, A, target, factor, noise)


def _entries(kernel, X, group) -> np.ndarray:
    """Local covariance matrices of the groups, packed as conditionals.py has them."""
    return kernel.on(triangles(*group.shape), X[group.ravel()]).reshape(len(group), -1).copy()


def evaluate(model: FullScaleModel, gradient: bool = True, inputs: bool = False) -> Evaluation:
    """The approximate evidence with its gradient in hyperparameters, noise and (with `inputs`) inducing inputs."""
    f = model.factor
    F, _, _ = evidence(f, model.target, gradient=False)
    if not gradient:
        return Evaluation(F)
    a = f.solve(model.target)
    solved = product(f.inv_B, model.Tt.T).T  # (n, m) T'M^-1
    image = f.image(a)
    explained = np.einsum("im,im->i", model.Tt, solved)
    dD = 0.5 * (a**2 - (1 - explained / f.lam) / f.lam)
    dout = np.empty((len(a), len(image) + 1))  # dF/dT' and dF/dBy
    np.multiply(a[:, None], image, out=dout[:, :-1])
    dout[:, :-1] -= solved / f.lam[:, None]
    dout[:, -1] = -a
    both = np.column_stack([model.Vt, model.y])
    dA, dboth = np.zeros(model.A.shape), np.zeros(both.shape)
    regressions.pull_differences(padded(model.near)[: len(a)], model.A, both, dout, dA, dboth)
    return _pull_back(model, F, dA, dD, np.ascontiguousarray(dboth[:, :-1]), inputs)


def _pull_back(model: FullScaleModel, F: float, dA, dD, dVt, inputs: bool) -> Evaluation:
    """From the derivatives in coefficients, variances and V' to those in the parameters."""
    gp, X, dnoise = model.gp, model.X, 0.0
    dtheta = np.zeros(len(gp.kernel.theta))
    for rows, group in parts(model.near):
        k, pull = gp.kernel.linearised_on(triangles(*group.shape), X[group.ravel()])
        packed = regressions.residuals(k.reshape(len(group), -1).copy(), group, model.Vt)
        known = slice(0, group.shape[1] - 1)
        packed, noise = _noisy(packed, gp, group, model.rows)
        dpacked, at = regressions.pull_regressions(packed, noise, model.A[rows, known], dA[rows, known], dD[rows])
        if model.rows is not None:
            at = float((model.rows.factor[group] * dpacked[:, diagonal(group.shape[1])]).sum())
        regressions.pull_residuals(dpacked, group, model.Vt, dVt)
        dtheta, dnoise = dtheta + pull(dpacked.ravel()), dnoise + at
    Z = model.columns.Z
    if not len(Z):
        return Evaluation(F, dtheta, dnoise, np.zeros(Z.shape) if inputs else None)
    L, slopes = model.columns.root.L, Slopes(gp.kernel, Z, inputs)
    for rows in blocks(len(Z), len(X)):
        slopes.add(solve_lower(L, np.asfortranarray(dVt[rows].T), trans=True), X[rows])
    inner = product(dVt.T, model.Vt)  # dF/dV V', symmetric: F depends on V'V alone
    dKuu = -0.5 * solve_lower(L, solve_lower(L, np.asfortranarray(inner), trans=True).T.copy(order="F"), trans=True)
    dKuu = 0.5 * (dKuu + dKuu.T)
    dtheta, dZ = slopes.close(np.asfortranarray(dKuu), model.columns.Kuu, model.columns.root.jitter, dtheta)
    return Evaluation(F, dtheta, dnoise, dZ)


def leave_one_out(model: FullScaleModel) -> tuple[np.ndarray, np.ndarray]:
    """Residual and variance of each target given all others   (n,) each; S^-1 = B'(T'T + D)^-1 B."""
    f = model.factor
    near = padded(model.near)[: len(model.y)]
    half = f.inner_half(np.array(model.Tt.T, order="F")).T / f.lam[:, None]  # U' D^-1
    columns = np.column_stack([half, f.solve(model.target)])
    solved = _by_columns(near, model.A, columns)  # B' of each
    own = _by_columns(near, -(model.A**2), 1 / f.lam[:, None])[:, 0]  # diag B'D^-1 B
    precision = own - np.einsum("im,im->i", solved[:, :-1], solved[:, :-1])
    return solved[:, -1] / precision, 1 / precision


def _by_columns(near, A, M) -> np.ndarray:
    out, M = np.zeros(M.shape), np.ascontiguousarray(M)
    regressions.pull_differences(near, A, M, M, np.zeros(A.shape), out)
    return out


@dataclass(frozen=True)
class FullScalePosterior(Predictor):
    """Each test point given the inducing values and, in the residual, its k nearest training rows.

    With the mean mu and covariance M^-1 of the whitened inducing values given y, and A, d of the point's regression,
    the mean is A y_N + h'mu and the variance d + h'M^-1 h, h = v - V_N A'.
    """

    columns: InducingColumns
    X: np.ndarray
    y: np.ndarray
    k: int
    LB: np.ndarray  # (m, m)
    mu: np.ndarray  # (m,)
    factor: float = 1.0  # of the variances (learning/calibration.py)
    noise: np.ndarray | None = None  # (n,) of the training rows, where each has its own

    @classmethod
    def of(cls, model: FullScaleModel, k: int, factor: float = 1.0) -> FullScalePosterior:
        f = model.factor
        mu = f.inner_solve(f.project(model.target))
        noise = None if model.rows is None else model.rows.variances(model.gp.noise)
        return cls(model.columns, model.X, model.y, min(k, len(model.y)), f.LB, mu, factor, noise)

    def predict(self, Xs) -> Prediction:
        mean, latent, noise = np.empty(len(Xs)), np.empty(len(Xs)), self.columns.gp.noise
        around = self.around(Xs)
        for part in parts_of(self.k + 1, len(Xs)):
            _, known, d, H = self.regressions(around, Xs, part)
            U = solve_lower(self.LB, np.array(H.T, order="F"), overwrite=True)
            mean[part] = product(H, self.mu) + known
            latent[part] = d + np.einsum("mi,mi->i", U, U)
        return Prediction(mean, self.factor * (latent + noise), self.factor * latent)

    def around(self, Xs) -> Around:
        """The training rows near any of Xs, and which of them are the neighbours of each."""
        gp = self.columns.gp
        near = candidates_of(gp.kernel, self.X, Xs, self.k if not len(self.columns.Z) else wide(self.k, len(self.X)))
        used, places = np.unique(near, return_inverse=True)
        places, X, V = places.reshape(near.shape), self.X[used], self.columns.transposed(self.X[used])
        left, own = self.columns.left(X, V), self.columns.transposed(Xs)
        chosen = np.empty((len(Xs), min(self.k, near.shape[1])), dtype=np.int64)
        for part in parts_of(self.k + 1, len(Xs)):
            chosen[part] = _most_correlated(gp.kernel, X, V, left, Xs[part], own[part], places[part], self.k)
        noise = np.full(len(used), gp.noise) if self.noise is None else self.noise[used]
        return Around(X, V, self.y[used], noise, own, chosen)

    def regressions(self, around: Around, Xs, part=slice(None)):
        """A (b, k), A y_N (b,), d (b,) and the rows h' (b, m) of a part of Xs."""
        Xs, near, t = Xs[part], around.near[part], len(Xs[part])
        both, Vt = np.concatenate([Xs, around.X]), np.concatenate([around.own[part], around.V])
        y = np.r_[np.zeros(t), around.y]
        group = np.column_stack([near + t, np.arange(t)])
        packed = regressions.residuals(_entries(self.columns.gp.kernel, both, group), group, Vt)
        A, d = regressions.regress(with_noise(packed, around.noise[near]), 0.0, noisy_point=False)
        h = np.empty((t, Vt.shape[1] + 1))
        regressions.differences(group[:, :-1], A, np.column_stack([Vt, y]), h)
        return A, -h[:, -1], d, np.ascontiguousarray(h[:, :-1])


class Around(NamedTuple):
    """Training rows near some other rows."""

    X: np.ndarray  # (u, D)
    V: np.ndarray  # (u, m)
    y: np.ndarray  # (u,)
    noise: np.ndarray  # (u,) variances
    own: np.ndarray  # (t, m) V' of the other rows
    near: np.ndarray  # (t, k) rows of X that are neighbours of each


# -- neighbours in the residual's correlation ----------------------------------------------------------------------

CANDIDATES, FEWEST = 3, 64  # rows looked at for each neighbour that is wanted, and in all


def wide(k: int, n: int) -> int:
    """How many rows near a row are compared by their correlation."""
    return min(n, max(CANDIDATES * k, FEWEST)) if k else 0


def neighbours(columns: InducingColumns, X, Vt, k: int) -> np.ndarray:
    """The k earlier rows of the largest residual correlation, among the `wide` nearest ones   (n - k - 1, k)."""
    kernel, n = columns.gp.kernel, len(X)
    if not k:
        return np.empty((n - 1, 0), dtype=np.int64)
    if not len(columns.Z):
        return earlier_neighbours(embedding(kernel, X), k)
    left, most, out = columns.left(X, Vt), min(wide(k, n), n - 1), np.empty((max(n - k - 1, 0), k), dtype=np.int64)

    def choose(rows, near):
        out[rows.start - k - 1 : rows.stop - k - 1] = _most_correlated(kernel, X, Vt, left, X[rows], Vt[rows], near, k)

    for i in range(k + 1, min(most + 1, n)):
        choose(slice(i, i + 1), np.arange(i)[None])
    near = earlier_neighbours(embedding(kernel, X), most)
    for part in blocks(most, len(near)):
        choose(slice(part.start + most + 1, min(part.stop, len(near)) + most + 1), near[part])
    return out


def candidates_of(kernel, X, Xs, count: int) -> np.ndarray:
    """Rows of X near each of Xs   (t, count)."""
    if not count:
        return np.empty((len(Xs), 0), dtype=np.int64)
    return cKDTree(embedding(kernel, X)).query(embedding(kernel, Xs), count)[1].reshape(len(Xs), count)


def _most_correlated(kernel, X, Vt, left, Xs, Vs, near, k: int) -> np.ndarray:
    """For each of Xs, the k of its candidates `near` whose residuals correlate most with its own   (t, k)."""
    if near.shape[1] <= k:
        return near
    start = np.arange(len(near) + 1, dtype=np.int32) * near.shape[1]
    pattern = csc_matrix((np.ones(near.size, dtype=bool), near.ravel().astype(np.int32), start), (len(X), len(Xs)))
    shared = kernel.on(pattern, X, Xs).reshape(near.shape) - regressions.products(near, Vt, Vs)
    closeness = shared**2 / left[near]
    return np.take_along_axis(near, np.argpartition(-closeness, k - 1, axis=1)[:, :k], axis=1)
