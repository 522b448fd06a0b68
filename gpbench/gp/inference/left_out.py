"""What a fitted model would predict for its own rows, each left out in turn; hyperparameters and basis stay.

With a = S^-1 y and s = diag S^-1 the target of row i given all others is N(y_i - a_i / s_i, 1 / s_i). Of a sparse model
with the latent posterior N(m_i, q_i + r_i) at row i, r_i = k_ii - Q_ii, the row's own share of the likelihood, of
variance lam_i, is taken off again:

    mean_i = m_i + (m_i - y_i) q_i / (lam_i - q_i),   variance = r_i + q_i lam_i / (lam_i - q_i) + noise_i

which is the same equation where lam = noise + r (FITC). A posterior of EP has a site instead: without it row i has the
cavity distribution. Only the rows that are asked for are computed, at the price of predictions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from scipy import sparse as matrices

from gpbench.errors import NotApplicable
from gpbench.gp.linalg.lowrank import blocks
from gpbench.gp.linalg.structured import column_dots
from gpbench.gp.linalg.triangular import product, solve_lower

from . import vif
from .compact import CompactPosterior
from .exact import ExactPosterior
from .local import LocalPosterior
from .model import Prediction
from .row_noise import RowNoise
from .sparse import Approximation
from .sparse_predict import SparsePosterior
from .vecchia import VecchiaPosterior


@dataclass(frozen=True)
class Known:
    """The rows of the fit, on its scale."""

    X: np.ndarray
    y: np.ndarray  # (n,)
    noise: np.ndarray  # (n,) variances
    approximation: Approximation | None = None  # of a sparse model
    chosen: np.ndarray | None = None  # rows of an exact model in its order, where it has some or another order


@singledispatch
def left_out(posterior, known: Known, rows) -> Prediction:
    """Mean and variance of the target of each of `rows` given all other rows; NotApplicable where it has to be fitted
    again for that."""
    raise NotApplicable(f"a {type(posterior).__name__} has no leave-one-out predictions of its own")


@left_out.register
def _(posterior: ExactPosterior, known: Known, rows) -> Prediction:
    if known.chosen is None:
        return _exact(posterior, known.y[rows], rows)
    place = np.full(len(known.y), -1)
    place[known.chosen] = np.arange(len(known.chosen))
    inside = place[rows] >= 0
    mean, var = np.empty(len(rows)), np.empty(len(rows))
    if inside.any():
        own = _exact(posterior, known.y[rows[inside]], place[rows[inside]])
        mean[inside], var[inside] = own.mean, own.var
    if not inside.all():
        p = posterior.predict(known.X[rows[~inside]])
        mean[~inside], var[~inside] = p.mean, p.var_latent + known.noise[rows[~inside]]
    return Prediction(mean, var)


def _exact(posterior: ExactPosterior, y, rows) -> Prediction:
    """y are the targets of these rows of the posterior."""
    n, inverse = len(posterior.alpha), np.empty(len(rows))
    for part in blocks(n, len(rows)):
        unit = np.zeros((n, len(rows[part])), order="F")
        unit[rows[part], np.arange(unit.shape[1])] = 1.0
        half = posterior.factor.half_solve(unit)
        inverse[part] = column_dots(half, half)
    return Prediction(y - posterior.alpha[rows] / inverse, 1 / inverse)


@left_out.register
def _(posterior: CompactPosterior, known: Known, rows) -> Prediction:
    at = np.arange(len(rows))
    unit = matrices.csc_matrix((np.ones(len(rows)), (rows, at)), (len(known.y), len(rows)))
    inverse = posterior.factor.half_squares(unit)
    return Prediction(known.y[rows] - posterior.alpha[rows] / inverse, 1 / inverse)


@left_out.register
def _(posterior: LocalPosterior, known: Known, rows) -> Prediction:
    part, place = np.empty(len(known.y), dtype=int), np.empty(len(known.y), dtype=int)
    for number, leaf in enumerate(posterior.tree.leaves()):
        part[leaf], place[leaf] = number, np.arange(len(leaf))
    mean, var = np.empty(len(rows)), np.empty(len(rows))
    for number in np.unique(part[rows]):
        here = part[rows] == number
        own = _exact(posterior.parts[number], known.y[rows[here]], place[rows[here]])
        mean[here], var[here] = own.mean, own.var
    return Prediction(mean, var)


@left_out.register
def _(posterior: SparsePosterior, known: Known, rows) -> Prediction:
    if known.approximation is None:
        raise NotApplicable("the approximation of this sparse model is not known")
    kernel, X, y, noise = posterior.gp.kernel, known.X[rows], known.y[rows], known.noise[rows]
    mean, var, kdiag = np.empty(len(rows)), np.empty(len(rows)), kernel.diag(X)
    for part in blocks(len(posterior.Z), len(rows)):
        K = np.asfortranarray(kernel(X[part], posterior.Z).T)  # (m, b)
        m = product(K.T, posterior.weights)
        V = solve_lower(posterior.L, K, overwrite=True)
        r = np.maximum(kdiag[part] - column_dots(V, V), 0.0)
        U = solve_lower(posterior.LB, V, overwrite=True)
        q = column_dots(U, U)
        lam = noise[part] + known.approximation.diag_correction * r
        others = np.maximum(lam - q, np.finfo(float).eps * lam)  # > 0 but for rounding
        mean[part] = m + (m - y[part]) * q / others
        var[part] = r + q * lam / others + noise[part]
    return Prediction(mean, var)


@left_out.register
def _(posterior: VecchiaPosterior, known: Known, rows) -> Prediction:
    """The nearest rows besides the row itself."""
    X, y, n = known.X[rows], known.y[rows], len(posterior.X)
    k = min(posterior.k, n - 1)
    if not k:
        raise NotApplicable("one row alone has no neighbours")
    near = posterior.near(X, k + 1)
    same = (posterior.X[near] == X[:, None]).all(2) & (posterior.y[near] == y[:, None])
    drop = np.where(same.any(1), same.argmax(1), k)  # among many equal inputs it may not have been found
    kept = np.arange(k + 1) != drop[:, None]
    p = posterior.moments(X, near[kept].reshape(len(rows), k))
    return Prediction(p.mean, posterior.factor * (p.var + known.noise[rows]))


@left_out.register
def _(posterior: vif.FullScalePosterior, known: Known, rows) -> Prediction:
    """The model of all rows is built once more; the neighbours of a row in it may differ from those at prediction."""
    gp, X, y = posterior.columns.gp, posterior.X, posterior.y
    Vt = posterior.columns.transposed(X)
    k = min(posterior.k, len(y) - 1)
    noise = None if posterior.noise is None else RowNoise(np.zeros(len(y)), posterior.noise)
    near = vif.neighbours(posterior.columns, X, Vt, k)
    residual, var = vif.leave_one_out(vif.build(gp, posterior.columns.Z, X, y, near, posterior.columns, Vt, noise))
    place = _places(X, y, known, rows)
    return Prediction(known.y[rows] - residual[place], posterior.factor * var[place])


def _places(X, y, known: Known, rows) -> np.ndarray:
    """Where the posterior, which has its rows in another order, holds these rows."""
    at = {key: i for i, key in enumerate(map(_key, X, y))}
    return np.array([at[_key(known.X[i], known.y[i])] for i in rows])


def _key(x, y) -> bytes:
    return np.append(x, y).tobytes()


def cavity(posterior, rows) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the latent function at `rows`, each without its own site of EP."""
    mu, var = (values[rows] for values in posterior.marginals())
    tau, nu = posterior.sites.tau[rows], posterior.sites.nu[rows]
    share = 1 - tau * var
    if not (share > 0).all():
        raise NotApplicable("a row without its site has no proper distribution")
    return (mu - nu * var) / share, var / share
