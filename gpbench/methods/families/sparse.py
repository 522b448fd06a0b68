"""What plv, fitc, vfe and random share: inducing inputs, learning, the model and its predictions."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from gpbench.gp import objectives
from gpbench.gp.inference import sparse
from gpbench.gp.learning import sizes
from gpbench.gp.learning.optimise import best_of
from gpbench.gp.learning.parameters import Layout, input_units
from gpbench.gp.linalg.cholesky import jitter_notes
from gpbench.methods.base import AT_ONCE, GP, Fitted, Method, Problem, Recorder
from gpbench.versions import Added

from .inducing import choose, known_start
from .stopping import FEWEST, HELD_OUT, Enough
from .walks import walk_of


class SparseMethod(Method):
    """A sparse Gaussian with d_max inducing inputs; an evaluation of objective and gradient is O(n d_max^2)."""

    large: ClassVar[bool] = True
    learners: ClassVar[int] = 5
    probes: ClassVar[tuple[str, ...]] = ("inducing", "prior")
    approximation: ClassVar[sparse.Approximation]
    heeds: ClassVar[dict] = AT_ONCE

    d_max: int = Field(200, ge=1, description="number of inducing inputs")
    inducing: str = Field("random", description="random, kmeans, covering, left, uniform, or a selection method's name")
    optimise_inputs: bool = Field(False, description="learn the inducing inputs (pseudo-inputs), with or without theta")
    objective: objectives.Name = Field("evidence", description="what is maximised over hyperparameters and inputs")
    optimiser: Literal["lbfgs", "cg"] | None = Field(None, description="overrides the schedule's")
    restarts: int | None = Field(None, ge=1, description="overrides the schedule's; each draws new inducing inputs")
    bounds: float = Field(12.0, gt=0, description="log hyperparameters stay within so many nats of their start")
    nugget: float = Field(0.0, ge=0, description="added to K_I for the latent variance only ([keerthi])")
    stop: Annotated[Literal["d_max", "auto"] | Enough, Added] = Field(
        "d_max",
        description="always d_max, or the smallest size that is enough: {trace: S}, {gap: G}, {held_out: S}; "
        "auto: a tenth held out, sizes compared row by row",
    )

    @field_validator("inducing")
    @classmethod
    def _known(cls, name):
        return name if name is None else known_start(name)

    def fit(self, problem, rng):
        if self.optimise_inputs:
            problem = problem.with_input_gradient(self.name)
        free_gp, recorder = problem.schedule.kind != "fixed", problem.recorder()
        with recorder.time("select"):
            size, seen = self._size(problem, rng)
            Z, pivots, rows = choose(self._start(problem), problem, size, rng)
        recorder.rows(seen)
        recorder.evaluated(rows)
        gp, start = problem.gp, Z
        with recorder.time("adapt"):
            if free_gp or self.optimise_inputs:
                (gp, Z, start), pivots = self._learn(problem, Z, pivots, rng, recorder)
        if self.optimise_inputs:
            recorder.show(start=start)
        walk = walk_of(self.approximation, problem, self.objective)
        model = walk.model(gp, Z)
        recorder.evaluated(len(Z))
        recorder.note(*jitter_notes(model.jitters))

        return Fitted(
            predict=walk.posterior(model, gp, self.nugget),
            gp=gp,
            n_basis=len(Z),
            log_evidence=walk.evaluate(model, gradient=False).F,
            pivots=pivots,
            inducing=Z if pivots is None else None,
            **recorder.told(),
        )

    def _most(self, problem: Problem) -> int:
        return self.d_max

    def _start(self, problem: Problem) -> str:
        return self.inducing

    def _size(self, problem: Problem, rng) -> tuple[int, list[dict]]:
        """d_max, or the size that the size rule chooses up to it, on the rows in their shared order."""
        if self.stop == "d_max" or problem.n < FEWEST:
            return self._most(problem), []
        problem = problem.few()
        streams = iter(rng.spawn(64))  # the final choice draws what it would have drawn without a rule
        largest = min(self._most(problem), problem.n)
        X, y = problem.X[problem.order], problem.y[problem.order]
        noise = None if problem.rows is None else problem.rows[problem.order]

        def start(m):
            return choose(self._start(problem), problem, m, next(streams))[0]

        look = sizes.ladder(largest), start, problem.gp, X, y
        if self.stop == "auto":
            return sizes.enough_held_out(HELD_OUT, *look, paired=True, noise=noise)
        ((rule, threshold),) = self.stop.rule().items()
        return sizes.enough(rule, threshold, *look, noise=noise)

    def _learn(self, problem: Problem, Z, pivots, rng, recorder: Recorder) -> tuple[tuple, np.ndarray | None]:
        """The best of all starts: (hyperparameters, Z, its first Z), and the rows if Z are still rows."""
        schedule, objective = problem.schedule, objectives.find(self.objective)
        starts, searches = self._starts(problem, Z, pivots, rng, recorder), []
        walk = walk_of(self.approximation, problem, self.objective)

        def search(start):
            Z, pivots, gp = start
            optimiser, learner = self.optimiser or schedule.optimiser, schedule.learner
            free = learner.version if self.optimise_inputs and optimiser == "lbfgs" else 1
            units = input_units(gp, Z) if free >= 4 else 1.0
            layout = Layout(gp, Z, schedule.kind != "fixed", self.optimise_inputs, units=units)

            def evaluate(x):
                at, Z = layout.unpack(x)
                found = walk.evaluate(walk.model(at, Z), objective, inputs=self.optimise_inputs)
                return found.F, layout.gradient(found.dtheta, at.noise * found.dnoise, found.dZ)

            if problem.journal is not None:
                evaluate = problem.journal(evaluate)

            rules = schedule.evaluations, optimiser, layout.bounds(learner, self.bounds)
            diagonal = layout.steps() if free >= 5 else None
            found = learner.maximise(evaluate, layout.pack(), *rules, recorder=recorder, diagonal=diagonal)
            searches.append((found, (*layout.unpack(found.x), Z), None if self.optimise_inputs else pivots))
            return found

        best = best_of(starts, search)
        at, pivots = next((at, pivots) for found, at, pivots in searches if found.x is best.x)
        recorder.rows(best.trace)
        recorder.evaluated(best.spent * len(at[1]))
        return at, pivots

    def _starts(self, problem: Problem, Z, pivots, rng, recorder: Recorder) -> list[tuple]:
        """(Z, its rows or None, hyperparameters) to start from: the first as given, the others drawn."""
        kernel, free_gp, starts = problem.gp.kernel, problem.schedule.kind != "fixed", [(Z, pivots, problem.gp)]
        for _ in range((self.restarts or problem.schedule.restarts) - 1):
            new_Z, new_pivots, rows = choose(self._start(problem), problem, self._most(problem), rng, again=True)
            recorder.evaluated(rows)
            moved = GP(kernel.with_theta(kernel.theta + rng.normal(size=len(kernel.theta))), problem.gp.noise)
            starts.append((new_Z, new_pivots, moved if free_gp else problem.gp))
        return starts


class SizedByRows(SparseMethod):
    """Number and start of inducing inputs depend on the rows unless the config gives them."""

    row_noise: ClassVar[bool] = True

    d_max: int | None = Field(
        None, ge=1, description="number of inducing inputs; null: 12 sqrt(n), from 500 (or all rows) to 2000"
    )
    inducing: str | None = Field(
        None,
        description="random, kmeans, covering, left, uniform, or a selection method's name; null: covering, random "
        "for inputs that are no vectors",
    )

    @classmethod
    def raised_for(cls, params):
        learns = params["schedule"] != "fixed" or params.get("optimise_inputs")
        # solves by blocks move last bits, and an optimisation enlarges them; null was k-means alone
        return bool(learns) + (params.get("inducing") is None)

    def _most(self, problem):
        return self.d_max or sizes.usual_size(problem.n)

    def _start(self, problem):
        return self.inducing or ("covering" if problem.X.ndim == 2 else "random")
