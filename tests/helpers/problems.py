"""Small regression problems that tests of several modules fit."""

import numpy as np

from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.linalg.cholqr import CholQR
from gpbench.methods.base import GP, Problem, Schedule

N, M = 150, 12


def kernel_matrix(seed=0, n=N, length=0.6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X.sum(1)) + 0.1 * rng.normal(size=n)
    return ArdSE(np.log([1.3, length, length]), dims=2)(X), y, rng


def built(K, y, pivots, noise=0.02):
    return CholQR.build(K[pivots].copy(), pivots, K.diagonal(), y, noise)


def curved(n=300, schedule="joint", d=2, seed=0, **options):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, d))
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, -1] ** 2 + 0.1 * rng.normal(size=n)
    y -= y.mean()
    gp = GP(ArdSE(np.log([1.0, *[1.0] * d]), dims=d), 0.1)
    return Problem(X, y, gp, Schedule(schedule, **options), rng.permutation(n))


def wave(n=150, schedule=Schedule(), noise=0.1):  # noqa: B008 (frozen)
    rng = np.random.default_rng(5)
    X = rng.uniform(-3, 3, (n, 1))
    y = np.sin(2 * X[:, 0]) + np.sqrt(noise) * rng.normal(size=n)
    return Problem(X, y, GP(ArdSE(np.log([1.0, 0.9]), 1), noise), schedule, rng.permutation(n))
