"""Defaults of the estimators, by task and number of rows: docs/how-to/choosing.md has the measurements."""

from __future__ import annotations

from gpbench.data.dataset import Kind
from gpbench.gp.learning.sizes import usual_size

DENSE_ROWS = 1500  # up to here EP with the full matrix takes seconds

CLASSES_SIZE = 500  # inducing inputs of each of many classes, from DENSE_ROWS on

LIKELIHOOD_ROWS, LIKELIHOOD_SIZE = 500, 300  # the same for other likelihoods, whose EP takes more sweeps


def method(kind: Kind, n: int, likelihood: str | None = None) -> tuple[str, dict]:
    """Method and its parameters."""
    task = kind.task
    if kind.classes > 2:
        return "dirichlet", {} if n <= DENSE_ROWS else {"regression": "vfe", "d_max": min(n, CLASSES_SIZE)}
    if likelihood is not None and task == "regression":
        few = {"d_max": min(n, LIKELIHOOD_SIZE), "inducing": "kmeans", "optimise_inputs": False}
        return ("ep", {}) if n <= LIKELIHOOD_ROWS else ("ep-fic", few)
    if task == "classification":
        return ("ep", {}) if n <= DENSE_ROWS else ("ep-fic", {"inducing": "kmeans", "optimise_inputs": False})
    return "fitc", {}


def largest_size(task: str, n: int) -> int:
    """Basis vectors, at most: the size rule by n where a method has no stop rule."""
    return min(n, 100) if task == "classification" else usual_size(n)


def learning(task: str, n: int, likelihood: str | None = None) -> dict:
    """`hyperparameters` as a config writes them."""
    if likelihood is not None and task == "regression":
        return {"schedule": "joint", "evaluations": 60}
    if task == "classification":
        return {"schedule": "joint", "evaluations": 50, "prior": "half-t"}
    return {"schedule": "fixed", "from": "full-gp"}


def kernel(compact: bool) -> dict:
    return {"name": "pp3"} if compact else {"name": "ard-se"}
