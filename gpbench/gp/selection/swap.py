"""The exchange loop: remove an inducing point, add the best candidate, keep it only if the energy F falls.

[cao] Algorithm 1, discrete steps. F = (E^D + E^C + E^V + n log 2 pi)/2 is minus Titsias' bound; without E^V it is minus
the log evidence of the projected-process (DTC) model. The print's F_new = F_{m-1} + Delta F should have a minus: its
Delta F is a decrease.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gpbench.gp.linalg.cholqr import CholQR, Step

from .lookahead import Lookahead

RESAMPLE = 0.2  # information pivots are drawn anew once per five swaps on average
SMALLEST = 4  # information pivots with which AA begins
ROUNDING = 1e-12  # a decrease below this share of F is none


@dataclass(frozen=True)
class Energy:
    """F, its exact change and its estimate from `Lookahead.statistics`; lower is better."""

    variational: bool = True

    def value(self, factor: CholQR) -> float:
        return float(self._half(*factor.terms()) + 0.5 * len(factor.y) * np.log(2 * np.pi))

    def decrease(self, step: Step, noise: float) -> float:
        return self._half(*step.decreases(noise))

    def estimates(self, fit, norm2, trace, noise: float) -> np.ndarray:
        """(16)-(18) of every candidate with (21) for its column   (n,), nan where there is none."""
        rho2 = noise + norm2
        return self._half(fit / (rho2 * noise), np.log(noise) - np.log(rho2), trace / noise)

    def _half(self, data, complexity, trace):
        return 0.5 * (data + complexity + (trace if self.variational else 0.0))


class RandomPivots:
    """z information pivots drawn at random, all of them anew now and then."""

    keep_removed = True  # a removed inducing point fills the place of an information pivot that was chosen

    def __init__(self, z: int, rng):
        self.size, self.limit, self.rng = z, z, rng

    def begin(self, lookahead: Lookahead) -> None:
        others = np.ones(len(lookahead.factor.y), dtype=bool)
        others[lookahead.factor.pivots] = False
        others = np.flatnonzero(others)
        lookahead.resample(self.rng.choice(others, min(self.size, len(others)), replace=False))

    def after(self, lookahead: Lookahead, accepted: bool, followed: bool) -> None:
        if not followed or self.rng.random() < RESAMPLE:
            self.begin(lookahead)


class OptimisedPivots(RandomPivots):
    """OI: each new information pivot is the point with the most unexplained variance; they change only when used."""

    keep_removed = False

    def begin(self, lookahead: Lookahead) -> None:
        lookahead.resample(np.zeros(0, dtype=int))
        self._fill(lookahead)

    def after(self, lookahead, accepted, followed):
        if not followed:
            self.begin(lookahead)
        else:
            self._fill(lookahead)

    def _fill(self, lookahead: Lookahead) -> None:
        while lookahead.size < self.size and lookahead.extend():
            pass


class AdaptivePivots(RandomPivots):
    """AA: twice as many information pivots after a rejection, one less after an acceptance; at most z."""

    def __init__(self, z: int, rng):
        super().__init__(min(z, SMALLEST), rng)
        self.limit = z

    def after(self, lookahead, accepted, followed):
        before, self.size = self.size, max(1, self.size - 1) if accepted else min(self.limit, 2 * self.size)
        if not followed or self.size > before or self.rng.random() < RESAMPLE:
            self.begin(lookahead)
        elif lookahead.size > self.size:
            lookahead.shrink()


VARIANTS = {"random": RandomPivots, "oi": OptimisedPivots, "aa": AdaptivePivots}


@dataclass(frozen=True)
class Swap:
    """One attempt."""

    before: float  # F
    after: float
    accepted: bool
    pivots: int  # information pivots when the candidate was chosen ...
    next_pivots: int  # ... and for the next attempt
    decreases: tuple[np.ndarray, np.ndarray] | None = None  # estimated and exact, of every candidate; where asked for


def follow(factor: CholQR, rows: Callable, pivots: RandomPivots) -> Lookahead:
    """The ranking of candidates for this factor, with its first information pivots."""
    lookahead = Lookahead(factor, rows, pivots.limit)
    pivots.begin(lookahead)
    return lookahead


def swaps(
    factor: CholQR, rows: Callable, points, energy: Energy, pivots: RandomPivots, lookahead=None, exact: bool = False
) -> Iterator[Swap]:
    """Try to replace each of `points` (training rows now in the inducing set) in turn.

    O(mn + zn) each, no factor is copied: a rejected attempt leaves the removed point at the end of the order.
    With `exact` every candidate is also evaluated exactly, O(mn^2), to judge the ranking.
    """
    lookahead = follow(factor, rows, pivots) if lookahead is None else lookahead
    value = energy.value(factor)
    for i in points:
        before, size = value, pivots.size
        removed = factor.remove(int(np.flatnonzero(factor.pivots == i)[0]))
        lookahead.removed(removed)
        without = energy.value(factor)
        estimates = energy.estimates(*lookahead.statistics(), factor.noise)
        decreases = _both(factor, rows, energy, estimates) if exact else None
        step = _proposal(factor, rows, estimates)
        accepted = step is not None and without - energy.decrease(step, factor.noise) < before - ROUNDING * abs(before)
        if accepted:
            followed = lookahead.inserted(factor.insert(step), pivots.keep_removed)
        else:
            factor.insert(removed)
            lookahead.restored()
            followed = True
        value = energy.value(factor)
        pivots.after(lookahead, accepted, followed)
        yield Swap(before, value, accepted, size, pivots.size, decreases)


def _proposal(factor: CholQR, rows, estimates) -> Step | None:
    """The candidate with the largest estimated decrease; None if no point is independent of the others."""
    if np.isnan(estimates).all():
        return None
    j = int(np.nanargmax(estimates))
    return factor.propose(j, rows(np.array([j]))[0])


def _both(factor: CholQR, rows, energy: Energy, estimates) -> tuple[np.ndarray, np.ndarray] | None:
    """Estimated and exact decrease of every candidate, where there are two or more to rank."""
    usable = np.flatnonzero(~np.isnan(estimates))
    if len(usable) < 2:
        return None
    exact = [energy.decrease(factor.propose(j, rows(np.array([j]))[0]), factor.noise) for j in usable]
    return estimates[usable], np.array(exact)
