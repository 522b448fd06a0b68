"""CholQR: inducing points swapped and hyperparameters learned in turns, both for one objective ([cao] Algorithm 1)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from gpbench import deadline
from gpbench.inference import sparse
from gpbench.inference.sparse_predict import SparsePosterior
from gpbench.kernels.rows import KernelRows
from gpbench.learning.adapt import adapt
from gpbench.learning.parameters import Layout
from gpbench.linalg.cholesky import JITTER, jitter_notes
from gpbench.linalg.cholqr import CholQR as Factor
from gpbench.selection.swap import VARIANTS, Energy, Swap, swaps

from .base import GP, Fitted, Method, Problem
from .families.inducing import choose, known_start
from .probes.line import line_facts
from .probes.shares import redundant_shares

OBJECTIVES = {"var": sparse.VFE, "mle": sparse.DTC}


@dataclass
class _State:
    gp: GP
    factor: Factor
    value: float  # F, falling
    rows: int = 0  # kernel rows evaluated
    select: float = 0.0
    adapt: float = 0.0
    jitters: dict[str, float] = field(default_factory=dict)  # the largest that any factor needed


class CholQR(Method):
    """Exchange of inducing points, ranked over all training rows; a swap is O(mn + zn), an evaluation O(m^2 n)."""

    name = "cholqr"
    title = "CholQR"
    use = (
        "Swaps inducing points and learns hyperparameters in turns for one objective; take it to get most "
        "out of a small basis, with molecules too."
    )
    paper = "cao"
    heeds: ClassVar = {"joint": (), "interleaved": ("evaluations",)}  # an epoch has its own budget and optimiser

    d_max: int = Field(200, ge=1, description="number of inducing points m")
    inducing: str = Field("random", description="start: random, left, uniform, or the selection method that chooses")
    objective: Literal["var", "mle"] = Field("var", description="variational free energy, or PP (DTC) likelihood")
    z: int = Field(16, ge=1, description="information pivots; for the variant aa the most there may be")
    variant: Literal["random", "oi", "aa"] = Field("random", description="how information pivots are chosen")
    epochs: int = Field(100, ge=1, description="rounds of swaps and hyperparameter steps")
    swaps: int = Field(60, ge=0, description="inducing points tried in an epoch, at most d_max")
    optimiser: Literal["lbfgs", "cg"] = Field("cg", description="of the hyperparameters")
    tolerance: float = Field(1e-5, ge=0, description="stop when an epoch improves by less than this times n nats")
    exact_ranking: bool = Field(False, description="also evaluate every candidate exactly, O(mn^2) a swap (Fig. 1)")
    snapshots: bool = Field(False, description="score the model of every epoch on the test part (curves over time)")

    @classmethod
    def raised_for(cls, params):
        return 1 if params.get("variant") == "aa" else 0  # its number of information pivots outlives an epoch

    @field_validator("inducing")
    @classmethod
    def _known(cls, name):
        if name == "kmeans":
            raise ValueError("inducing: kmeans gives points that are no training rows; cholqr needs rows to start from")
        return known_start(name)

    def fit(self, problem, rng):
        begin = time.perf_counter()
        energy, trace, kept = Energy(self.objective == "var"), [], []
        _, first, used = choose(self.inducing, problem, self.d_max, rng)
        state = self._build(problem, problem.gp, first, energy)
        state.rows += used
        bounds, learn = Layout(problem.gp).bounds(problem.schedule.learner), problem.schedule.kind != "fixed"
        z = min(self.z, problem.n - len(first))
        information = VARIANTS[self.variant](z, rng)  # one for all epochs: AA's number of pivots is carried over
        for epoch in range(1, self.epochs + 1):
            before = state.value
            tried = self._discrete(problem, state, energy, information, rng)
            evaluations = self._continuous(problem, state, energy, bounds) if learn else 0
            seconds = time.perf_counter() - begin
            trace.append(_row(epoch, state.value, tried, evaluations, seconds) | redundant_shares(state.gp.kernel))
            if self.variant == "aa":
                trace[-1]["pivot_rule_violations"] = sum(not _grows_and_shrinks(s, z) for s in tried)
            if self.snapshots:
                kept.append((epoch, seconds, state.gp, state.factor.pivots.copy()))
            if before - state.value < self.tolerance * problem.n or deadline.passed():
                break
        trace[-1] |= {"epochs": len(trace), **_candidates(tried)}
        return replace(self._fitted(problem, state, trace, kept), start=problem.X[first])

    def _build(self, problem: Problem, gp: GP, pivots, energy: Energy) -> _State:
        kernel, X = gp.kernel, problem.X
        factor = Factor.build(kernel(X[pivots], X), pivots, kernel.diag(X), problem.y, gp.noise, JITTER)
        return _State(gp, factor, energy.value(factor), len(pivots), jitters=factor.jitters)

    def _discrete(self, problem: Problem, state: _State, energy: Energy, information, rng) -> list[Swap]:
        begin, rows = time.perf_counter(), KernelRows(state.gp.kernel, problem.X)
        points = rng.permutation(state.factor.pivots)[: self.swaps]
        tried = list(swaps(state.factor, rows, points, energy, information, exact=self.exact_ranking))
        state.value = energy.value(state.factor)
        state.rows += rows.evaluated
        state.select += time.perf_counter() - begin
        return tried

    def _continuous(self, problem: Problem, state: _State, energy: Energy, bounds) -> int:
        """A few optimiser steps over the hyperparameters and new factors; kept only if the objective did fall."""
        begin, schedule, d = time.perf_counter(), problem.schedule, len(state.gp.kernel.theta) + 1
        evaluations = schedule.evaluations if schedule.kind == "interleaved" else min(20, max(15, 2 * d))
        pivots, approximation = state.factor.pivots.copy(), OBJECTIVES[self.objective]
        Z = problem.X[pivots]
        rules = evaluations, self.optimiser, schedule.learner, bounds
        gp, found = adapt(approximation, state.gp, Z, problem.X, problem.y, *rules, JITTER)
        new = self._build(problem, gp, pivots, energy)
        if new.value < state.value:
            state.gp, state.factor, state.value = gp, new.factor, new.value
            state.jitters = _largest(state.jitters, new.jitters)
        state.rows += (found.evaluations + 1) * len(pivots)
        state.adapt += time.perf_counter() - begin
        return found.evaluations

    def _fitted(self, problem: Problem, state: _State, trace, kept) -> Fitted:
        approximation, pivots = OBJECTIVES[self.objective], state.factor.pivots.copy()

        def model_of(gp, pivots):
            return sparse.build(approximation, gp, problem.X[pivots], problem.X, problem.y, JITTER)

        def curve(X):
            for epoch, seconds, gp, pivots in kept:
                yield {"epoch": epoch, "seconds": seconds}, SparsePosterior.of(model_of(gp, pivots)).predict(X)

        model = model_of(state.gp, pivots)
        predict = SparsePosterior.of(model).predict
        return Fitted(
            predict=predict,
            gp=state.gp,
            n_basis=len(pivots),
            log_evidence=-state.value,
            pivots=pivots,
            seconds={"select": state.select, "adapt": state.adapt},
            kernel_rows=state.rows + len(pivots),
            trace=trace,
            curve=curve if kept else None,
            notes=jitter_notes(_largest(state.jitters, model.jitters)),
            facts=lambda: line_facts(problem, predict, problem.X[pivots]),
        )


def _largest(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    return {k: max(first.get(k, 0.0), second.get(k, 0.0)) for k in first.keys() | second.keys()}


def _row(epoch: int, value: float, tried: list[Swap], evaluations: int, seconds: float) -> dict:
    """One epoch of the trace; docs/inducing.md explains the keys."""
    row = {
        "epoch": epoch,
        "objective": value,
        "seconds": seconds,
        "evaluations": evaluations,
        "proposed": len(tried),
        "rejected": sum(not s.accepted for s in tried),
    }
    if not tried:
        return row
    rise = [(s.after - s.before) / abs(s.before) for s in tried]
    row |= {
        "worst_accepted": max((r for r, s in zip(rise, tried) if s.accepted), default=0.0),
        "worst_rejected": max((abs(r) for r, s in zip(rise, tried) if not s.accepted), default=0.0),
        "seconds_per_swap": float(np.median([s.seconds for s in tried])),
        "information_pivots": float(np.mean([s.pivots for s in tried])),
    }
    if ranked := [s for s in tried if s.rank_correlation is not None]:
        row["rank_correlation"] = float(np.median([s.rank_correlation for s in ranked]))
        row["rank_of_proposal"] = float(np.median([s.rank_of_proposal for s in ranked]))
    return row


def _candidates(tried: list[Swap]) -> dict[str, list[float]]:
    """[cao] Figure 1: estimated and exact decrease of every candidate of the first swap, where both were asked for."""
    ranked = next((s.decreases for s in tried if s.decreases is not None), None)
    return {} if ranked is None else dict(zip(("estimated_decrease", "exact_decrease"), (d.tolist() for d in ranked)))


def _grows_and_shrinks(swap: Swap, z: int) -> bool:
    """Was the number of information pivots doubled after a rejection, and one taken away after an acceptance?"""
    return swap.next_pivots == (max(1, swap.pivots - 1) if swap.accepted else min(z, 2 * swap.pivots))
