"""Sparse GP regression from its definition: Qff, S and refits spelt out with dense inverses."""

import numpy as np


def covariance(name, kernel, noise, Z, X):
    """S, and r = diag(K - Q), of dtc, fitc or vfe."""
    Kuf = kernel(Z, X)
    Q = Kuf.T @ np.linalg.inv(kernel(Z)) @ Kuf
    r = kernel.diag(X) - Q.diagonal()
    return Q + noise * np.eye(len(X)) + (np.diag(r) if name == "fitc" else 0.0), r


def lam(name, kernel, noise, Z, X):
    _, r = covariance(name, kernel, noise, Z, X)
    return noise + (r if name == "fitc" else 0.0 * r)


def log_normal(y, S):
    sign, logdet = np.linalg.slogdet(S)
    assert sign > 0
    return -0.5 * (y @ np.linalg.inv(S) @ y + logdet + len(y) * np.log(2 * np.pi))


def predict(name, kernel, noise, Z, X, y, Xs):
    """Mean and latent variance: the inducing values' posterior from their joint density with y."""
    Kuf, Lam = kernel(Z, X), lam(name, kernel, noise, Z, X)
    Sigma = np.linalg.inv(kernel(Z) + Kuf @ np.diag(1 / Lam) @ Kuf.T)
    return kernel(Xs, Z) @ Sigma @ Kuf @ (y / Lam), latent(kernel, Lam, Z, X, Xs, 0.0)


def latent(kernel, Lam, Z, X, Xs, nugget):
    """Variance of the function; the nugget goes on K_I."""
    Kuf, Ksu, KI = kernel(Z, X), kernel(Xs, Z), kernel(Z) + nugget * np.eye(len(Z))
    Sigma = np.linalg.inv(KI + Kuf @ np.diag(1 / Lam) @ Kuf.T)
    return kernel.diag(Xs) - np.diag(Ksu @ (np.linalg.inv(KI) - Sigma) @ Ksu.T)


def refits(name, kernel, noise, Z, X, y):
    """Residual and noisy variance at each case, by fitting again without it."""
    residual, v = np.empty(len(y)), np.empty(len(y))
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        mean, latent = predict(name, kernel, noise, Z, X[rest], y[rest], X[i : i + 1])
        residual[i], v[i] = y[i] - mean[0], latent[0] + noise
    return residual, v


def value(name, measure, kernel, noise, Z, X, y):
    """The maximised value of an objective by its printed formula."""
    if measure == "evidence":
        S, r = covariance(name, kernel, noise, Z, X)
        penalty = {"vfe": np.sum(r / noise), "tight": np.sum(np.log(1 + r / noise))}
        return log_normal(y, S) - 0.5 * penalty.get(name, 0.0)
    residual, v = refits(name, kernel, noise, Z, X, y)
    if measure == "loo-cve":
        return -np.mean(residual**2)
    if measure == "gpe":
        return -np.mean(residual**2 + v)
    return -np.mean(residual**2 / v + np.log(v))  # nlgpp


def sensitivity(S, a, b, c, w):
    """(a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1, and S^-1."""
    inverse = np.linalg.inv(S)
    return 0.5 * (np.outer(a, b) + np.outer(b, a)) - c * inverse - inverse @ np.diag(w) @ inverse, inverse
