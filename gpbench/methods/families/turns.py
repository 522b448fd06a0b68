"""A greedy fit in which selection and learning alternate: the functions that `interleave` calls, and the trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gpbench.gp.learning.interleave import Round, Rule, interleave, measure_settled
from gpbench.gp.learning.parameters import Layout
from gpbench.gp.selection.greedy import Path
from gpbench.methods.base import GP, Problem, Recorder

if TYPE_CHECKING:
    from .greedy import GreedyMethod


@dataclass(frozen=True)
class Turns:
    tolerance: float = 1e-3
    rule: Rule = measure_settled
    by_epoch: bool = False  # the trace has a row per round, with the objective reached, not one per basis vector


@dataclass
class FitInTurns:
    """One size, with the stop rule and the schedule that are asked for; a fixed schedule has no turn but the first."""

    method: GreedyMethod
    problem: Problem
    rng: np.random.Generator
    recorder: Recorder
    history: list[Round] = field(default_factory=list)
    reached: float = np.inf  # to this value of the objective by the last learning

    @property
    def rounds(self) -> int:
        return {"fixed": 0, "joint": 1, "interleaved": self.problem.schedule.rounds}[self.problem.schedule.kind]

    @property
    def by_epoch(self) -> bool:
        return bool(self.rounds) and self.method.turns().by_epoch

    def run(self) -> tuple[GP, Path]:
        """Hyperparameters and the path that was selected at them."""
        start = self.problem.gp
        gp, path, epochs = interleave(start, self.select, self.learn, self.ended, self.rounds, self.worse)
        if self.by_epoch:
            self.recorder.also({"epochs": epochs})
        return gp, path

    def select(self, gp: GP, before: Path | None) -> Path:
        method, recorder = self.method, self.recorder
        also = None if self.by_epoch else {"round": len(self.history)} if self.rounds else {}
        with recorder.time("select"):
            basis = None if before is None else method.kept(before)
            path = method.begin(self.problem, gp, self.rng, method.d_max, basis, recorder, also)
            path.grow(method.d_max, None if method.stop_rule is None else method.stop_rule.stops)
        if self.by_epoch and before is not None:  # the model of an epoch has a basis chosen at its hyperparameters
            recorder.also({"seconds": sum(recorder.seconds.values())})
            recorder.model({"epoch": len(self.history)}, method.posterior(self.problem, gp, path))
        return path

    def learn(self, gp: GP, path: Path) -> GP:
        with self.recorder.time("adapt"):
            Z = self.problem.X[self.method.kept(path)]
            learned, found = self.method.adapt(self.problem, gp, Z, self.recorder)
        self.recorder.evaluated(found.evaluations * len(Z))
        self.reached = found.value
        if self.by_epoch:  # as cholqr's: F falls where it is better
            row = {"epoch": len(self.history), "objective": -found.value, "evaluations": found.evaluations}
            self.recorder.row(row, gp=learned)
        return learned

    def ended(self, gp: GP, path: Path) -> bool:
        turns = self.method.turns()
        self.history.append(Round(self.method.kept(path), Layout(gp).pack(), min(path.measures), self.reached))
        return len(self.history) > 1 and turns.rule(self.history, turns.tolerance)

    def worse(self, before: Path, after: Path) -> bool:
        old, new, share = min(before.measures), min(after.measures), self.problem.schedule.guard
        return share is not None and new - old > share * abs(old)
