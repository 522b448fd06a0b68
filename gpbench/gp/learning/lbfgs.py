"""L-BFGS over a diagonal matrix that is learned on the way, in a box: for optimisations that move inducing inputs.

Hyperparameters act on all rows, an inducing input on those near it, so their curvatures differ by orders of magnitude.
scipy's L-BFGS-B puts its pairs of steps and changes of the gradient on a multiple of the identity and has to find those
differences through twenty pairs at a time. Here they stand on a diagonal: the caller's guess, into which every pair
goes by the diagonal of the BFGS formula (Gilbert & Lemarechal 1989). docs/reference/config.md has what it saves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

PAIRS = 20
MAX_LINE_SEARCH_POINTS = 20  # points of one line search
DECREASE, CURVATURE = 1e-3, 0.9  # of the slope: Wolfe's conditions, as in L-BFGS-B
SHORTEST = 0.1  # of a step that was too long
POSITIVE = 1e-10  # least cosine between a step and the change of the gradient that is a curvature

Loss = Callable[[np.ndarray], tuple[float, np.ndarray]]


class InverseHessian:
    """What is known of it: pairs over a diagonal   (p,)."""

    def __init__(self, diagonal):
        self.diagonal = diagonal
        self.pairs: deque = deque(maxlen=PAIRS)  # (step s, change of the gradient y, s'y)

    def __matmul__(self, g) -> np.ndarray:
        out, shares = g.copy(), []
        for s, y, sy in reversed(self.pairs):
            shares.append((s @ out) / sy)
            out -= shares[-1] * y
        out *= self.diagonal
        for (s, y, sy), share in zip(self.pairs, reversed(shares)):
            out += (share - (y @ out) / sy) * s
        return out

    def learn(self, s, y) -> None:
        sy = float(s @ y)
        if sy <= POSITIVE * np.linalg.norm(s) * np.linalg.norm(y):
            return
        D = self.diagonal * (sy / (y @ (self.diagonal * y)))  # as long as the newest pair says
        B = 1 / D + y**2 / sy - (s / D) ** 2 / (s @ (s / D))  # > 0: the diagonal of a positive definite matrix
        self.diagonal = 1 / np.maximum(B, np.finfo(float).eps * B.max())
        self.pairs.append((s, y, sy))


def minimise(
    loss: Loss, x, diagonal, low, high, first_step: float, ftol: float, gtol: float, look: Callable
) -> tuple[bool, str]:
    """(whether it converged, why it ended); `loss` keeps its best point itself, `look(x)` comes after each iteration.

    `diagonal` has the relative lengths of steps along the gradient; the first one is at most `first_step` long.
    """
    f, g = loss(x)
    H = None
    while True:
        free = ~((x <= low) & (g > 0) | (x >= high) & (g < 0))  # what the box holds does not move
        if np.abs(g * free).max() <= gtol:
            return True, f"the gradient is at most {gtol:g}"
        if H is None:
            H = InverseHessian(diagonal * first_step / max(np.linalg.norm(diagonal * g * free), first_step))
        p = -(H @ (g * free)) * free
        found = _search(loss, x, f, g, p, low, high) if g @ p < 0 else None
        if found is None:
            if not H.pairs:
                return False, "no step led to a better value"
            H.pairs.clear()
            continue
        before, (x_new, f, g_new) = f, found
        H.learn(x_new - x, (g_new - g) * free)
        x, g = x_new, g_new
        look(x)
        if before - f <= ftol * max(abs(before), abs(f), 1.0):
            return True, f"an iteration gained at most {ftol:g} of the value"


def _search(loss: Loss, x, f, g, p, low, high):
    """The first point along p that decreases enough and is not too near; the best of what is at hand after TRIALS."""
    t, near, far, best = 1.0, 0.0, np.inf, None
    for _ in range(MAX_LINE_SEARCH_POINTS):
        new = np.clip(x + t * p, low, high)
        at, slope = loss(new), g @ (new - x)
        if at[0] > f + DECREASE * slope:
            far = t
            rise = at[0] - f - slope
            t = (near + far) / 2 if near else t * float(np.clip(-0.5 * slope / rise, SHORTEST, 0.5))
            continue
        best = (new, *at)
        if at[1] @ p >= CURVATURE * (g @ p):
            break
        near, t = t, 2 * t if far == np.inf else (t + far) / 2
    return best
