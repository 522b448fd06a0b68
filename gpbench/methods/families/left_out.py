"""What `auto` does with a model before it returns it: compare rows that were left out with what it predicts of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gpbench.errors import GpbenchError
from gpbench.gp.inference.exact import LOO_ROWS
from gpbench.gp.inference.plain import ConstantPosterior, ScaledPosterior
from gpbench.gp.inference.vecchia import embedding
from gpbench.gp.learning.calibration import told, variance_factor
from gpbench.methods.base import Fitted, Method, Prediction, Problem
from gpbench.methods.full_gp import FullGP

SHARE, MOST = 0.1, 2000  # of the rows that are held out, and rows at most
FEWEST = 5  # rows from which on a constant is compared
LEAST = 1e-10  # of the variance: what is left of it where all other targets are equal
EQUAL = 0.01  # nats: a density lower by less than this counts as equal


@dataclass(frozen=True)
class LeftOut:
    """Residuals of rows that a model did not see, and the variances it gave them."""

    residual: np.ndarray
    var: np.ndarray

    @property
    def factor(self) -> float:
        """Of the variances, as calibration finds it."""
        return variance_factor(self.residual, self.var)

    @property
    def nlpd(self) -> float:
        var = self.factor * self.var
        return float(np.mean(0.5 * np.log(2 * np.pi * var) + 0.5 * self.residual**2 / var))

    def worse_than(self, other: LeftOut) -> bool:
        return not self.nlpd <= other.nlpd + EQUAL


@dataclass(frozen=True)
class Tried:
    """A model, and what is known of rows that it did not see (None: nothing)."""

    fitted: Fitted
    left_out: LeftOut | None

    def calibrated(self) -> Fitted:
        fitted = self.fitted
        factor = 1.0 if self.left_out is None else self.left_out.factor
        if factor == 1.0:
            return fitted
        return replace(fitted, predict=ScaledPosterior(fitted.predict, factor), notes=(*fitted.notes, *told(factor)))


def of_constant(problem: Problem) -> LeftOut | None:
    """Of each row given mean and variance of the others; None for so few or so equal targets that it says nothing."""
    y, n = problem.y, problem.n
    if n < FEWEST or not np.ptp(y):
        return None
    mean = (y.sum() - y) / (n - 1)
    var = np.maximum(((y**2).sum() - y**2) / (n - 1) - mean**2, LEAST * y.var())
    return LeftOut(y - mean, var)


def constant(problem: Problem, why: str) -> Fitted:
    """Mean and variance of the targets, for every row."""
    mean, var = float(problem.y.mean()), float(problem.y.var(ddof=1))
    return Fitted(predict=ConstantPosterior(mean, var), method="constant", notes=(f"constant prediction: {why}",))


def exact(problem: Problem, rng, why: str) -> Iterator[Tried]:
    """The exact GP with the best kernel, then, while rows are few, with the others."""
    fixed = problem.schedule.kind == "fixed" and problem.n <= LOO_ROWS
    for gp in (problem.gp, *(problem.others if fixed else ())):
        try:
            fitted = FullGP().fit(replace(problem, gp=gp), rng)
        except GpbenchError:
            continue
        yield Tried(named(fitted, FullGP.name, why), LeftOut(*fitted.predict.left_out()))


def attempts(problem: Problem, rng, methods: Iterable[tuple[Method, str]]) -> Iterator[Tried]:
    """Models without a look at rows left out; one that cannot be fitted is passed over."""
    for method, why in methods:
        try:
            yield Tried(named(method.fit(problem, rng), method.name, why), None)
        except GpbenchError:
            continue


def by_held_out(problem: Problem, rng, methods: list[Method]) -> Iterator[Tried]:
    """Models of all rows, in the order of the density that the methods give rows held out."""
    kept = problem.n - max(1, round(SHARE * problem.n))
    part, held = problem.first(kept), problem.order[kept:][:MOST]
    found: list[tuple[Method, LeftOut]] = []
    for method in methods:
        try:
            fitted = method.fit(part, rng)
            p = fitted.predict(problem.X[held])
        except GpbenchError:
            continue
        found.append((method, LeftOut(problem.y[held] - p.mean, _own_noise(p, problem, held, fitted))))
    found.sort(key=lambda pair: pair[1].nlpd)
    told = ", ".join(f"{method.name} {left.nlpd:.3f}" for method, left in found)
    why = f"the lowest NLPD of {len(held)} rows held out ({told})"
    for method, left in found:
        for tried in attempts(problem, rng, [(method, why)]):
            yield replace(tried, left_out=left)


def _own_noise(p: Prediction, problem: Problem, held, fitted: Fitted):
    """Variances of held-out targets, with the noise of their own rows."""
    if problem.rows is None:
        return p.var
    return p.var + problem.rows[held].variances(fitted.gp.noise) - fitted.gp.noise


def named(fitted: Fitted, name: str, why: str) -> Fitted:
    """With the name of its method, and why it was taken."""
    return replace(fitted, method=name, notes=(f"method {name}: {why}", *fitted.notes))


def knows_distance(problem: Problem) -> bool:
    """Whether neighbours can be found with the kernel."""
    try:
        embedding(problem.gp.kernel, problem.X[:2])
    except GpbenchError:
        return False
    return True
