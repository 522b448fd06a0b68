"""What all greedy selection methods share: parameters, the path at given hyperparameters, learning in turns.

A method file names its criterion and what it takes besides.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from gpbench import catalog
from gpbench.gp import objectives
from gpbench.gp.inference import sparse
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.learning.adapt import adapt
from gpbench.gp.learning.interleave import Rule, measure_settled
from gpbench.gp.learning.optimise import Optimum
from gpbench.gp.learning.parameters import Layout
from gpbench.gp.linalg.cholesky import JITTER, jitter_notes
from gpbench.gp.linalg.triangular import solve_lower
from gpbench.gp.selection.criterion import Criterion
from gpbench.gp.selection.greedy import Path
from gpbench.gp.selection.pools import FRESH, Everything, WithoutRows, WorkingSet
from gpbench.gp.selection.state import GreedyState
from gpbench.methods.base import GP, Fitted, Method, Problem, Recorder
from gpbench.methods.stop_rules.base import NamedRule, StopRule

from .stopping import PATIENT, READINGS, Stop, size_of
from .turns import FitInTurns, Turns


class GreedyMethod(Method):
    """Forward selection of basis vectors from the training rows, then the sparse model on them.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import Criterion, GreedyMethod, Problem
    >>> class WorstRow(GreedyMethod):
    ...     name = "worst-row"
    ...     criterion = Criterion(
    ...         "worst-row", lambda state, at: (state.y - state.mean)[at.index] ** 2,
    ...         lambda state: -state.log_evidence(), exact=False,
    ...     )
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> WorstRow(d_max=4).fit(Problem.of(X, X[:, 0] ** 2), np.random.default_rng(0)).n_basis
    4
    """

    nested = True
    heeds: ClassVar[dict] = {
        "joint": ("evaluations", "optimiser"),
        "interleaved": ("rounds", "evaluations", "optimiser"),
    }
    chooses_rows: ClassVar[bool] = True  # may serve as `inducing` of other methods
    criterion: ClassVar[Criterion]

    d_max: int = Field(200, ge=1, description="largest number of basis vectors")
    stop: Stop = Field(
        "d_max",
        description="d_max, {patience: N, evaluate: E}, {rule: NAME, ...}, or auto: {patience: 15, evaluate: minimum}",
    )
    approximation: Literal["dtc", "fitc"] = Field("dtc", description="of the model that is scored and that predicts")
    objective: objectives.Name | Literal["free-energy"] = Field(
        "evidence", description="of the hyperparameters, when they are learned in turns with the selection"
    )
    nugget: float = Field(
        0.01, ge=0, description="added to K_I for the latent variance only, scaled targets ([keerthi])"
    )

    @property
    def stop_rule(self) -> StopRule | None:
        if isinstance(self.stop, str):
            return {"d_max": None, "auto": PATIENT}[self.stop]
        return self.stop.found() if isinstance(self.stop, NamedRule) else self.stop

    @classmethod
    def parts_of(cls, params):
        stop = params.get("stop")
        return [catalog.find("stop-rule", stop["rule"])] if isinstance(stop, dict) and "rule" in stop else []

    def turns(self) -> Turns:
        """How learning in turns with the selection ends, and what it leaves in the trace."""
        return Turns()

    def pool(self, rows: KernelRows, rng, previous):
        """Candidates for a path; `previous` is the basis before the last adaptation."""
        return WithoutRows()

    def fit(self, problem, rng):
        return next(self.path(problem, rng, [self.d_max]))

    def extends(self, problem):
        return problem.schedule.kind == "fixed" and self.stop_rule is None and self.approximation == "dtc"

    def path(self, problem, rng, sizes) -> Iterator[Fitted]:
        """One path for all sizes where it is nested; else every size alone, each from the same random stream."""
        if self.extends(problem):
            yield from self._along(problem, rng, sizes)
        else:
            for size in sizes:
                yield self.model_copy(update={"d_max": size})._alone(problem, copy.deepcopy(rng))

    def _along(self, problem: Problem, rng, sizes) -> Iterator[Fitted]:
        recorder = _recorder(problem)
        with recorder.time("select"):
            path = self.begin(problem, problem.gp, rng, max(sizes), None, recorder, {})
        for size in sizes:
            with recorder.time("select"):
                path.grow(size)
            yield self._fitted(problem, problem.gp, path, recorder)

    def _alone(self, problem: Problem, rng) -> Fitted:
        recorder = _recorder(problem)
        gp, path = FitInTurns(self, problem, rng, recorder).run()
        fitted = self._fitted(problem, gp, path, recorder)
        return self._past_the_stop(problem, path, fitted, recorder) if problem.whole_path else fitted

    def goes_past_its_stop(self, schedule: str) -> bool:
        """Whether `run --whole-paths` has something to add to a fit of this method."""
        return self.stop_rule is not None and schedule == "fixed" and self.approximation == "dtc"

    def _past_the_stop(self, problem: Problem, path: Path, fitted: Fitted, recorder: Recorder) -> Fitted:
        """The same model; its trace goes on to d_max, with a model at each size that a reading of the stop keeps."""
        if not self.goes_past_its_stop(problem.schedule.kind):
            return fitted
        path.grow(self.d_max)
        for size in sorted({size_of(rule, path.measures) for rule in READINGS}):
            recorder.model({"size": size}, self.posterior(problem, fitted.gp, path, size))
        told = recorder.told()
        return replace(fitted, trace=told["trace"], models=told["models"])

    def begin(self, problem: Problem, gp: GP, rng, size: int, previous, recorder: Recorder, also) -> Path:
        """An empty path up to `size`; `previous` is the basis before the last adaptation, `also` as in `Path`."""
        kdiag = gp.kernel.diag(problem.X)
        state = GreedyState(kdiag, problem.y, gp.noise, size, self.approximation, self.criterion.name == "ivm")
        rows = KernelRows(gp.kernel, problem.X, getattr(self, "store", 0))
        return Path(state, self.criterion, self.pool(rows, rng, previous), rows, recorder, also)

    def _size(self, path: Path) -> int:
        at_minimum = self.stop_rule is not None and self.stop_rule.evaluate == "minimum"
        return path.minimum() if at_minimum else path.state.size

    def kept(self, path: Path) -> np.ndarray:
        """Training rows of the basis that the stop rule keeps."""
        return path.state.pivots[: self._size(path)].copy()

    def adapt(self, problem: Problem, gp: GP, Z, recorder: Recorder) -> tuple[GP, Optimum]:
        """A short optimisation of the objective over kernel and noise, basis fixed."""
        schedule, approximation, name = problem.schedule, sparse.APPROXIMATIONS[self.approximation], self.objective
        if name == "free-energy":  # the evidence, with the penalty that VFE adds to it
            approximation, name = sparse.VFE, "evidence"
        # version 1 let every round go 12 nats from where it began
        bounds = Layout(gp if schedule.learner.version == 1 else problem.gp).bounds(schedule.learner)
        rows = problem.X, problem.y
        return adapt(approximation, gp, Z, *rows, schedule.options, bounds, JITTER, objectives.find(name), recorder)

    def posterior(self, problem: Problem, gp: GP, path: Path, size: int | None = None) -> SparsePosterior:
        """The model of the basis that is kept, or of its first vectors, from the factors that the path leaves."""
        state, size = path.state, size or self._size(path)
        part = np.s_[:size, :size]
        L, LB = np.asfortranarray(state.chol.U[part].T), np.asfortranarray(state.LB[part])
        weights = solve_lower(L, solve_lower(LB, state.w[:size], trans=True), trans=True)
        return SparsePosterior(gp, problem.X[state.pivots[:size]], L, LB, weights, self.nugget, problem.latent)

    def _fitted(self, problem: Problem, gp: GP, path: Path, recorder: Recorder) -> Fitted:
        state, size = path.state, self._size(path)
        if size < state.size and self.approximation == "fitc":
            state.shorten(size)  # Lambda belongs to the whole basis
        notes = jitter_notes({"B": state.jitter})
        if lost := state.dependent():
            notes += (f"{lost} training rows depend numerically on the basis and were not considered",)
        return Fitted(
            predict=self.posterior(problem, gp, path),
            gp=gp,
            n_basis=size,
            log_evidence=state.log_evidence(size),
            pivots=state.pivots[:size].copy(),
            **recorder.told(*notes),
        )


def _recorder(problem: Problem) -> Recorder:
    """Tells both parts, also where nothing was learned."""
    recorder = problem.recorder()
    for part in ("select", "adapt"):
        recorder.time(part)
    return recorder


class EpochMethod(GreedyMethod):
    """[cao]'s greedy competitors of cholqr, followed epoch by epoch like it."""

    probes: ClassVar[tuple[str, ...]] = ("shares",)
    snapshots: bool = Field(False, description="trace each round of learning and score its model on the test part")
    tolerance: float = Field(1e-3, ge=0, description="of the stop rule of learning in turns, a share")
    rule: ClassVar[Rule] = staticmethod(measure_settled)

    def turns(self):
        return Turns(self.tolerance, self.rule, self.snapshots)


class WorkingSetMethod(GreedyMethod):
    """Greedy methods that need the kernel rows of their candidates.

    Examples
    --------
    >>> from gpbench.extend import WorkingSetMethod
    >>> from gpbench.methods.nlml import Nlml
    >>> issubclass(Nlml, WorkingSetMethod), Nlml(working_set=20).working_set
    (True, 20)
    """

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
