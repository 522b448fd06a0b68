"""Where inducing inputs start: rows at random, centres of k-means, those and the rows they do not reach, a selection.

For figures over one input also the rows furthest to the left ([snelson] Figure 1) or spread evenly along it.
"""

from __future__ import annotations

import dataclasses
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

import numpy as np

from gpbench import methods
from gpbench.errors import NotApplicable
from gpbench.gp.linalg.pivoted import DEPENDENT
from gpbench.gp.selection import initialisers
from gpbench.methods.base import Method, Problem, Schedule
from gpbench.system import deadline
from gpbench.text import nearest

PLACES = ("random", "kmeans", "covering", "left", "uniform")  # starts that no selection method gives
FAR = 10  # one in so many inducing inputs of `covering` is a row far from the centres


def choose(name: str, problem: Problem, m: int, rng, again: bool = False):
    """(Z, pivots or None, kernel rows used). The first start is the shared order's prefix, `again` draws a new one.

    Of rows beyond memory all choose among the first FEW of the shared order.
    """
    if problem.large:
        Z, pivots, rows = choose(name, problem.few(), m, rng, again)
        return Z, None if pivots is None else problem.order[pivots], rows
    m = min(m, problem.n)
    if name in PLACES[1:] and problem.X.ndim != 2:
        raise NotApplicable(f"inducing: {name} needs inputs that are vectors; use random or a selection method")
    if name in ("left", "uniform"):
        along = np.argsort(problem.X[:, 0], kind="stable")
        rows = along[:m] if name == "left" else along[np.linspace(0, problem.n - 1, m).round().astype(int)]
        return problem.X[rows], rows, 0
    rows = rng.permutation(problem.n)[:m] if again else problem.order[:m]
    if name == "random":
        return problem.X[rows], rows, 0
    if name == "kmeans":
        return kmeans(problem.X, problem.X[rows]), None, 0
    if name == "covering":
        return covering(problem, rows), None, m
    if name in initialisers.NAMES:
        chosen = initialisers.find(name)(problem.gp, problem.X, m, rng)
        return problem.X[chosen.rows], chosen.rows, chosen.kernel_rows
    fixed = dataclasses.replace(problem, schedule=Schedule("fixed"))
    fitted = selection_method(name)(d_max=m).fit(fixed, rng)
    return problem.X[fitted.pivots], fitted.pivots, fitted.kernel_rows or 0


def known_start(name: str) -> str:
    """The name, if `choose` knows it."""
    if name not in (*PLACES, *initialisers.NAMES):
        selection_method(name)
    return name


def selection_method(name: str) -> type[Method]:
    """The method of that name that chooses training rows; a ValueError (so a config error) for any other word."""
    stem = name.replace("-", "_")
    if stem.isidentifier() and find_spec(f"gpbench.methods.{stem}"):
        for cls in vars(import_module(f"gpbench.methods.{stem}")).values():
            if isinstance(cls, type) and vars(cls).get("name") == name and getattr(cls, "chooses_rows", False):
                return cls
    raise ValueError(f"'{name}' is no way to choose inducing points{nearest(name, _ways())}")


def _ways() -> list[str]:
    """All ways of choosing by name."""
    stems = [module.name for module in iter_modules(methods.__path__) if not module.ispkg]
    classes = [cls for stem in stems for cls in vars(import_module(f"gpbench.methods.{stem}")).values()]
    selections = {vars(cls)["name"] for cls in classes if getattr(cls, "chooses_rows", False) and "name" in vars(cls)}
    return [*PLACES, *initialisers.NAMES, *sorted(selections)]


def kmeans(X, centres, rounds: int = 20, block: int = 4096) -> np.ndarray:
    """Lloyd's algorithm from the given centres; an empty cluster keeps its centre."""
    centres = np.array(centres, dtype=float)
    before, cost = None, deadline.Cost()
    for _ in range(rounds):
        if before is not None and not cost.fits():
            break
        with cost.of():
            nearest = _nearest(X, centres, block)
        if before is not None and np.array_equal(nearest, before):
            break
        before = nearest
        counts = np.bincount(nearest, minlength=len(centres))
        sums = np.column_stack([np.bincount(nearest, x, minlength=len(centres)) for x in X.T])
        centres[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
    return centres


def _nearest(X, centres, block: int) -> np.ndarray:
    """The number of the nearest centre of each row."""
    half = 0.5 * (centres**2).sum(1)
    return np.concatenate([np.argmax(X[i : i + block] @ centres.T - half, axis=1) for i in range(0, len(X), block)])


def covering(problem: Problem, rows) -> np.ndarray:
    """Centres of k-means from most of the rows; for the others the rows that the centres leave most alone.

    Centres follow the density: a few outlying rows have none near them, and the model forgets their targets. The next
    row is the one with the largest k(x, x) - max_z k(x, z)^2 / k(z, z), O(nm) in all.
    """
    X, kernel, far = problem.X, problem.gp.kernel, len(rows) // FAR
    if len(rows) == len(X):
        return X[rows]
    Z = kmeans(X, X[rows[: len(rows) - far]])
    kdiag = kernel.diag(X)
    left = kdiag - _explained(kernel, X, Z)
    chosen: list[int] = []
    while len(chosen) < far and left.max() > DEPENDENT * kdiag.max():
        chosen.append(int(np.argmax(left)))
        left = np.minimum(left, kdiag - _explained(kernel, X, X[chosen[-1:]]))
    return np.concatenate([Z, X[chosen]])


def _explained(kernel, X, Z, block: int = 4096) -> np.ndarray:
    """The part of each row's variance that its most informative point of Z explains."""
    scale = np.maximum(kernel.diag(Z), np.finfo(float).tiny) ** -0.5
    return np.concatenate([(np.abs(kernel(X[i : i + block], Z)) * scale).max(1) for i in range(0, len(X), block)]) ** 2
