"""[V'; sigma I] = QR kept in step with a partial Cholesky factor whose pivots come and go ([cao] sections 3.1-3.2).

Translation: the paper's L is our V', its Q[1:n] our Q' (both held transposed, one row per pivot), its m pivots our
`pivots`. The lower block of its Q is sigma R^-1 and is not stored: only its product with a vector is ever needed.
With w = Q y,

    E^D = (y'y - w'w)/sigma^2,   E^C = (n - m) log sigma^2 + 2 log det R,   E^V = tr(K - V'V)/sigma^2    (12) (13) (9)

sigma^2 = 0 gives the plain QR of V', as [bach] uses it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from .cholesky import Cholesky
from .pivoted import PartialCholesky, padded
from .rotations import retriangulate, travel_down
from .triangular import solve_lower, solve_rows

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
DRIFT = 1e-11  # relative disagreement of two expressions for rho^2 above which a new row is orthogonalised again


@dataclass(frozen=True)
class Step:
    """One pivot that may enter, or has just left, the last place; `insert` takes either."""

    j: int
    row: np.ndarray  # (n,) of V: [cao]'s l_m
    pivot: float  # its entry of U
    h: np.ndarray  # (m-1,) Q row: the new column of R
    rho: float  # norm of the orthogonalised column: the new diagonal entry of R
    beta: float  # q'y
    q: np.ndarray | None = None  # (n,) the new row of Q; None until `complete` computes it

    def decreases(self, noise: float) -> tuple[float, float, float]:
        """By how much E^D, E^C and E^V fall when this pivot enters; (16) (17) (18)."""
        return (
            self.beta**2 / noise,
            float(np.log(noise) - 2.0 * np.log(self.rho)),
            float(self.row @ self.row) / noise,
        )


class CholQR:
    """Factors of `capacity` pivots at most; `remove` and `insert` are O(mn) and copy no factor.

    `jitter` stands on the diagonal of K at the pivots only, as in every other factorisation of Kuu here.
    """

    def __init__(self, kdiag, y, noise: float, capacity: int, jitter: float = 0.0):
        self.chol = PartialCholesky(len(y), capacity)
        self.kdiag, self.jitter = np.asarray(kdiag, dtype=float), jitter
        self.jitters: dict[str, float] = {}  # that the batch factorisation needed besides its first rung
        self.residual = self.kdiag.copy()  # diag(K - V'V): [cao]'s d
        self._Q, self._R = padded(capacity, len(y)), padded(capacity, capacity)
        self.Q, self.R = self._Q[:, : len(y)], self._R[:, :capacity]
        self.y, self.noise = np.asarray(y, dtype=float), float(noise)
        self.w = np.zeros(capacity)
        self.resid = self.y.copy()  # y - Q'w   (n,)

    @classmethod
    def build(cls, Kuf, pivots, kdiag, y, noise: float, jitter: float = 0.0) -> CholQR:
        """Batch factorisation, O(m^2 n) ([cao] section 3.4); `jitter` is the first rung of the ladder.

        Kuf (m, n), preferably in C order, is overwritten.
        """
        pivots = np.asarray(pivots, dtype=int)
        m = len(pivots)
        Kuu = Kuf[:, pivots]
        root = Cholesky.of(Kuu, jitter)
        self = cls(kdiag, y, noise, m, root.jitter)
        self.jitters["Kuu"] = root.needed
        chol = self.chol
        V = chol.V
        V[:] = solve_rows(root.L, Kuf, overwrite=True)
        chol.U[:, :], chol.pivots[:], chol.size = root.L.T, pivots, m
        self.residual -= (V**2).sum(0)
        R = self._gram_root(V, np.eye(m) * noise)
        Q = solve_rows(R.T, V)
        # once more, because the first pass loses the square of the condition number
        bottom = solve_lower(R.T, np.eye(m)) * np.sqrt(noise)  # sigma R^-T   (m, m)
        R2 = self._gram_root(Q, bottom @ bottom.T)
        self.Q[:], self.R[:, :] = solve_rows(R2.T, Q, overwrite=True), R2 @ R
        self.w[:] = self.Q @ self.y
        self.resid -= self.w @ self.Q
        return self

    def _gram_root(self, A, D) -> np.ndarray:
        """Upper R with R'R = AA' + D."""
        gram = A @ A.T
        gram += D
        root = Cholesky.of(gram)
        self.jitters["R'R"] = max(self.jitters.get("R'R", 0.0), root.jitter)
        return root.L.T

    @property
    def size(self) -> int:
        return self.chol.size

    @property
    def pivots(self) -> np.ndarray:
        return self.chol.pivots[: self.size]

    def terms(self) -> tuple[float, float, float]:
        """E^D, E^C, E^V."""
        m, n, noise, w = self.size, len(self.y), self.noise, self.w[: self.size]
        return (
            float(self.y @ self.y - w @ w) / noise,
            float((n - m) * np.log(noise) + 2.0 * np.log(self.R.diagonal()[:m]).sum()),
            float(self.residual.sum()) / noise,
        )

    def remove(self, k: int) -> Step:
        """Take out pivot number k ([cao] Algorithms 4 and 5)."""
        m = self.size
        self.reflections = k, *retriangulate(self._R, m, k, *self.chol.to_last(k))  # of the rows of Q
        travel_down(self._Q, *self.reflections)
        travel_down(self.w.reshape(-1, 1), *self.reflections)
        j, row, pivot = self.chol.pop()
        self.residual += row**2
        q, beta = self.Q[m - 1].copy(), float(self.w[m - 1])
        self.resid += beta * q
        return Step(j, row, pivot, self.R[: m - 1, m - 1].copy(), float(self.R[m - 1, m - 1]), beta, q)

    def propose(self, j: int, k) -> Step:
        """What inserting j, with kernel column k, would change; one pass over V and one over Q ([cao] Algorithm 3)."""
        pivot = float(np.sqrt(max(self.residual[j], 0.0) + self.jitter))
        row = self.chol.column(j, k) / pivot
        h = self.Q[: self.size] @ row
        norm2 = row @ row + self.noise
        rho = float(np.sqrt(max(float(norm2 - h @ h), self.noise, float(1e-15 * norm2))))
        return Step(j, row, pivot, h, rho, float(row @ self.resid) / rho)

    def complete(self, step: Step) -> Step:
        """The same step with its row of Q; one more pass over Q, three where orthogonality has suffered."""
        if step.q is not None:
            return step
        m, Q, h, norm2 = self.size, self.Q[: self.size], step.h, step.row @ step.row + self.noise
        q, bottom = step.row - h @ Q, np.sqrt(self.noise) * solve_upper(self._R, m, h)
        rho2 = q @ q + bottom @ bottom + self.noise
        if abs(norm2 - h @ h - rho2) > DRIFT * rho2:  # twice is enough
            more = Q @ q - np.sqrt(self.noise) * solve_upper_transposed(self._R, m, bottom)
            q, h = q - more @ Q, h + more
            bottom = np.sqrt(self.noise) * solve_upper(self._R, m, h)
            rho2 = q @ q + bottom @ bottom + self.noise
        rho = float(np.sqrt(rho2))
        q /= rho
        return replace(step, q=q, h=h, rho=rho, beta=float(q @ self.y))

    def insert(self, step: Step) -> Step:
        """Add a proposed pivot, or put a removed one back, at the end; what was inserted is returned."""
        step, m = self.complete(step), self.size
        assert step.q is not None
        self.chol.append(step.j, step.row, step.pivot)
        self.residual -= step.row**2
        self.Q[m], self.w[m] = step.q, step.beta
        self.R[:m, m], self.R[m, :m], self.R[m, m] = step.h, 0.0, step.rho
        self.resid -= step.beta * step.q
        return step

    def bottom(self) -> np.ndarray:
        """The lower block sigma R^-1 of the paper's Q   (m, m)."""
        m = self.size
        return np.sqrt(self.noise) * np.column_stack([solve_upper(self._R, m, e) for e in np.eye(m)])


@_compiled
def solve_upper(R, m, b):
    """R^-1 b for the upper triangle R[:m, :m] (C order, any row length)."""
    x = b.copy()
    for i in range(m - 1, -1, -1):
        total = 0.0
        for j in range(i + 1, m):
            total += R[i, j] * x[j]
        x[i] = (x[i] - total) / R[i, i]
    return x


@_compiled
def solve_upper_transposed(R, m, b):
    """R^-T b."""
    x = b.copy()
    for i in range(m):
        x[i] /= R[i, i]
        for j in range(i + 1, m):
            x[j] -= R[i, j] * x[i]
    return x
