"""Vecchia's approximation of the residual of inducing points from its definition, with dense n x n matrices."""

import numpy as np


def low_rank(kernel, Z, X, X2):
    """Q(X, X2); zero without inducing inputs."""
    if not len(Z):
        return np.zeros((len(X), len(X2)))
    Kuu = kernel(Z) + 1e-8 * np.trace(kernel(Z)) / len(Z) * np.eye(len(Z))
    return kernel(X, Z) @ np.linalg.solve(Kuu, kernel(Z, X2))


def residual(kernel, Z, X, X2):
    return kernel(X, X2) - low_rank(kernel, Z, X, X2)


def nearest(R, i, k):
    """Rows before i by the size of their residual correlation, the k largest."""
    closeness = np.abs(R[i, :i]) / np.sqrt(R.diagonal()[:i])
    return np.argsort(-closeness, kind="stable")[:k]


def covariance(kernel, noise, Z, X, neighbours):
    """S of all targets; neighbours[i] are the rows that row i is conditioned on."""
    n = len(X)
    C = residual(kernel, Z, X, X) + noise * np.eye(n)
    B, D = np.eye(n), np.empty(n)
    for i, N in enumerate(neighbours):
        N = np.asarray(N, dtype=int)
        A = np.linalg.solve(C[np.ix_(N, N)], C[N, i])
        B[i, N], D[i] = -A, C[i, i] - A @ C[N, i]
    inverse = np.linalg.inv(B)
    return low_rank(kernel, Z, X, X) + inverse @ np.diag(D) @ inverse.T


def with_point(kernel, noise, Z, X, neighbours, x, N):
    """The joint covariance of all targets and the function at x, whose residual is given the targets' at rows N."""
    n = len(X)
    both = np.vstack([X, x])
    whole = covariance(kernel, noise, Z, X, neighbours) - low_rank(kernel, Z, X, X)
    C, c = residual(kernel, Z, X[N], X[N]) + noise * np.eye(len(N)), residual(kernel, Z, X[N], x[None])[:, 0]
    A = np.zeros(n)
    A[N] = np.linalg.solve(C, c)
    own = residual(kernel, Z, x[None], x[None])[0, 0] - c @ A[N]
    cross = whole @ A
    R = np.block([[whole, cross[:, None]], [cross[None], np.array([[own + A @ cross]])]])
    return low_rank(kernel, Z, both, both) + R
