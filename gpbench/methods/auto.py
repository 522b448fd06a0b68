"""The method for a user who names none. What it takes depends on the rows alone (docs/how-to/choosing.md).

Regression: the exact GP up to EXACT rows, beyond them the one of `fitc`, `vecchia` and `vif` with the highest density
of rows held out. A model that predicts rows left out worse than a constant does is not returned: the next one is, at
last the constant. Two classes: EP with the kernel by evidence, or Dirichlet regression where rows left out speak for
it. Other likelihoods: EP. Both on inducing inputs beyond DENSE rows.

A limit of time or memory, which `fit` and `advise` set and the runner does not, lowers the choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.learning.sizes import usual_size
from gpbench.system import deadline, memory
from gpbench.text import counted
from gpbench.versions import Added

from .base import ANY, AT_ONCE, Fitted, Method, Problem
from .dirichlet import Dirichlet
from .ep import EP
from .ep_fic import EPFic
from .families import ep_or_dirichlet, left_out
from .families.kernel_of_classes import by_evidence
from .families.left_out import Tried, named
from .fitc import Fitc
from .full_gp import FullGP
from .vecchia import Vecchia
from .vif import Vif

EXACT = 16_000  # rows; beyond, one factorisation takes minutes
MATRICES = 3  # n x n arrays that the exact GP holds at once
COMPARED = 4  # fits beyond EXACT rows: three without the rows held out, and the best on all
PROBE = 1000  # rows whose exact GP tells what more would cost
DENSE = 1500  # rows up to which EP with the full matrix takes seconds ...
DENSE_LIKELIHOOD, FIC_LIKELIHOOD = 500, 300  # ... and the same, and a size, for likelihoods whose EP takes more sweeps
FIC = 100
CLASSES_SIZE = 500  # inducing inputs of each of many classes


def usual_learning(task: str, likelihood: str | None = None) -> dict[str, Any]:
    """`hyperparameters` of a config that says nothing of them."""
    if task == "classification":  # no full GP exists for classes
        return {"schedule": "joint", "evaluations": 50, "prior": "half-t"}
    if likelihood is not None:
        return {"schedule": "joint", "evaluations": 60}
    return {"schedule": "fixed", "from": "full-gp"}


class Auto(Method):
    """Chosen by the rows: exact up to 16,000 of them, then by the density of held-out rows; EP for classes."""

    name = "auto"
    title = "The recommended method"
    use = "Chooses kernel and method by your rows; take it where you have no reason to take another one."
    task = ANY
    usual_kernel = "auto"
    many_classes = True
    row_noise = True
    heeds = AT_ONCE
    stands_on = (Dirichlet, EP, EPFic, Fitc, FullGP, Vecchia, Vif)

    d_max: int | None = Field(
        None, ge=1, description="number of inducing inputs, if it is to have some; null: as the chosen method does"
    )
    likelihood: Annotated[str | None, Added] = Field(
        None, description="null: normal noise, or two classes; poisson, negative-binomial, student-t"
    )

    @classmethod
    def task_of(cls, params):
        return ANY if params.get("likelihood") is None else EP.task_of(params)

    @classmethod
    def parts_of(cls, params):
        return [] if params.get("likelihood") is None else EP.parts_of(params)

    @classmethod
    def operations(cls, n, m, evaluations):
        return n**3 if n <= EXACT else COMPARED * Fitc.operations(n, usual_size(n), 0)

    def fit(self, problem, rng):
        if problem.classes > 2:
            return self._many_classes(problem, rng)
        if problem.task == "classification" or self.likelihood is not None:
            return self._by_ep(problem, rng)
        if problem.large:
            return named(Fitc(d_max=self.d_max).fit(problem, rng), Fitc.name, "rows are not held in memory at once")
        limit = left_out.of_constant(problem)
        for tried in self._tried(problem, rng):
            if limit is None or tried.left_out is None or not tried.left_out.worse_than(limit):
                return tried.calibrated()
        return left_out.constant(problem, "every model predicts rows left out worse, or cannot be fitted")

    # -- classes and other likelihoods ------------------------------------------------------------------------------

    def _by_ep(self, problem: Problem, rng) -> Fitted:
        given = {} if self.likelihood is None else {"likelihood": self.likelihood}
        dense, most = (DENSE, FIC) if self.likelihood is None else (DENSE_LIKELIHOOD, FIC_LIKELIHOOD)
        if problem.n <= dense and self.d_max is None and memory.holds(problem.n, MATRICES):
            why = f"{counted(problem.n, 'row')}, up to {dense}"
            if self.likelihood is None:
                return ep_or_dirichlet.chosen(problem, rng, why)
            return named(EP(**given).fit(problem, rng), EP.name, why)
        size = min(problem.n, self.d_max or most)
        method = EPFic(d_max=size, inducing="kmeans", optimise_inputs=False, **given)
        fitted = by_evidence(method, problem, rng) if self.likelihood is None else method.fit(problem, rng)
        return named(fitted, EPFic.name, f"{problem.n} rows, {size} inducing inputs")

    def _many_classes(self, problem: Problem, rng) -> Fitted:
        if problem.n <= DENSE and self.d_max is None:
            method, why = Dirichlet(), f"{problem.classes} classes, {counted(problem.n, 'row')}, up to {DENSE}"
        else:
            size = min(problem.n, self.d_max or CLASSES_SIZE)
            method, why = Dirichlet(regression="vfe", d_max=size), f"{problem.classes} classes, {size} inducing inputs"
        return named(method.fit(problem, rng), method.name, why)

    # -- regression -------------------------------------------------------------------------------------------------

    def _tried(self, problem: Problem, rng) -> Iterator[Tried]:
        """Models in the order in which they are wanted, as they are asked for."""
        if self.d_max is not None and self.d_max < problem.n:
            yield from left_out.attempts(
                problem, rng, [(Fitc(d_max=self.d_max), "a number of inducing inputs is given")]
            )
            return
        if problem.n <= EXACT and self._affordable(problem):
            yield from left_out.exact(problem, rng, f"{counted(problem.n, 'row')}, up to {EXACT:,} it is exact")
            return
        sizes = usual_size(problem.n)
        if deadline.limited() and not self._time_for(12 * problem.n * sizes**2, problem):
            deadline.cut("fitc was not compared with vecchia and vif")
            yield from left_out.attempts(problem, rng, [(Fitc(stop="auto"), "time for one method only")])
            return
        near = problem.X.ndim == 2 and left_out.knows_distance(problem)
        yield from left_out.by_held_out(problem, rng, [Fitc(), *([Vecchia(), Vif()] if near else [])])

    def _affordable(self, problem: Problem) -> bool:
        n = problem.n
        if not memory.holds(n, MATRICES):
            deadline.cut(f"the exact GP was not tried: {n} rows take more memory than there is")
            return False
        if deadline.limited() and not self._time_for(float(n) ** 3, problem):
            deadline.cut(f"the exact GP on {n} rows was not tried")
            return False
        return True

    def _time_for(self, work: float, problem: Problem) -> bool:
        """Whether so much work, in units of the n^3 of an exact GP, ends in time."""
        cost, rows = deadline.Cost(), problem.order[:PROBE]
        with cost.of(float(len(rows)) ** 3):
            ExactPosterior.fit(problem.gp, problem.X[rows], problem.y[rows])
        return cost.fits(work)
