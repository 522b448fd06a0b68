"""Moments of a tilted density t(f) N(f; m, v), many at once, by the trapezoidal rule where the density lies.

Gauss-Hermite nodes of the cavity miss a likelihood that is much narrower than it: of a count of 900 against N(0, 9) no
node of 64 comes near. So the interval is found first, on a coarse grid that is narrowed, or widened, until the density
has fallen by FALL nats at both ends. There the trapezoidal rule converges faster than any power of its step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

FALL = 42.0  # nats: exp(-42) is below the rounding of a sum
COARSE, FINE, MOST = 41, 161, 4001  # nodes
ROUNDS = 60
PER_WIDTH = 4.0  # nodes for the narrowest feature of a likelihood that is not log-concave


@dataclass(frozen=True)
class Tilted:
    log_Z: np.ndarray  # (n,) log of the integral
    mean: np.ndarray  # (n,)
    var: np.ndarray  # (n,)


@dataclass(frozen=True)
class Nodes:
    f: np.ndarray  # (n, q)
    weights: np.ndarray  # (n, q), each row sums to one
    log_Z: np.ndarray  # (n,)

    def moments(self) -> Tilted:
        mean = (self.weights * self.f).sum(1)
        return Tilted(self.log_Z, mean, (self.weights * (self.f - mean[:, None]) ** 2).sum(1))


def nodes_of(log_t: Callable, m, v, width: float = np.inf) -> Nodes:
    """Nodes and weights for each cavity N(m, v); `log_t` gives (n, q) from latent values of that shape."""
    m, v = np.asarray(m, dtype=float), np.asarray(v, dtype=float)

    def log_g(f):
        return log_t(f) - 0.5 * (f - m[:, None]) ** 2 / v[:, None] - 0.5 * np.log(2 * np.pi * v)[:, None]

    low, high = _interval(log_g, m - 10 * np.sqrt(v), m + 10 * np.sqrt(v))
    wanted = FINE if not np.isfinite(width) else int(PER_WIDTH * np.max(high - low) / width)
    f = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, min(max(wanted, FINE), MOST))
    g = log_g(f)
    top = g.max(1)
    weights = np.exp(g - top[:, None])
    total = weights.sum(1)
    step = (high - low) / (f.shape[1] - 1)
    return Nodes(f, weights / total[:, None], top + np.log(total * step))


def _interval(log_g, low, high):
    """Ends beyond which nothing of the density is left; the peak of a log-concave one is never lost on the way."""
    grid, n = np.linspace(0, 1, COARSE), np.arange(len(low))
    for _ in range(ROUNDS):
        f = low[:, None] + (high - low)[:, None] * grid
        g = log_g(f)
        inside = g > g.max(1)[:, None] - FALL
        first, last = inside.argmax(1), COARSE - 1 - inside[:, ::-1].argmax(1)
        span = high - low
        new_low = np.where(first > 0, f[n, np.maximum(first - 1, 0)], low - span)
        new_high = np.where(last < COARSE - 1, f[n, np.minimum(last + 1, COARSE - 1)], high + span)
        settled = (first > 0) & (last < COARSE - 1) & (new_high - new_low > 0.6 * span)
        low, high = np.where(settled, low, new_low), np.where(settled, high, new_high)
        if settled.all():
            break
    return low, high
