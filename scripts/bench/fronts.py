"""Sparse EP over fronts beside dense EP, and against n: one run each, to 1e-6, from empty sites, covariance included.

The paper has 10 to 20 (2-D) and 3 to 7 (5-D) times the speed of dense EP by rank-one updates; here it should be 20 and
5 at n = 2000, and 4 and 1.5 times that of `panels`: the unit is the dense run, so ratios below 0.05, 0.2, 0.25, 0.67.
"""

from __future__ import annotations

import time

import numpy as np

from gpbench.gp.inference import ep
from gpbench.gp.inference.compact import CompactPosterior
from gpbench.gp.inference.likelihoods import Probit
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sites_dense import Panels, RankOne
from gpbench.gp.inference.sites_fronts import FrontSites
from gpbench.gp.kernels.piecewise_polynomial import PP3

from .ep import clusters
from .timing import Case

N, PRODUCT = 2000, (2000, 2000, 2000)
# dimensions, centres, support radius of pp3, length-scale of se: about what is learned
SETTINGS = {"2-D": (2, 400, 1.28, 0.4), "5-D": (5, 1000, 6.5, 2.5)}


def setting(name: str, n: int, spec: dict, radius: float | None = None):
    dims, centres, support, lengthscale = SETTINGS[name]
    return clusters(n, spec, radius or (support if spec["name"] == "pp3" else lengthscale), centres, dims)


def run(kind, name: str, n: int, spec: dict, radius: float | None = None):
    """A function that builds the posterior and runs EP on it."""
    kernel, X, y = setting(name, n, spec, radius)
    return lambda: ep.run(kind(kernel, X), y, Probit(), tolerance=1e-6)


def beside(kind, title: str, long: bool = False):
    for name in SETTINGS:
        fronts = run(FrontSites, name, N, {"name": "pp3"})
        dense = run(kind, name, N, {"name": "ard-se", "form": "plain"})
        yield Case(f"ep fronts, {name}, n={N}, in runs of {title}", fronts, dense, long=long)


def panels():
    return beside(Panels, "panels")


def rank_one():
    return beside(RankOne, "rank-one", long=True)


def growth(sizes=(500, 1000, 2000, 5000)):
    """Against n, with the exponents of the seconds and of the factor's megabytes in the end."""
    for name in SETTINGS:
        found = {}
        for n in sizes:
            kernel, X, y = setting(name, n, {"name": "pp3"})

            def once(kernel=kernel, X=X, y=y, n=n, found=found):
                begin, posterior = time.perf_counter(), FrontSites(kernel, X)
                ep.run(posterior, y, Probit(), tolerance=1e-6)
                found[n] = time.perf_counter() - begin, posterior.fronts.fronts.stored * 8 / 2**20

            yield Case(f"ep fronts, {name}, n={n}", once, PRODUCT, long=True)
        if len(found) > 2:  # the smallest is all overhead
            n, values = np.log(list(found)[1:]), np.log(list(found.values())[1:])
            time_, memory = (np.polyfit(n, column, 1)[0] for column in values.T)
            last = f"{found[sizes[-1]][1]:.0f} MB at n={sizes[-1]}"
            yield f"ep fronts, {name}, n>={list(found)[1]}: seconds ~ n^{time_:.2f}, factor ~ n^{memory:.2f}, {last}"


def ten_thousand():
    """2-D, n = 10000: under 40 s at radius 1.28 and 70 s at 1.85 where dgemm does 44 GFLOP/s: 110 and 193 products."""
    n = 10_000
    for radius in (1.28, 1.85):
        yield Case(
            f"ep fronts, 2-D, n={n}, radius {radius}",
            run(FrontSites, "2-D", n, {"name": "pp3"}, radius),
            PRODUCT,
            long=True,
        )


def prediction(n: int = 15_000, points: int = 5_640):
    """`sparse-gp` predicts no slower than it fits: rows and test points as in configs/front/calhousing2d.yaml."""
    for radius in (0.04, 0.08, 0.16):
        rng = np.random.default_rng(0)
        X, Xs, y = rng.random((n, 2)), rng.random((points, 2)), rng.normal(size=n)
        gp = GP(PP3.create(X).with_values({"variance": 1.0, "lengthscale": radius}), 0.3)
        posterior = CompactPosterior.fit(gp, X, y)

        def predict(posterior=posterior, Xs=Xs):
            return posterior.predict(Xs)

        def fit(gp=gp, X=X, y=y):
            return CompactPosterior.fit(gp, X, y)

        yield Case(f"sparse-gp, n={n}, fill {posterior.fill_k:.3f}: {points} predictions, in fits", predict, fit)


ENTRIES = (panels, growth, prediction)
FULL = (rank_one, ten_thousand)
