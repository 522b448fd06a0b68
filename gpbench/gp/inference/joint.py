"""Covariances between the predictions of several rows; their diagonal is the variance that `predict` gives.

Exact and sparse models predict all rows by one Gaussian process, whose covariance this is; for FITC each row has the
exact prior given the inducing values. With Vecchia's approximation each row x has a prediction A y_N from its own
neighbours N. The covariance of the errors f(x) - A y_N of all rows, under the prior with noise, is

    R (K + E) R',   R = [I, -A],

with K over the rows and all their neighbours and E the neighbours' noise. `vif` has the residual kernel in place of K,
and adds H M^-1 H' for the inducing values, M and h as in vif.py.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from scipy import sparse as matrices

from gpbench.errors import NotApplicable
from gpbench.gp.linalg import regressions
from gpbench.gp.linalg.conditionals import with_noise
from gpbench.gp.linalg.lowrank import blocks
from gpbench.gp.linalg.triangular import product, solve_lower

from . import vif
from .compact import CompactPosterior
from .exact import ExactPosterior
from .local import LocalPosterior
from .sparse_predict import SparsePosterior
from .vecchia import VecchiaPosterior, parts_of, triangles


@singledispatch
def latent_covariance(posterior, Xs) -> np.ndarray:
    """Covariance of the function, without noise, at the rows Xs   (t, t)."""
    raise NotApplicable(
        f"a {type(posterior).__name__} predicts each row by itself: it knows no covariance between rows"
    )


@latent_covariance.register
def _(posterior: ExactPosterior, Xs) -> np.ndarray:
    V = posterior.factor.half_solve(posterior.kernel(posterior.X, Xs))
    return posterior.kernel(Xs) - product(V.T, V)


@latent_covariance.register
def _(posterior: LocalPosterior, Xs) -> np.ndarray:
    """Rows of different clusters are independent."""
    out, where = np.zeros((len(Xs), len(Xs))), posterior.tree.assign(Xs)
    for number in np.unique(where):
        here = np.flatnonzero(where == number)
        out[np.ix_(here, here)] = latent_covariance(posterior.parts[number], Xs[here])
    return out


@latent_covariance.register
def _(posterior: CompactPosterior, Xs) -> np.ndarray:
    Ks = posterior.gp.kernel.sparse(posterior.X, Xs)
    solved = np.column_stack([posterior.factor.solve(Ks[:, [j]].toarray().ravel()) for j in range(len(Xs))])
    found = posterior.gp.kernel(Xs) - Ks.T @ solved
    return 0.5 * (found + found.T)


@latent_covariance.register
def _(posterior: SparsePosterior, Xs) -> np.ndarray:
    kernel = posterior.gp.kernel
    V = solve_lower(posterior.L, np.asfortranarray(kernel(Xs, posterior.Z).T), overwrite=True)
    U = solve_lower(posterior.LB, V)
    return kernel(Xs) - product(V.T, V) + product(U.T, U)


@latent_covariance.register
def _(posterior: VecchiaPosterior, Xs) -> np.ndarray:
    kernel, k = posterior.gp.kernel, min(posterior.k, len(posterior.X))
    near, t = posterior.near(Xs, k), len(Xs)
    used, place = np.unique(near, return_inverse=True)
    X, place = posterior.X[used], place.reshape(near.shape)
    noise = np.full(len(used), posterior.gp.noise) if posterior.noise is None else posterior.noise[used]
    every, group = np.concatenate([Xs, X]), np.column_stack([place + t, np.arange(t)])
    A = np.empty((t, k))
    for part in parts_of(k + 1, t):
        packed = kernel.on(triangles(*group[part].shape), every[group[part].ravel()]).reshape(len(group[part]), -1)
        A[part], _ = regressions.regress(with_noise(packed.copy(), noise[place[part]]), 0.0, noisy_point=False)
    return posterior.factor * _of_errors(lambda rows: kernel(every[rows], every), A, place, noise)


@latent_covariance.register
def _(posterior: vif.FullScalePosterior, Xs) -> np.ndarray:
    around, kernel = posterior.around(Xs), posterior.columns.gp.kernel
    A, _, _, H = posterior.regressions(around, Xs)
    every, Vt = np.concatenate([Xs, around.X]), np.concatenate([around.own, around.V])
    found = _of_errors(lambda rows: kernel(every[rows], every) - product(Vt[rows], Vt.T), A, around.near, around.noise)
    U = solve_lower(posterior.LB, np.array(H.T, order="F"), overwrite=True)
    return posterior.factor * (found + product(U.T, U))


def _of_errors(covariances, A, near, noise) -> np.ndarray:
    """R (K + E) R' by blocks of rows; `covariances` gives rows of K, the t predicted ones first."""
    t, k = A.shape
    count = t + len(noise)
    at = np.repeat(np.arange(t), k), (near + t).ravel()
    R = matrices.hstack([matrices.identity(t), matrices.csr_matrix((t, len(noise)))]).tocsr()
    R -= matrices.csr_matrix((A.ravel(), at), (t, count))
    found = np.zeros((t, t))
    for block in blocks(count, count):
        found += R[:, block] @ np.asarray(R @ covariances(block).T).T
    left = R[:, t:]
    found += (left.multiply(noise) @ left.T).toarray()
    return 0.5 * (found + found.T)
