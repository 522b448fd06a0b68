"""Dense Cholesky factor, and the one jitter policy of the package."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.linalg import get_lapack_funcs

from gpbench.errors import NotPositiveDefinite

from .structured import Dense
from .triangular import mirror_lower, solve_lower

JITTER = 1e-8  # rung where Kuu starts in every method: one that changed between evaluations would make objectives jump
LADDER = (0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)  # relative to the mean of the diagonal

_potrf, _potri = get_lapack_funcs(("potrf", "potri"), dtype=np.float64)


def cholesky_with_jitter(S, start: float = 0.0, overwrite: bool = False) -> tuple[np.ndarray, float]:
    """Lower L with LL' = S + jitter I (Fortran order) and the jitter used, the smallest rung >= start that works.

    A rung above zero is reported by whoever holds the factor (`Cholesky.jitter`), never hidden.
    """
    S = np.asarray(S)
    if not np.isfinite(S.sum()):
        raise NotPositiveDefinite("covariance matrix has entries that are not finite")
    diagonal = S.diagonal().copy()
    scale = float(diagonal.mean()) if len(S) else 1.0
    for rung in LADDER:
        if rung < start:
            continue
        last = rung == LADDER[-1]
        # S is symmetric: its transpose is itself in the order LAPACK wants, so no copy is needed to convert
        work = S.T if overwrite and last else np.array(S.T, order="F")
        work[np.diag_indices_from(work)] = diagonal + rung * scale
        L, info = _potrf(work, lower=1, overwrite_a=1, clean=1)
        if info == 0:
            return L, rung * scale
    raise NotPositiveDefinite(
        f"covariance matrix ({len(S)} rows) is not positive definite even with jitter {LADDER[-1]:g} x mean diagonal"
    )


def beyond(jitter: float, start: float, diagonal) -> float:
    """The jitter that was used, or 0 where it is no more than what the caller puts on every matrix."""
    return jitter if jitter > 2 * start * float(np.mean(diagonal)) else 0.0


def jitter_notes(needed: Mapping[str, float]) -> tuple[str, ...]:
    """What a reader of the numbers is told: where jitter was needed, and how much."""
    return tuple(f"jitter {value:.1e} on {where}" for where, value in needed.items() if value)


class Cholesky:
    """S = LL' behind the factor protocol: solve, logdet, inv_diag, sensitivity."""

    def __init__(self, L, jitter: float = 0.0):
        self.L, self.jitter = L, jitter

    @classmethod
    def of(cls, S, start: float = 0.0) -> Cholesky:
        return cls(*cholesky_with_jitter(S, start))

    def half_solve(self, b):
        """L^-1 b."""
        return solve_lower(self.L, b)

    def solve(self, b):
        return solve_lower(self.L, solve_lower(self.L, b), trans=True)

    def logdet(self) -> float:
        return 2.0 * float(np.log(self.L.diagonal()).sum())

    def inverse(self) -> np.ndarray:
        """S^-1, both triangles filled   (n, n)."""
        inv, info = _potri(self.L, lower=1)
        if info:
            raise NotPositiveDefinite("singular Cholesky factor")
        mirror_lower(inv)
        return inv

    def inv_diag(self) -> np.ndarray:
        return (solve_lower(self.L, np.eye(len(self.L), order="F")) ** 2).sum(0)

    def sensitivity(self, a, b, c, w=None) -> Dense:
        """(a b' + b a')/2 - c S^-1 - S^-1 diag(w) S^-1, the form every dF/dS has (structured.py)."""
        return Dense.of(self.inverse(), a, b, c, w)
