"""EP runs and sweeps. `panels` should need at most 2 n x n x n products per sweep of a whole run, rebuilding included;
`rows` at most 10 ns per entry of L that a sweep touches: its name has their number, its unit is a plain triangular
solve over as many entries.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from gpbench.gp.inference import ep
from gpbench.gp.inference.likelihoods import Probit
from gpbench.gp.inference.sites_dense import Panels
from gpbench.gp.inference.sites_fic import Fic
from gpbench.gp.inference.sites_rows import RowSites
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.linalg.sparse_ldl import forward

from .timing import Case


def clusters(n: int, spec: dict, lengthscale: float, centres: int = 400, dims: int = 2):
    """Two classes of the nearest of many random centres in a cube, as [vanhatalo] draws them."""
    rng = np.random.default_rng(0)
    X, C = rng.uniform(0, 10, (n, dims)), rng.uniform(0, 10, (centres, dims))
    y = rng.choice([-1.0, 1.0], centres)[cKDTree(C).query(X)[1]]
    return build_kernel(spec, X).with_values({"variance": 20.0, "lengthscale": lengthscale}), X, y


def runs() -> list[Case]:
    n, m = 2000, 400
    kernel, X, y = clusters(n, {"name": "ard-se", "form": "plain"}, 0.4)

    def case(name, make, rows, inner):
        sweeps = ep.run(make(), y, Probit(), tolerance=1e-6).sweeps  # compiles, too
        run = lambda: ep.run(make(), y, Probit(), tolerance=1e-6)  # noqa: E731
        # in units of `sweeps` products: the ratio is that of one sweep
        return Case(f"{name}: run of {sweeps} sweeps", run, (rows, inner * sweeps, rows), parts=sweeps)

    return [
        case(f"ep panels, n={n}", lambda: Panels(kernel, X), n, n),
        case(f"ep fic, n={n}, m={m}", lambda: Fic(kernel, X, X[:m], jitter=1e-8), m, n),
    ]


def row_modifications() -> list[Case]:
    return [one_sweep(n) for n in (1000, 2000)]


def one_sweep(n: int) -> Case:
    kernel, X, y = clusters(n, {"name": "pp3"}, 1.28)
    rows, sites = RowSites(kernel, X), ep.Sites.zero(n)
    for _ in range(2):  # the first fills the sites, the second counts a sweep of row modifications
        rows.refresh(sites)
        rows.touched[:] = 0
        rows.sweep(sites, y, Probit())
    touched, L, Lx = int(rows.touched.sum()), rows.symbolic, rows.ldl.Lx
    rows.refresh(sites)

    def solves():
        for _ in range(max(1, round(touched / len(L.Li)))):
            forward(L.Lp, L.Li, Lx, np.ones(n))

    return Case(f"ep rows, n={n}: sweep over {touched:.2e} entries", lambda: rows.sweep(sites, y, Probit()), solves)


ENTRIES = (runs, row_modifications)
