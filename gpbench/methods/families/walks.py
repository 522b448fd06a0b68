"""A sparse model of a problem's rows, held at once or walked over in parts: one way to build, evaluate and predict."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpbench.errors import NotApplicable
from gpbench.gp.inference import parts, sparse
from gpbench.gp.inference.row_noise import with_variances
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.linalg.cholesky import JITTER
from gpbench.gp.objectives.evidence import evidence
from gpbench.methods.base import Problem


def walk_of(approximation: sparse.Approximation, problem: Problem, objective: str) -> AtOnce | InParts:
    if not problem.large:
        return AtOnce(approximation, problem)
    if objective != "evidence":
        raise NotApplicable(f"objective {objective} holds all rows in memory; evidence does not")
    return InParts(approximation, problem, tuple(parts.split(problem.X)))


@dataclass(frozen=True)
class AtOnce:
    approximation: sparse.Approximation
    problem: Problem

    def model(self, gp, Z) -> sparse.SparseModel:
        gp = with_variances(gp, self.problem.rows, self.problem.n)
        return sparse.build(self.approximation, gp, Z, self.problem.X, self.problem.y, JITTER)

    def evaluate(self, model, objective=evidence, gradient: bool = True, inputs: bool = True) -> sparse.Evaluation:
        found, rows = sparse.evaluate(model, objective, gradient, inputs), self.problem.rows
        return found if rows is None or not gradient else replace(found, dnoise=rows.slope(found.dnoise))

    def posterior(self, model, gp, nugget: float) -> SparsePosterior:
        found = SparsePosterior.of(model, nugget, self.problem.latent)
        return found if self.problem.rows is None else replace(found, gp=gp)


@dataclass(frozen=True)
class InParts:
    approximation: sparse.Approximation
    problem: Problem
    parts: tuple

    def model(self, gp, Z) -> parts.LargeModel:
        return parts.build(self.approximation, gp, Z, self.parts, JITTER, self.problem.do)

    def evaluate(self, model, objective=evidence, gradient: bool = True, inputs: bool = True) -> sparse.Evaluation:
        return parts.evaluate(model, self.parts, gradient, inputs, self.problem.do)

    def posterior(self, model, gp, nugget: float) -> parts.LargePosterior:
        return parts.LargePosterior(model.posterior(nugget, self.problem.latent), self.problem.do)
