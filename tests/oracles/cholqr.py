"""CholQR from the definition: dense matrices and explicit inverses, no factor is kept from one set to the next."""

import numpy as np


def nystrom(K, pivots, jitter=0.0):
    """K[:, I] (K[I, I] + jitter I)^-1 K[I, :]."""
    pivots = list(pivots)
    if not pivots:
        return np.zeros_like(K)
    return K[:, pivots] @ np.linalg.inv(K[np.ix_(pivots, pivots)] + jitter * np.eye(len(pivots))) @ K[pivots]


def terms(K, pivots, y, noise, jitter=0.0):
    """E^D, E^C, E^V of [cao] (4) and (5)."""
    approximation = nystrom(K, pivots, jitter)
    S = approximation + noise * np.eye(len(y))
    return y @ np.linalg.inv(S) @ y, np.linalg.slogdet(S)[1], np.trace(K - approximation) / noise


def energy(K, pivots, y, noise, variational=True):
    data, complexity, trace = terms(K, pivots, y, noise)
    return 0.5 * (data + complexity + (trace if variational else 0.0) + len(y) * np.log(2 * np.pi))


def decreases(K, pivots, y, noise, j):
    """Exact change of the three terms when j joins the pivots."""
    before, after = terms(K, pivots, y, noise), terms(K, [*pivots, j], y, noise)
    return tuple(b - a for b, a in zip(before, after))


def estimated_decreases(K, pivots, information, y, noise, j):
    """(16)-(18) with the column (21): the residual replaced by its rank-z approximation at the information pivots."""
    V = np.linalg.cholesky(nystrom(K, pivots) + 1e-13 * np.eye(len(y)))  # any root of Khat serves
    E = K - nystrom(K, pivots)
    E_z = nystrom(E, information)
    column = E_z[:, j] / np.sqrt(E_z[j, j])
    Q, _ = np.linalg.qr(np.vstack([V, np.sqrt(noise) * np.eye(V.shape[1])]))
    Q = Q[: len(y)]
    rho2 = column @ column + noise - np.sum((Q.T @ column) ** 2)
    fit = y @ column - (Q.T @ y) @ (Q.T @ column)
    return fit**2 / rho2 / noise, np.log(noise) - np.log(rho2), column @ column / noise
