"""[V'; sigma I] = QR kept in step with a partial Cholesky factor whose pivots come and go ([cao] sections 3.1-3.2).

Translation: the paper's L is our V', its Q[1:n] our Q' (both held transposed, one row per pivot), its m pivots our
`pivots`. The lower block of its Q is sigma R^-1 and is not stored: only its product with a vector is ever needed.
With w = Q y,

    E^D = (y'y - w'w) / sigma^2,   E^C = (n - m) log sigma^2 + 2 log det R,   E^V = tr(K - V'V) / sigma^2    (12) (13) (9)

sigma^2 = 0 gives the plain QR of V', as [bach] uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import get_blas_funcs

from .cholesky import cholesky_with_jitter
from .pivoted import PartialCholesky, padded
from .rotations import retriangulate, travel_down
from .triangular import solve_lower

_trsm, _syrk = get_blas_funcs(("trsm", "syrk"), dtype=np.float64)
DRIFT = 1e-11  # relative disagreement of two expressions for rho^2 above which a new row is orthogonalised again


@dataclass(frozen=True)
class Step:
    """One pivot that may enter, or has just left, the last place; `insert` takes either."""

    j: int
    row: np.ndarray  # (n,) of V: [cao]'s l_m
    pivot: float  # its entry of U
    q: np.ndarray  # (n,) new row of Q
    h: np.ndarray  # (m-1,) Q row: the new column of R
    rho: float  # norm of the orthogonalised column: the new diagonal entry of R
    beta: float  # q'y

    def decreases(self, noise: float) -> tuple[float, float, float]:
        """By how much E^D, E^C and E^V fall when this pivot enters; (16) (17) (18)."""
        return (
            self.beta**2 / noise,
            float(np.log(noise) - 2.0 * np.log(self.rho)),
            float(self.row @ self.row) / noise,
        )


class CholQR:
    """Factors of `capacity` pivots at most; `remove` and `insert` are O(mn) and copy no factor."""

    def __init__(self, kdiag, y, noise: float, capacity: int, jitter: float = 0.0):
        self.chol = PartialCholesky(kdiag, capacity, jitter)
        self.Q, self.R = padded(capacity, len(y)), padded(capacity, capacity)
        self.y, self.noise = np.asarray(y, dtype=float), float(noise)
        self.w = np.zeros(capacity)
        self.resid = self.y.copy()  # y - Q'w   (n,)

    @classmethod
    def build(cls, Kuf, pivots, kdiag, y, noise: float) -> CholQR:
        """Batch factorisation, O(m^2 n) ([cao] section 3.4); Kuf (m, n) in C order is overwritten."""
        pivots = np.asarray(pivots, dtype=int)
        m = len(pivots)
        L, jitter = cholesky_with_jitter(Kuf[:, pivots])
        self = cls(kdiag, y, noise, m, jitter)
        chol = self.chol
        V = chol.V
        V[:] = _solve_rows(L, Kuf)
        chol.U[:, :], chol.pivots[:], chol.size = L.T, pivots, m
        chol.residual -= (V**2).sum(0)
        R = _gram_root(V, np.eye(m) * noise)
        Q = _solve_rows(R.T, V)
        # once more, because the first pass loses the square of the condition number
        bottom = solve_lower(R.T, np.eye(m)) * np.sqrt(noise)  # sigma R^-T   (m, m)
        R2 = _gram_root(Q, bottom @ bottom.T)
        self.Q[:], self.R[:, :] = _solve_rows(R2.T, Q), R2 @ R
        self.w[:] = self.Q @ self.y
        self.resid -= self.w @ self.Q
        return self

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
            float(self.chol.residual.sum()) / noise,
        )

    def remove(self, k: int) -> Step:
        """Take out pivot number k ([cao] Algorithms 4 and 5)."""
        m, chol = self.size, self.chol
        cos, sin = chol.to_last(k)
        self.reflections = retriangulate(self.R[:m, :m], k, cos, sin)
        travel_down(self.Q, k, *self.reflections)
        travel_down(self.w.reshape(-1, 1), k, *self.reflections)
        j, row, pivot = chol.pop()
        q, beta = self.Q[m - 1].copy(), float(self.w[m - 1])
        self.resid += beta * q
        return Step(j, row, pivot, q, self.R[: m - 1, m - 1].copy(), float(self.R[m - 1, m - 1]), beta)

    def propose(self, j: int, k) -> Step:
        """What inserting j, with kernel column k, would add; one pass over V and two over Q ([cao] Algorithm 3)."""
        m, Q, pivot = self.size, self.Q[: self.size], self.chol.pivot(j)
        row = self.chol.column(j, k) / pivot
        h = Q @ row
        q = row - h @ Q
        bottom = self._bottom(h)
        rho2 = float(q @ q) + bottom @ bottom + self.noise
        norm2 = float(row @ row) + self.noise
        if abs(norm2 - h @ h - rho2) > DRIFT * rho2:  # Q has lost some orthogonality: twice is enough
            # the lower block of the new column is (-bottom, sigma); only its first part meets Q
            more = Q @ q - self._bottom_transposed(bottom)
            q -= more @ Q
            h = h + more
            bottom = self._bottom(h)
            rho2 = float(q @ q) + bottom @ bottom + self.noise
        rho = float(np.sqrt(rho2))
        q /= rho
        return Step(j, row, pivot, q, h, rho, float(q @ self.y))

    def insert(self, step: Step) -> None:
        """Add a proposed pivot, or put a removed one back, at the end; O(n)."""
        m = self.size
        self.chol.append(step.j, step.row, step.pivot)
        self.Q[m], self.w[m] = step.q, step.beta
        self.R[:m, m], self.R[m, :m], self.R[m, m] = step.h, 0.0, step.rho
        self.resid -= step.beta * step.q

    def times_row(self) -> np.ndarray:
        """Q v for the last row v of V, without a pass over Q: Q V' = R - sigma^2 R^-T   (m,)."""
        m = self.size
        out = self.R[:m, m - 1].copy()
        out[m - 1] -= self.noise / self.R[m - 1, m - 1]  # R^-T is lower triangular: its last column has one entry
        return out

    def bottom(self) -> np.ndarray:
        """The lower block sigma R^-1 of the paper's Q   (m, m)."""
        m = self.size
        return np.sqrt(self.noise) * _solve_upper(self.R[:m, :m], np.eye(m))

    def _bottom(self, h) -> np.ndarray:
        return np.sqrt(self.noise) * _solve_upper(self.R[: self.size, : self.size], h)

    def _bottom_transposed(self, b) -> np.ndarray:
        return np.sqrt(self.noise) * solve_lower(self.R[: self.size, : self.size].T, b)


def _solve_upper(R, b):
    return solve_lower(R.T, b, trans=True)


def _solve_rows(L, A) -> np.ndarray:
    """L^-1 A for C-ordered A (m, n), in place: its transpose is what BLAS calls the right-hand side."""
    return _trsm(1.0, L, A.T, side=1, lower=1, trans_a=1, overwrite_b=1).T


def _gram_root(A, D) -> np.ndarray:
    """Upper R with R'R = AA' + D."""
    gram = A @ A.T
    gram += D
    return cholesky_with_jitter(gram)[0].T
