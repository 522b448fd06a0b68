"""What a data audit finds, from the definitions: every pair of rows, every pair of inputs."""

from itertools import combinations

import numpy as np


def repeated(X, y):
    """(rows whose inputs an earlier row has, rows that share their inputs with a row of another target)."""
    n = len(y)
    same = [[bool((X[i] == X[j]).all()) for j in range(n)] for i in range(n)]
    earlier = sum(any(same[i][:i]) for i in range(n))
    return earlier, sum(any(same[i][j] and y[i] != y[j] for j in range(n)) for i in range(n))


def shared(X, train, test):
    return sum(any((X[i] == X[j]).all() for j in train) for i in test)


def nmse(X, t):
    """Of the least-squares function of these inputs, with a constant."""
    A = np.c_[np.ones(len(t)), X]
    residual = t - A @ np.linalg.lstsq(A, t, rcond=None)[0]
    return residual.var() / t.var()


def leaking(X, t, limit=1e-6):
    """Inputs that give t away alone, then pairs of the others that do together."""
    singles = [(j,) for j in range(X.shape[1]) if nmse(X[:, [j]], t) < limit]
    others = [j for j in range(X.shape[1]) if (j,) not in singles]
    return singles + [pair for pair in combinations(others, 2) if nmse(X[:, pair], t) < limit]
