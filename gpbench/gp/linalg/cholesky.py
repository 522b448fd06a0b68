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


def jitter_notes(needed: Mapping[str, float]) -> tuple[str, ...]:
    """What a reader of the numbers is told: where jitter was needed, and how much."""
    return tuple(f"jitter {value:.1e} on {where}" for where, value in needed.items() if value)


class Cholesky:
    """S + jitter I = LL' (L in Fortran order), a `Factor`; `jitter` says what had to be added."""

    def __init__(self, L, jitter: float = 0.0, given: float = 0.0):
        self.L = L
        self.jitter = jitter  # what stands on the diagonal besides S
        self.needed = jitter if jitter > 2 * given else 0.0  # the same, unless it is what every such matrix is given

    @classmethod
    def of(cls, S, start: float = 0.0) -> Cholesky:
        """With the smallest rung of the ladder, from `start` on, that works."""
        S = np.asarray(S)
        if not np.isfinite(S.sum()):
            raise NotPositiveDefinite("covariance matrix has entries that are not finite")
        diagonal = S.diagonal().copy()
        scale = float(diagonal.mean()) if len(S) else 1.0
        for rung in (rung for rung in LADDER if rung >= start):
            work = np.array(S.T, order="F")  # S is symmetric: its transpose is itself in the order LAPACK wants
            work[np.diag_indices_from(work)] = diagonal + rung * scale
            L, info = _potrf(work, lower=1, overwrite_a=1, clean=1)
            if info == 0:
                return cls(L, rung * scale, start * scale)
        raise NotPositiveDefinite(
            f"covariance matrix ({len(S)} rows) is not positive definite even with jitter "
            f"{LADDER[-1]:g} x mean diagonal"
        )

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
