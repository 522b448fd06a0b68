"""What is timed. A new hot path is one function here that returns cases, named in ENTRIES (in FULL when it is long)."""

from __future__ import annotations

import numpy as np

from gpbench.data.sources.kin40k_sim import Kin40kSim
from gpbench.gp import objectives
from gpbench.gp.inference import exact, sparse
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.ard_se import ArdSE

from . import cholqr, ep, executors, fronts, graphs, large, selection
from .timing import Case

N, DIMS, SIZES = 10_000, 8, (100, 300, 500)
# Products of half a matrix product each: FITC V, V Lam^-1 V', U, V D V', and two solves back; DTC and VFE V, V V' and
# one whole product back. The full GP: Cholesky 1/6 and inverse 1/3.
WORK = {"fitc": 3.0, "vfe": 2.0, "dtc": 2.0, "full": 0.5, "predict": 1.0}


def regression(n: int, dims: int = DIMS):
    """A smooth function of random inputs with noise, and a GP to suit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, dims))
    y = np.sin(X.sum(1)) + 0.2 * rng.normal(size=n)
    return GP(ArdSE(np.log(np.r_[1.0, np.full(dims, 2.5)]), dims), 0.05), X, y


def full_gp() -> list[Case]:
    n = 2000
    gp, X, y = regression(n)
    run = lambda: exact.evaluate(gp, X, y)  # noqa: E731
    return [Case(f"full GP, n={n}: evidence, gradient", run, (n, n, n), WORK["full"])]


def sparse_objectives() -> list[Case]:
    gp, X, y = regression(N)

    def case(approximation, m):
        Z = X[:m] + 0.01
        run = lambda: sparse.evaluate(sparse.build(approximation, gp, Z, X, y, jitter=1e-8))  # noqa: E731
        return Case(f"{approximation.name}, m={m}: evidence, gradient", run, (m, N, m), WORK[approximation.name])

    return [case(a, m) for a in (sparse.FITC, sparse.VFE, sparse.DTC) for m in SIZES]


def leave_one_out() -> list[Case]:
    gp, X, y = regression(N)
    Z, objective = X[:300] + 0.01, objectives.find("nlgpp")
    run = lambda: sparse.evaluate(sparse.build(sparse.DTC, gp, Z, X, y, jitter=1e-8), objective)  # noqa: E731
    return [Case("dtc, m=300: nlgpp, gradient", run, (300, N, 300))]


def prediction() -> list[Case]:
    gp, X, y = regression(N)
    m = 500
    posterior = SparsePosterior.of(sparse.build(sparse.FITC, gp, X[:m], X[:2000], y[:2000], jitter=1e-8))
    return [
        Case(f"predict {N} points, m={m}: mean, variance", lambda: posterior.predict(X), (m, N, m), WORK["predict"])
    ]


def blocked() -> list[Case]:
    """Simulated KIN40K with Kuf and V made anew in every walk: memory O(m^2 + block m), time linear in n."""
    m, gp = 200, regression(2)[0]

    def case(n):
        X, y = Kin40kSim(n_train=n, n_test=1).sample(np.random.default_rng(0))
        build = lambda: sparse.build(sparse.FITC, gp, X[:m] + 0.01, X, y, 1e-8, memory=1 << 26)  # noqa: E731
        name = f"fitc blocked, n={n}, m={m}: evidence, gradient"
        return Case(name, lambda: sparse.evaluate(build()), (m, n, m), long=True, parts=20)

    return [case(n) for n in (250_000, 500_000, 1_000_000)]


ENTRIES = (
    full_gp,
    sparse_objectives,
    leave_one_out,
    prediction,
    *selection.ENTRIES,
    *cholqr.ENTRIES,
    *graphs.ENTRIES,
    *ep.ENTRIES,
    *fronts.ENTRIES,
    *executors.ENTRIES,
    *large.ENTRIES,
)
FULL = (blocked, *fronts.FULL, *large.FULL)
