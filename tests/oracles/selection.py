"""Greedy selection from its definitions: dense inverses, leave-one-out by refitting, divergences of whole Gaussians."""

import numpy as np


def noise_of(K, u, noise, approximation):
    """Lambda of a basis: sigma^2, for FITC plus K - Q   (n,)."""
    lam = np.full(len(K), noise)
    return lam + (K - low_rank(K, u)).diagonal() if approximation == "fitc" else lam


def low_rank(K, u):
    if not len(u):
        return np.zeros_like(K)
    return K[:, u] @ np.linalg.inv(K[np.ix_(u, u)]) @ K[u]


def weights(K, y, u, lam):
    """(A^-1, alpha): A = Kuu + Kuf Lambda^-1 Kfu and the posterior mean's weights."""
    Kuf = K[u]
    A_inv = np.linalg.inv(K[np.ix_(u, u)] + (Kuf / lam) @ Kuf.T)
    return A_inv, A_inv @ (Kuf / lam) @ y


def mean_at_data(K, y, u, lam):
    return K[:, u] @ weights(K, y, u, lam)[1] if len(u) else np.zeros(len(y))


def leverage(K, y, u, lam):
    """Derivative of the fitted mean with respect to its own target   (n,)."""
    A_inv, _ = weights(K, y, u, lam)
    return np.einsum("ui,uv,vi->i", K[u], A_inv, K[u]) / lam


def log_evidence(K, y, u, lam):
    S = low_rank(K, u) + np.diag(lam)
    return -0.5 * (y @ np.linalg.inv(S) @ y + np.linalg.slogdet(S)[1] + len(y) * np.log(2 * np.pi))


def left_out(K, y, u, lam, noise, approximation):
    """Mean and variance of each noisy target when its likelihood term is taken away and the model is fitted again."""
    n, Q = len(y), low_rank(K, u)
    mean, var = np.empty(n), np.empty(n)
    for i in range(n):
        rest = np.arange(n) != i
        k = K[u, i]
        if len(u):
            A_inv = np.linalg.inv(K[np.ix_(u, u)] + (K[np.ix_(u, rest)] / lam[rest]) @ K[np.ix_(rest, u)])
            mean[i] = k @ A_inv @ (K[np.ix_(u, rest)] / lam[rest]) @ y[rest]
            spread = k @ A_inv @ k
        else:
            mean[i] = spread = 0.0
        # FITC's Lambda holds K - Q already, frozen at the basis it was made for
        own = lam[i] if approximation == "fitc" else noise + K[i, i] - Q[i, i]
        var[i] = own + spread
    return mean, var


def measure(name, K, y, u, lam, noise, approximation):
    """What the criterion of that name minimises."""
    if name == "nlml":
        return -log_evidence(K, y, u, lam)
    if name == "free-energy":
        return -log_evidence(K, y, u, lam) + 0.5 * np.trace(K - low_rank(K, u)) / noise
    if name == "nlpp":  # the minimum of [keerthi] eq. (5)
        if not len(u):
            return 0.0
        _, alpha = weights(K, y, u, lam)
        A = noise * (K[np.ix_(u, u)] + (K[u] / lam) @ K[u].T)
        return 0.5 * alpha @ A @ alpha - noise * y @ ((K[:, u] @ alpha) / lam)
    mean, var = left_out(K, y, u, lam, noise, approximation)
    r = y - mean
    return {"loo-cve": r**2, "gpe": r**2 + var, "nlgpp": r**2 / var + np.log(var)}[name].mean()


def gain(name, K, y, u, j, noise, approximation):
    """Decrease of the measure by taking row j, Lambda frozen at u."""
    lam = noise_of(K, u, noise, approximation)
    before, after = (measure(name, K, y, v, lam, noise, approximation) for v in (u, [*u, j]))
    return before - after


def backfitting_gain(K, y, u, j, noise):
    """Decrease of pi(alpha), [keerthi] eq. (4), over alpha_j alone: a one-dimensional quadratic."""
    alpha = np.zeros(len(y))
    if len(u):
        alpha[u] = weights(K, y, u, np.full(len(y), noise))[1]
    H = noise * K + K @ K
    slope = (H @ alpha - K @ y)[j]
    return 0.5 * slope**2 / H[j, j]


def _gaussian(prior_inv, rows, y, noise):
    cov = np.linalg.inv(prior_inv + rows.T @ rows / noise)
    return cov @ rows.T @ y / noise, cov


def _divergence(p, q):
    (m0, S0), (m1, S1) = p, q
    S1_inv, d = np.linalg.inv(S1), m1 - m0
    return 0.5 * (
        np.trace(S1_inv @ S0) + d @ S1_inv @ d - len(m0) + np.linalg.slogdet(S1)[1] - np.linalg.slogdet(S0)[1]
    )


def information_gain(K, y, u, j, noise, direction):
    """Divergence between the posteriors of f at u and j before and after target j belongs to f_j itself."""
    both = [*u, j]
    prior_inv = np.linalg.inv(K[np.ix_(both, both)])
    rows = np.zeros((len(y), len(both)))
    if len(u):
        rows[:, :-1] = K[:, u] @ np.linalg.inv(K[np.ix_(u, u)])
    old = _gaussian(prior_inv, rows, y, noise)
    rows[j] = np.eye(len(both))[-1]
    new = _gaussian(prior_inv, rows, y, noise)
    return _divergence(new, old) if direction == "new-old" else _divergence(old, new)


def entropy_gain(K, u, j, noise):
    """Drop in the entropy of f_j by its own target, given the targets of the basis."""
    k = K[u, j]
    var = K[j, j] - k @ np.linalg.inv(K[np.ix_(u, u)] + noise * np.eye(len(u))) @ k
    after = 1.0 / (1.0 / var + 1.0 / noise)
    return 0.5 * np.log(var / after)


def predict(K, Ks, kss, y, u, lam, nugget=0.0):
    """Mean and latent variance at test points; Ks is (n, t). The nugget enters the variance only."""
    _, alpha = weights(K, y, u, lam)
    Kuu, k = K[np.ix_(u, u)] + nugget * np.eye(len(u)), Ks[u]
    A = Kuu + (K[u] / lam) @ K[u].T
    diff = np.linalg.inv(Kuu) - np.linalg.inv(A)
    return k.T @ alpha, kss - np.einsum("ut,uv,vt->t", k, diff, k)
