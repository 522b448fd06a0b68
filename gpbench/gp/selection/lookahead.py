"""Information pivots: a rank-z stand-in for the residual, by which every candidate is ranked at once.

[cao] section 3.3.1: E = K - V'V is replaced by E_z = L'L, L (z, n) its partial Cholesky factor at z information pivots.
With P = I - Q'Q and r = y - Q'Q y, a candidate j would add the column l = E_z[:, j] / sqrt(E_z[j, j]), for which

    |l|^2 = alpha_j / delta_j,   |l~ - QQ'l~|^2 - sigma^2 = phi_j / delta_j,   (y'P l)^2 = gamma_j^2 / delta_j
    delta = diag(E_z),  alpha = diag(E_z E_z),  phi = diag(E_z P E_z),  gamma = E_z r.

All of these follow a swap in O(zn): E_z changes by vectors that enter or leave (`_shift`), P by rows of Q (`_project`).
The inducing point that has just been removed, whose column of the residual is known anyway, joins the information
pivots until its place is filled; row 0 of L is its seat and is zero otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpbench.gp.linalg.cholqr import CholQR, Step
from gpbench.gp.linalg.pivoted import DEPENDENT, PartialCholesky, independent_root, padded
from gpbench.gp.linalg.rotations import travel_along, travel_down, travel_up
from gpbench.gp.linalg.triangular import solve_rows


class Lookahead:
    """Follows one `CholQR` factor; `rows(index)` gives kernel rows (c, n)."""

    def __init__(self, factor: CholQR, rows: Callable[[np.ndarray], np.ndarray], capacity: int):
        self.factor, self.rows = factor, rows
        self.chol = PartialCholesky(len(factor.y), capacity + 2)
        self._HT = padded(capacity + 2, len(factor.w))  # L Q'   (z, m)
        self._undo = None

    @property
    def pivots(self) -> np.ndarray:
        return self.chol.pivots[1 : self.chol.size]

    @property
    def size(self) -> int:
        return self.chol.size - 1

    @property
    def L(self) -> np.ndarray:
        return self.chol.rows

    @property
    def HT(self) -> np.ndarray:
        return self._HT[: self.chol.size, : self.factor.size]

    def resample(self, index) -> None:
        """Start again from the given information pivots, O(zmn); those that depend on earlier ones are left out."""
        factor, chol = self.factor, self.chol
        index = np.asarray(index, dtype=int)
        E = self.rows(index)  # (z, n)
        E -= factor.chol.rows[:, index].T @ factor.chol.rows
        kept, root = independent_root(E[:, index], DEPENDENT * factor.kdiag[index])
        z = chol.size = 1 + len(kept)
        chol.V[0], chol.U[:z, :z], chol.pivots[0] = 0.0, 0.0, -1
        E = E if len(kept) == len(E) else E[kept]
        chol.V[1:z], chol.U[1:z, 1:z], chol.pivots[1:z] = solve_rows(root, E, overwrite=True), root.T, index[kept]
        L = self.L
        self._HT[:z, : factor.size] = L @ factor.Q[: factor.size].T
        G = L @ L.T
        B = G - self.HT @ self.HT.T  # L P L'
        self.alpha, self.phi, self.delta = (np.einsum("zn,zn->n", A, L) for A in (G @ L, B @ L, L))

    def extend(self) -> bool:
        """One more pivot, where most of the prior variance is unexplained; O(mn). False if all is explained."""
        factor = self.factor
        left = factor.residual - self.delta
        left[self.pivots] = left[factor.pivots] = 0.0
        j = int(np.argmax(left))
        e = factor.chol.column(j, self.rows(np.array([j]))[0])
        return self._append(j, e, factor.Q[: factor.size] @ e)

    def shrink(self) -> None:
        """Give up the last information pivot."""
        h = self.HT[-1].copy()
        _, w, _ = self.chol.pop()
        self._shift(w, h, -1.0)

    def removed(self, step: Step) -> None:
        """The factor has given up a pivot: follow, and take it as an information pivot for the time being."""
        m, chol = self.factor.size, self.chol
        travel_along(self._HT, *self.factor.reflections)
        self._undo = self.alpha.copy(), self.phi.copy(), self.delta.copy()
        self._project(self._HT[: chol.size, m], +1.0)
        self._shift(step.row, step.h, +1.0)
        chol.V[0], chol.pivots[0] = step.row, step.j
        chol.U[0, : chol.size], chol.U[0, 0] = step.row[chol.pivots[: chol.size]], step.pivot
        self._HT[0, :m] = step.h

    def restored(self) -> None:
        """The removed pivot is back in the factor."""
        self._clear_seat()
        self.alpha, self.phi, self.delta = self._undo

    def inserted(self, step: Step, keep_removed: bool = True) -> bool:
        """The factor has taken step.j instead; False if its column was not resolved and `resample` must follow.

        If j was an information pivot the removed one takes its place (unless told otherwise), else the set is kept.
        """
        m, chol = self.factor.size - 1, self.chol
        known = np.flatnonzero(self.pivots == step.j) + 1
        if not len(known) and not self._append(step.j, step.row * step.pivot, step.h * step.pivot):
            return False
        place = int(known[0]) if len(known) else chol.size - 1
        travel_up(self._HT, place, *chol.to_first(place))
        row = chol.V[0].copy()
        self._clear_seat()
        self._shift(row, step.h, -1.0)
        if not (len(known) and keep_removed):
            travel_down(self._HT, 1, *chol.to_last(1))
            h = self._HT[chol.size - 1, :m].copy()
            _, w, _ = chol.pop()
            self._shift(w, h, -1.0)
        self._HT[: chol.size, m] = g = self.L @ step.q
        self._project(g, -1.0)
        return True

    def statistics(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """((y'P l)^2, |P l|^2, |l|^2) of every training row as a candidate, nan where it cannot be one   (n,) each."""
        factor = self.factor
        gamma = (self.L @ factor.resid) @ self.L
        usable = (factor.residual > DEPENDENT * factor.kdiag) & (self.delta > DEPENDENT * factor.kdiag)
        usable[factor.pivots] = False
        if self.chol.pivots[0] >= 0:
            usable[self.chol.pivots[0]] = False  # the point that was just removed
        delta = np.where(usable, self.delta, np.nan)
        return gamma**2 / delta, np.maximum(self.phi, 0.0) / delta, self.alpha / delta

    def _append(self, j: int, e, Qe) -> bool:
        """A further pivot j with residual column e = E[:, j]; False if the pivots at hand determine it."""
        chol, m = self.chol, len(Qe)
        l = self.L[:, j].copy()
        left = e[j] - l @ l
        if left <= DEPENDENT * self.factor.kdiag[j]:
            return False
        pivot = float(np.sqrt(left))
        w, h = (e - l @ self.L) / pivot, (Qe - l @ self._HT[: chol.size, :m]) / pivot
        self._shift(w, h, +1.0)
        self._HT[chol.size, :m] = h
        chol.append(j, w, pivot)
        return True

    def _shift(self, w, Qw, sign: float) -> None:
        """E_z changes by sign ww', w not among the rows of L; two passes over L."""
        L, HT = self.L, self._HT[: self.chol.size, : len(Qw)]
        Lw = L @ w
        E_w, EP_w = np.stack([Lw, Lw - HT @ Qw]) @ L
        ww = w @ w
        self.alpha += (sign * w) * (2.0 * E_w + ww * w)
        self.phi += (sign * w) * (2.0 * EP_w + (ww - Qw @ Qw) * w)
        self.delta += sign * w**2

    def _project(self, Lq, sign: float) -> None:
        """P changes by sign qq'."""
        self.phi += sign * (Lq @ self.L) ** 2

    def _clear_seat(self) -> None:
        chol = self.chol
        chol.V[0], chol.U[0, : chol.size], chol.pivots[0] = 0.0, 0.0, -1
        self._HT[0] = 0.0
