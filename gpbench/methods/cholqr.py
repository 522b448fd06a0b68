"""CholQR: inducing points swapped and hyperparameters learned in turns, both for one objective ([cao] Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from gpbench.gp.inference import sparse
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.learning.adapt import adapt
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.gp.learning.parameters import Layout
from gpbench.gp.linalg.cholesky import JITTER, jitter_notes
from gpbench.gp.linalg.cholqr import CholQR as Factor
from gpbench.gp.selection.swap import VARIANTS, Energy, Swap, follow, swaps
from gpbench.system import deadline

from .base import GP, Fitted, Method, Prediction, Predictor, Problem, Recorder
from .families.inducing import choose, known_start

OBJECTIVES = {"var": sparse.VFE, "mle": sparse.DTC}


@dataclass
class _State:
    gp: GP
    factor: Factor
    value: float  # F, falling
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
    probes = ("ranking", "shares", "pivot_rule", "inducing")
    heeds: ClassVar[dict] = {"joint": (), "interleaved": ("evaluations",)}  # an epoch has its own budget and optimiser

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
        if name in ("kmeans", "covering"):
            raise ValueError(
                f"inducing: {name} gives points that are no training rows; cholqr needs rows to start from"
            )
        return known_start(name)

    def fit(self, problem, rng):
        recorder, energy = problem.recorder(), Energy(self.objective == "var")
        with recorder.stopwatch() as watch:
            _, first, used = choose(self.inducing, problem, self.d_max, rng)
            recorder.evaluated(used)
            state = self._build(problem, problem.gp, first, energy, recorder)
            # one for all epochs: AA's number of pivots is carried over
            information = VARIANTS[self.variant](min(self.z, problem.n - len(first)), rng)
            for epoch in range(1, self.epochs + 1):
                before = state.value
                tried, laps = self._discrete(problem, state, energy, information, rng, recorder)
                evaluations = self._continuous(problem, state, energy, recorder)
                row = {"epoch": epoch, "objective": state.value, "seconds": watch.seconds, "evaluations": evaluations}
                recorder.row({**row, **_summary(tried, laps)}, gp=state.gp, swaps=tried, information=information)
                if self.snapshots:
                    at = {"epoch": epoch, "seconds": recorder.trace[-1]["seconds"]}
                    recorder.model(at, self._snapshot(problem, state))
                if before - state.value < self.tolerance * problem.n or deadline.passed():
                    break
        recorder.also({"epochs": epoch})
        recorder.show(start=problem.X[first], swaps=tried)
        return self._fitted(problem, state, recorder)

    def _build(self, problem: Problem, gp: GP, pivots, energy: Energy, recorder: Recorder) -> _State:
        kernel, X = gp.kernel, problem.X
        factor = Factor.build(kernel(X[pivots], X), pivots, kernel.diag(X), problem.y, gp.noise, JITTER)
        recorder.evaluated(len(pivots))
        return _State(gp, factor, energy.value(factor), factor.jitters)

    def _discrete(
        self, problem: Problem, state: _State, energy: Energy, information, rng, recorder: Recorder
    ) -> tuple[list[Swap], list[float]]:
        """The swaps that were tried, and the seconds of each."""
        with recorder.time("select"):
            rows = KernelRows(state.gp.kernel, problem.X)
            points = rng.permutation(state.factor.pivots)[: self.swaps]
            lookahead = follow(state.factor, rows, information)
            attempts = swaps(state.factor, rows, points, energy, information, lookahead, self.exact_ranking)
            timed = list(recorder.laps(attempts))
            state.value = energy.value(state.factor)
        recorder.evaluated(rows.evaluated)
        return [swap for swap, _ in timed], [seconds for _, seconds in timed]

    def _continuous(self, problem: Problem, state: _State, energy: Energy, recorder: Recorder) -> int:
        """A few optimiser steps over the hyperparameters and new factors; kept only if the objective did fall."""
        schedule, d = problem.schedule, len(state.gp.kernel.theta) + 1
        with recorder.time("adapt"):
            if schedule.kind == "fixed":
                return 0
            evaluations = schedule.evaluations if schedule.kind == "interleaved" else min(20, max(15, 2 * d))
            pivots, approximation = state.factor.pivots.copy(), OBJECTIVES[self.objective]
            bounds = Layout(problem.gp).bounds(schedule.learner)
            rules = OptimiserOptions(evaluations, self.optimiser, learner=schedule.learner), bounds, JITTER
            rows = problem.X[pivots], problem.X, problem.y
            gp, found = adapt(approximation, state.gp, *rows, *rules, recorder=recorder)
            new = self._build(problem, gp, pivots, energy, recorder)
            if new.value < state.value:
                state.gp, state.factor, state.value = gp, new.factor, new.value
                state.jitters = _largest(state.jitters, new.jitters)
        recorder.evaluated(found.evaluations * len(pivots))
        return found.evaluations

    def _snapshot(self, problem: Problem, state: _State) -> Snapshot:
        pivots = state.factor.pivots.copy()
        return Snapshot(OBJECTIVES[self.objective], state.gp, problem.X[pivots], problem.X, problem.y)

    def _fitted(self, problem: Problem, state: _State, recorder: Recorder) -> Fitted:
        model, pivots = self._snapshot(problem, state).model(), state.factor.pivots.copy()
        recorder.evaluated(len(pivots))
        recorder.note(*jitter_notes(_largest(state.jitters, model.jitters)))
        return Fitted(
            predict=SparsePosterior.of(model),
            gp=state.gp,
            n_basis=len(pivots),
            log_evidence=-state.value,
            pivots=pivots,
            **recorder.told(),
        )


@dataclass(frozen=True)
class Snapshot(Predictor):
    """The model of an epoch, built when it is asked: O(m) is kept of it besides the rows that all share."""

    approximation: sparse.Approximation
    gp: GP
    Z: np.ndarray
    X: np.ndarray
    y: np.ndarray

    def model(self) -> sparse.SparseModel:
        return sparse.build(self.approximation, self.gp, self.Z, self.X, self.y, JITTER)

    def predict(self, Xs) -> Prediction:
        return SparsePosterior.of(self.model()).predict(Xs)


def _largest(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    return {k: max(first.get(k, 0.0), second.get(k, 0.0)) for k in first.keys() | second.keys()}


def _summary(tried: list[Swap], seconds: list[float]) -> dict[str, float]:
    """The swaps of an epoch in its row of the trace; docs/explanations/inducing.md explains the keys."""
    row = {"proposed": len(tried), "rejected": sum(not s.accepted for s in tried)}
    if tried:
        row["seconds_per_swap"] = float(np.median(seconds))
        row["information_pivots"] = float(np.mean([s.pivots for s in tried]))
    return row
