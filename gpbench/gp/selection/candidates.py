"""A set of proposed basis vectors, with what a criterion needs to score each of them together.

For candidate j with kernel row k_j ([sundararajan] appendix; no triangular solve is needed because V and Zeta are kept
for every training row):

    e_j^2 = residual_j                              z_j = Zeta[:, j] + Zeta Lambda^-1 k_j
    d_j^2 = K_jj + k_j'Lambda^-1 k_j - |z_j|^2      w_j = (k_j'Lambda^-1 y - z_j'w) / d_j
    zeta_j = (k_j - z_j'Zeta) / d_j                 v_j = (k_j - nu_j'V) / e_j,  nu_j = V[:, j]

`needs` of a criterion says which products are formed: "rows" (kernel rows only), "z", "zeta" (z_j'Zeta), "nu" (nu_j'V)
and "trace" (|v_j|^2 through LB in O(m^2) instead of nu_j'V).
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.linalg.pivoted import FOR_GOOD

from .passes import add_outer, weighted_squares
from .state import GreedyState

_PER_CANDIDATE = ("index", "K", "norm2", "d2", "numerator", "zZ", "nV", "gap")


class Candidates:
    """One array per quantity, one row per candidate; `follow` keeps them in step with the state in O(n) each."""

    def __init__(self, state: GreedyState, index, K, needs: frozenset[str]):
        self.index, self.K, self.needs = np.asarray(index, dtype=int), K, needs
        self.propose(state)

    def __len__(self) -> int:
        return len(self.index)

    def propose(self, state: GreedyState) -> None:
        """From the definition: one product of (m, n) and (n, c) for each of z, zeta, nu."""
        m, J, K, needs = state.size, self.index, self.K, self.needs
        self.norm2 = self.d2 = self.numerator = self.zZ = self.nV = self.gap = self.z = None
        if not needs:
            return
        self.norm2 = weighted_squares(K, state.precision)  # k'Lambda^-1 k
        if "z" not in needs:
            return
        Zeta, V = state.Zeta[:m], state.V
        self.z = z = self._coefficients(state)  # (c, m)
        self.d2 = state.kdiag[J] + self.norm2 - (z**2).sum(1)
        self.numerator = K @ (state.precision * state.y) - z @ state.w[:m]
        along = V[:, J].T @ state.LB[:m, :m] if needs & {"nu", "trace"} else None  # nu_j'V = (LB'nu_j)'Zeta
        if "nu" in needs:  # one wide product is faster than two narrow ones
            self.zZ, self.nV = np.split(np.concatenate([z, along]) @ Zeta, 2)
        elif "zeta" in needs:
            self.zZ = z @ Zeta
        if "trace" in needs:
            self.gap = np.zeros((len(J), state.capacity))
            self.gap[:, :m] = z - along  # e_j p_j, p_j the new row of LB

    def _coefficients(self, state: GreedyState) -> np.ndarray:
        """z_j = Zeta Lambda^-1 (k_j + lam_j unit_j): the unit vector saves gathering columns of Zeta."""
        J, K, Zeta = self.index, self.K, state.Zeta[: state.size]
        own = np.arange(len(J)), J
        kept = K[own]
        K[own] += state.lam[J]
        z = (K * state.precision) @ Zeta.T if state.approximation == "fitc" else (K @ Zeta.T) / state.noise
        K[own] = kept
        return z

    def follow(self, state: GreedyState) -> None:
        """Account for the basis vector that `state` has just taken; O(n) per candidate."""
        if state.approximation == "fitc":  # Lambda has moved, and everything with it
            return self.propose(state)
        if "z" not in self.needs:
            return
        m, J = state.size - 1, self.index
        zeta, v = state.Zeta[m], state.V[m]
        z, nu = zeta[J] + self.K @ (state.precision * zeta), v[J]  # the new entries of z_j and nu_j
        self.d2 -= z**2
        self.numerator -= z * state.w[m]
        if self.zZ is not None:
            add_outer(self.zZ, z, zeta)
        if self.nV is not None:
            add_outer(self.nV, nu, v)
        if self.gap is not None:
            self.gap[:, :m] -= nu[:, None] * state.LB[m, :m]
            self.gap[:, m] = z - state.LB[m, m] * nu

    def e2(self, state: GreedyState) -> np.ndarray:
        return np.maximum(state.residual[self.index], FOR_GOOD * state.kdiag[self.index])

    def rho2(self, state: GreedyState) -> np.ndarray:
        """(d_j / e_j)^2, the factor by which det B grows; at least 1, whatever rounding says   (c,)."""
        return np.maximum(self.d2 / self.e2(state), 1.0)

    def step(self, state: GreedyState) -> tuple[np.ndarray, np.ndarray]:
        """d_j and w_j, the coefficient of zeta_j in the new mean   (c,) each."""
        d = np.sqrt(self.rho2(state) * self.e2(state))
        return d, self.numerator / d

    def explained(self, state: GreedyState) -> np.ndarray:
        """|v_j|^2, by which tr(K - Q) falls   (c,); DTC only."""
        if self.nV is not None:
            return ((self.K - self.nV) ** 2).sum(1) / self.e2(state)
        # LB gains the row (p_j, rho_j), so |v_j|^2 / noise = |p_j|^2 + rho_j^2 - 1   [sundararajan] appendix, Q(u)
        p2 = (self.gap[:, : state.size] ** 2).sum(1) / self.e2(state)
        return state.noise * (p2 + self.rho2(state) - 1.0)

    def select(self, rows) -> Candidates:
        """A copy of some of the candidates."""
        part = object.__new__(Candidates)
        part.needs, part.z = self.needs, None  # only fresh candidates carry the whole of z
        for name in _PER_CANDIDATE:
            value = getattr(self, name)
            setattr(part, name, None if value is None else value[rows].copy())
        return part

    def extend(self, other: Candidates) -> None:
        for name in _PER_CANDIDATE:
            if getattr(self, name) is not None:
                setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)]))

    def overwrite(self, slots, other: Candidates, rows) -> None:
        """Put `rows` of `other` in place of `slots` of this one."""
        for name in _PER_CANDIDATE:
            if getattr(self, name) is not None:
                getattr(self, name)[slots] = getattr(other, name)[rows]
