"""What all greedy selection methods share: parameters, the path at given hyperparameters, learning in turns.

A method file names its criterion and what it takes besides.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from gpbench import objectives
from gpbench.inference import sparse
from gpbench.inference.sparse_predict import SparsePosterior
from gpbench.kernels.rows import KernelRows
from gpbench.learning.adapt import adapt
from gpbench.learning.interleave import Round, Rule, interleave, measure_settled
from gpbench.learning.optimise import Optimum
from gpbench.learning.parameters import Layout
from gpbench.linalg.cholesky import JITTER, jitter_notes
from gpbench.linalg.triangular import solve_lower
from gpbench.methods.base import GP, Fitted, Method, Problem
from gpbench.methods.probes.shares import redundant_shares
from gpbench.selection.criterion import Criterion
from gpbench.selection.greedy import Path
from gpbench.selection.pools import FRESH, Everything, WithoutRows, WorkingSet
from gpbench.selection.state import GreedyState


class Patience(BaseModel):
    """Stop after so many inclusions without a new minimum of the measure."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    patience: int = Field(15, ge=1, description="inclusions without a new minimum of the measure")
    evaluate: Literal["termination", "minimum"] = Field("termination", description="the model that is kept and counted")


AUTO = Patience(evaluate="minimum")  # what `stop: auto` means here


@dataclass
class Spent:
    """Seconds and kernel rows over all rounds of a fit."""

    select: float = 0.0
    adapt: float = 0.0
    rows: int = 0


@dataclass(frozen=True)
class Turns:
    tolerance: float = 1e-3
    rule: Rule = measure_settled
    by_epoch: bool = False  # the trace has a row per round, with the objective climbed, not one per basis vector


class GreedyMethod(Method):
    """Forward selection of basis vectors from the training rows, then the sparse model on them."""

    nested = True
    heeds: ClassVar = {"joint": ("evaluations", "optimiser"), "interleaved": ("rounds", "evaluations", "optimiser")}
    chooses_rows: ClassVar[bool] = True  # may serve as `inducing` of other methods
    criterion: ClassVar[Criterion]

    d_max: int = Field(200, ge=1, description="largest number of basis vectors")
    stop: Literal["d_max", "auto"] | Patience = Field(
        "d_max",
        description="d_max, {patience: N, evaluate: E}, or auto: {patience: 15, evaluate: minimum}",
    )
    approximation: Literal["dtc", "fitc"] = Field("dtc", description="of the model that is scored and that predicts")
    objective: objectives.Name | Literal["free-energy"] = Field(
        "evidence", description="of the hyperparameters, when they are learned in turns with the selection"
    )
    nugget: float = Field(
        0.01, ge=0, description="added to K_I for the latent variance only, scaled targets ([keerthi])"
    )

    @property
    def _rule(self) -> Patience | None:
        return {"d_max": None, "auto": AUTO}[self.stop] if isinstance(self.stop, str) else self.stop

    def turns(self) -> Turns:
        """How learning in turns with the selection ends, and what it leaves in the trace."""
        return Turns()

    def pool(self, rows: KernelRows, rng, previous):
        """Candidates for a path; `previous` is the basis before the last adaptation."""
        return WithoutRows()

    def fit(self, problem, rng):
        return next(self.path(problem, rng, [self.d_max]))

    def path(self, problem, rng, sizes) -> Iterator[Fitted]:
        """One path for all sizes where it is nested; else every size alone, each from the same random stream."""
        if problem.schedule.kind == "fixed" and self._rule is None and self.approximation == "dtc":
            yield from self._along(problem, rng, sizes)
        else:
            for size in sizes:
                yield self.model_copy(update={"d_max": size})._alone(problem, copy.deepcopy(rng))

    def _along(self, problem: Problem, rng, sizes) -> Iterator[Fitted]:
        path = self._begin(problem, problem.gp, rng, max(sizes))
        for size in sizes:
            path.grow(size)
            spent = Spent(path.seconds[-1] if path.seconds else 0.0, 0.0, path.rows.evaluated)
            yield self._fitted(problem, problem.gp, path, path.trace(), spent)

    def _alone(self, problem: Problem, rng) -> Fitted:
        """One size, with the stop rule and the schedule that are asked for."""
        spent, trace, round_, kept = Spent(), [], count(), []
        history, values = [], [np.inf]
        patience = None if self._rule is None else self._rule.patience
        rounds = {"fixed": 0, "joint": 1, "interleaved": problem.schedule.rounds}[problem.schedule.kind]
        turns = self.turns()
        by_epoch = rounds and turns.by_epoch

        def select(gp, previous):
            begin = time.perf_counter()
            path = self._begin(problem, gp, rng, self.d_max, None if previous is None else self._kept(previous))
            path.grow(self.d_max, patience)
            if not by_epoch:
                trace.extend(path.trace(**({"round": next(round_)} if rounds else {})))
            spent.select += time.perf_counter() - begin
            spent.rows += path.rows.evaluated
            if by_epoch and trace:  # the model of an epoch has a basis chosen at its hyperparameters
                trace[-1]["seconds"] = spent.select + spent.adapt
                kept.append(({"epoch": len(trace)}, self._posterior(problem, gp, path)))
            return path

        def learn(gp, path):
            begin, Z = time.perf_counter(), problem.X[self._kept(path)]
            learned, found = self._adapt(problem, gp, Z)
            spent.adapt += time.perf_counter() - begin
            spent.rows += found.evaluations * len(Z)
            values.append(found.value)
            if by_epoch:  # as cholqr's: F falls where it is better
                row = {"epoch": len(trace) + 1, "objective": -found.value, "evaluations": found.evaluations}
                trace.append(row | redundant_shares(learned.kernel))
            return learned

        def ended(gp, path):
            history.append(Round(self._kept(path), Layout(gp).pack(), min(path.measures), values[-1]))
            return len(history) > 1 and turns.rule(history, turns.tolerance)

        def worse(before, after):
            old, new, share = min(before.measures), min(after.measures), problem.schedule.guard
            return share is not None and new - old > share * abs(old)

        gp, path, epochs = interleave(problem.gp, select, learn, ended, rounds, worse)
        if by_epoch:
            trace[-1]["epochs"] = epochs
        return replace(self._fitted(problem, gp, path, trace, spent), curve=_curve(kept))

    def _posterior(self, problem: Problem, gp: GP, path: Path) -> SparsePosterior:
        return _posterior(path.state, gp, problem, self._size(path), self.nugget)

    def _begin(self, problem: Problem, gp: GP, rng, size: int, previous=None) -> Path:
        kdiag = gp.kernel.diag(problem.X)
        state = GreedyState(kdiag, problem.y, gp.noise, size, self.approximation, self.criterion.name == "ivm")
        rows = KernelRows(gp.kernel, problem.X, getattr(self, "store", 0))
        return Path(state, self.criterion, self.pool(rows, rng, previous), rows)

    def _size(self, path: Path) -> int:
        at_minimum = self._rule is not None and self._rule.evaluate == "minimum"
        return path.minimum() if at_minimum else path.state.size

    def _kept(self, path: Path) -> np.ndarray:
        return path.state.pivots[: self._size(path)].copy()

    def _adapt(self, problem: Problem, gp: GP, Z) -> tuple[GP, Optimum]:
        """A short climb of the objective over kernel and noise, basis fixed."""
        schedule, approximation, measure = problem.schedule, sparse.APPROXIMATIONS[self.approximation], self.objective
        if measure == "free-energy":  # the evidence, with the penalty that VFE adds to it
            approximation, measure = sparse.VFE, "evidence"
        # version 1 let every round go 12 nats from where it began
        bounds = Layout(gp if schedule.learner.version == 1 else problem.gp).bounds(schedule.learner)
        rules = schedule.evaluations, schedule.optimiser, schedule.learner, bounds
        return adapt(approximation, gp, Z, problem.X, problem.y, *rules, JITTER, objectives.find(measure))

    def _fitted(self, problem: Problem, gp: GP, path: Path, trace, spent: Spent) -> Fitted:
        state, size = path.state, self._size(path)
        if size < state.size and self.approximation == "fitc":
            state.shorten(size)  # Lambda belongs to the whole basis
        notes = jitter_notes({"B": state.jitter})
        if lost := state.dependent():
            notes += (f"{lost} training rows depend numerically on the basis and were not considered",)
        return Fitted(
            predict=_posterior(state, gp, problem, size, self.nugget).predict,
            gp=gp,
            n_basis=size,
            log_evidence=state.log_evidence(size),
            pivots=state.pivots[:size].copy(),
            seconds={"select": spent.select, "adapt": spent.adapt},
            kernel_rows=spent.rows,
            trace=trace,
            notes=notes,
        )


def _curve(kept):
    """Predictions of the kept models, as `Fitted.curve` gives them."""
    if not kept:
        return None
    return lambda X: ((at, model.predict(X)) for at, model in kept)


class EpochMethod(GreedyMethod):
    """[cao]'s greedy competitors of cholqr, followed epoch by epoch like it."""

    snapshots: bool = Field(False, description="trace each round of learning and score its model on the test part")
    tolerance: float = Field(1e-3, ge=0, description="of the stop rule of learning in turns, a share")
    rule: ClassVar[Rule] = staticmethod(measure_settled)

    def turns(self):
        return Turns(self.tolerance, self.rule, self.snapshots)


class WorkingSetMethod(GreedyMethod):
    """Greedy methods that need the kernel rows of their candidates."""

    first_fill: ClassVar[bool] = False  # [keerthi]: the first step looks at as many rows as the cache holds

    working_set: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        FRESH, description="fresh random candidates per step, or all of them"
    )
    cache: int = Field(0, ge=0, description="best losers kept for the next step")
    store: int = Field(0, ge=0, description="kernel rows of discarded candidates kept in case they are drawn again")

    def retained(self) -> int:
        return self.cache

    def pool(self, rows, rng, previous):
        needs = self.criterion.needed(self.approximation)
        if self.working_set == "all":
            return Everything(rows, needs)
        first = 0
        if self.first_fill:
            first = self.working_set + self.retained() if previous is None else previous
        return WorkingSet(rows, needs, rng, self.working_set, self.retained(), first)


def _posterior(state: GreedyState, gp: GP, problem: Problem, size: int, nugget: float) -> SparsePosterior:
    """The model of the first `size` basis vectors, from the factors that the path leaves behind."""
    part = np.s_[:size, :size]
    L, LB = np.asfortranarray(state.L[part]), np.asfortranarray(state.LB[part])
    weights = solve_lower(L, solve_lower(LB, state.w[:size], trans=True), trans=True)
    return SparsePosterior(gp, problem.X[state.pivots[:size]], L, LB, weights, nugget, problem.latent)
