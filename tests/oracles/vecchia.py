"""Vecchia's approximation from its definition: one dense conditional after the other."""

import numpy as np


def nearest_earlier(E, i, k):
    """Rows before i by distance, the k nearest."""
    return np.argsort(((E[:i] - E[i]) ** 2).sum(1), kind="stable")[:k]


def conditional(kernel, noise, X, y, N, x):
    """Mean and variance of the function at x given noisy values at rows N."""
    if len(N) == 0:
        return 0.0, kernel.diag(x[None])[0]
    S, ks = kernel(X[N]) + noise * np.eye(len(N)), kernel(X[N], x[None])[:, 0]
    inverse = np.linalg.inv(S)
    return ks @ inverse @ y[N], kernel.diag(x[None])[0] - ks @ inverse @ ks


def log_evidence(kernel, noise, X, y, E, k):
    total = 0.0
    for i in range(len(y)):
        mean, latent = conditional(kernel, noise, X, y, nearest_earlier(E, i, k), X[i])
        var = latent + noise
        total -= 0.5 * (np.log(2 * np.pi * var) + (y[i] - mean) ** 2 / var)
    return total
