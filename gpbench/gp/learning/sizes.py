"""The number of inducing inputs: rules that try increasing sizes and take the first that is enough.

    trace      tr(K - Q) is at most this share of tr K
    gap        the evidence is known to this many nats per row: an upper bound less the variational one
               (Titsias 2014; Burt, Rasmussen and van der Wilk 2020; Ober et al. 2024)
    held_out   this share of the rows is kept back; the smallest size whose NLPD there is within one standard error of
               the best of the ladder

All are judged at the hyperparameters that the size is asked for; leave-one-out stops of greedy methods are theirs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpbench.errors import NotApplicable
from gpbench.gp.inference import sparse
from gpbench.gp.inference.row_noise import RowNoise, with_variances
from gpbench.gp.inference.sparse import SparseModel
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.linalg.cholesky import JITTER, Cholesky
from gpbench.system import deadline, progress

FIRST = 25
ON_TOP = 2.5  # times the next size's own cost that have to fit: the final model of that size is built after it


def usual_size(n: int) -> int:
    """Inducing inputs of a regression with n rows by default; docs/how-to/choosing.md has the measurements."""
    return min(n, max(500, min(2000, 10 * round(1.2 * n**0.5))))


PER_INPUT = 125  # each input has a length-scale to learn
version = 2  # of `usual_subset`: 2 looks at the inputs, too


def usual_subset(n: int, inputs: int = 1) -> int:
    """Rows of the full GP that learns hyperparameters for n rows."""
    return min(n, 2000 if n >= 20_000 else min(max(PER_INPUT * inputs, 1000), 2000))


def ladder(largest: int) -> list[int]:
    """Sizes that double up to the largest."""
    sizes = [FIRST]
    while sizes[-1] < largest:
        sizes.append(2 * sizes[-1])
    return sorted({min(s, largest) for s in sizes})


def trace_share(model: SparseModel) -> float:
    return float(model.r.sum() / model.gp.kernel.diag(model.X).sum())


def bound_gap(model: SparseModel) -> float:
    """(upper - lower bound of the log evidence) / n, of a model built as VFE.

    upper = -1/2 log|Q + noise I| - 1/2 y'(Q + (noise + t) I)^-1 y - n/2 log 2 pi,   t = tr(K - Q) >= |K - Q|
    """
    f, y, noise, n = model.factor, model.y, model.gp.noise, len(model.y)
    lam = noise + float(model.r.sum())
    projection = f.project(y) * (noise / lam)  # V y / lam
    B = np.eye(f.m) + f.gram * (noise / lam)
    half = Cholesky.of(B).half_solve(projection)
    quadratic = float(y @ y) / lam - float(half @ half)
    upper = -0.5 * (f.logdet() + quadratic + n * np.log(2 * np.pi))
    return (upper - sparse.evaluate(model, gradient=False).F) / n


def held_out_losses(gp, Z, X, y, share: float, noise: RowNoise | None = None) -> np.ndarray:
    """-log density of each of the last rows, for the model of the others."""
    kept = len(y) - max(2, round(share * len(y)))
    model = sparse.build(sparse.VFE, with_variances(gp, noise, kept), Z, X[:kept], y[:kept], JITTER)
    p = replace(SparsePosterior.of(model), gp=gp).predict(X[kept:])
    var = p.var if noise is None else p.var_latent + noise[kept:].variances(gp.noise)
    return 0.5 * (np.log(2 * np.pi * var) + (y[kept:] - p.mean) ** 2 / var)


def _standard_error(each: np.ndarray) -> float:
    return float(each.std(ddof=1) / np.sqrt(len(each)))


def enough_held_out(
    share: float, sizes: list[int], start, gp, X, y, paired: bool = False, noise: RowNoise | None = None
) -> tuple[int, list[dict]]:  # fmt: skip
    """The smallest size within one standard error of the best on held-out rows, and what was seen.

    The error is that of the best; `paired`, that of the difference from the best row by row, which is far smaller.
    """
    losses, cost = {}, deadline.Cost()
    for m in sizes:
        if losses and not cost.fits(ON_TOP * m**2):
            deadline.cut(f"sizes from {m} basis vectors on were not tried")
            break
        progress.step("trying sizes", len(losses), len(sizes))
        with cost.of(m**2):
            losses[m] = held_out_losses(gp, start(m), X, y, share, noise)
    sizes = list(losses)
    best = min(losses, key=lambda m: losses[m].mean())
    errors = {m: _standard_error(each - losses[best] if paired else each) for m, each in losses.items()}
    seen = [{"size": m, "held_out_nlpd": float(losses[m].mean()), "standard_error": errors[m]} for m in sizes]
    limit = float(losses[best].mean())
    return next(m for m in sizes if losses[m].mean() <= limit + errors[m if paired else best]), seen


def enough(
    rule: str, threshold: float, sizes: list[int], start, gp, X, y, noise: RowNoise | None = None
) -> tuple[int, list[dict]]:  # fmt: skip
    """The size that the rule chooses, and what it measured. `start(m)` returns the inducing inputs of a size.

    X and y are in random order where rows are held out.
    """
    if rule == "held_out":
        return enough_held_out(threshold, sizes, start, gp, X, y, noise=noise)
    if rule == "gap" and noise is not None:
        raise NotApplicable("stop {gap: ...}: the bound needs one noise for all rows; use {held_out: ...}")
    seen: list[dict] = []
    cost = deadline.Cost()
    for m in sizes:
        if seen and not cost.fits(ON_TOP * m**2):
            deadline.cut(f"sizes from {m} basis vectors on were not tried")
            return seen[-1]["size"], seen
        with cost.of(m**2):
            model = sparse.build(sparse.VFE, gp, start(m), X, y, JITTER)
            value = trace_share(model) if rule == "trace" else bound_gap(model)
        seen.append({"size": m, rule: value})
        if value <= threshold:
            return m, seen
    return sizes[-1], seen
