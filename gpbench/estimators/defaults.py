"""What an estimator takes where its user says nothing; the method is that of methods/auto.py."""

from __future__ import annotations

from gpbench.gp.learning.sizes import usual_size


def largest_size(task: str, n: int) -> int:
    """Basis vectors, at most: the size rule by n where a method has no stop rule."""
    return min(n, 100) if task == "classification" else usual_size(n)


def kernel(compact: bool) -> dict:
    return {"name": "pp3"} if compact else {"name": "auto"}
