"""Sparse EP equals dense EP on the same K: sites, log Z, gradient, predictions; counts of the row modifications."""

import numpy as np
import pytest

from gpbench.gp.inference import ep
from gpbench.gp.inference.likelihoods import Probit
from gpbench.gp.inference.sites_dense import Panels
from gpbench.gp.inference.sites_fronts import FrontSites
from gpbench.gp.inference.sites_parallel import Parallel
from gpbench.gp.inference.sites_rows import RowSites
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.linalg import fronts
from tests.oracles.exact import finite_difference

TIGHT = 1e-11


def points(rng, n=50):
    X = rng.uniform(0, 4, size=(n, 2))
    return X, np.where(np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def problem(case, rng):
    """(kernel, X, y) of a named hard case."""
    X, y = points(rng)
    spec, values = {"name": "pp2"}, {"variance": 4.0, "lengthscale": 1.1}
    if case in ("pp0", "pp1", "pp2", "pp3"):
        spec = {"name": case}
    elif case == "one length-scale":
        spec = {"name": "pp3", "ard": False}
    elif case == "ard":
        values["lengthscale"] = [0.7, 2.0]
    elif case == "isolated points":
        values["lengthscale"] = 0.2
    elif case == "diagonal K":
        values["lengthscale"] = 1e-4
    elif case == "duplicates":
        X[25:], y[25:] = X[:25], y[:25]
    elif case == "conflicting duplicates":
        X[25:], y[25:] = X[:25], -y[:25]
    elif case == "n = 1":
        X, y = X[:1], y[:1]
    elif case == "one class only":
        y = np.ones(50)
    elif case == "large variance":
        values["variance"] = 1e4
    elif case == "tiny variance":
        values["variance"] = 1e-6
    elif case == "full matrix":
        values["lengthscale"] = 8.0
    elif case == "taper":
        spec, values = {"product": [{"name": "pp2"}, {"name": "ard-se"}]}, {"lengthscale": 1.5, "lengthscale.1": 2.0}
    kernel = build_kernel(spec, X)
    return kernel.with_values(values), X, y


CASES = [
    "pp0", "pp1", "pp2", "pp3", "one length-scale", "ard", "isolated points", "diagonal K", "duplicates",
    "conflicting duplicates", "n = 1", "one class only", "large variance", "tiny variance", "full matrix", "taper",
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("solver", "widest"), [(FrontSites, 96), (FrontSites, 3), (RowSites, 96), (Parallel, 3)])
def test_sparse_ep_equals_dense_ep(case, solver, widest, rng, monkeypatch):
    monkeypatch.setattr(fronts, "WIDEST", widest)  # narrow ones make chains that share one array
    kernel, X, y = problem(case, rng)
    Xs = np.vstack([X, rng.uniform(-1, 5, size=(40, 2))])
    dense = ep.run(Panels(kernel, X), y, Probit(), tolerance=TIGHT, max_sweeps=1000)
    sparse = ep.run(solver(kernel, X), y, Probit(), tolerance=TIGHT, max_sweeps=1000)
    assert dense.converged and sparse.converged
    assert dense.refused == sparse.refused == 0
    np.testing.assert_allclose(sparse.sites.tau, dense.sites.tau, rtol=1e-8)
    np.testing.assert_allclose(sparse.sites.nu, dense.sites.nu, rtol=1e-8)
    np.testing.assert_allclose(sparse.log_Z, dense.log_Z, rtol=1e-8)
    np.testing.assert_allclose(sparse.mu, dense.mu, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sparse.var, dense.var, rtol=1e-8)
    np.testing.assert_allclose(sparse.posterior.gradient()[0], dense.posterior.gradient()[0], rtol=1e-8, atol=1e-8)
    for ours, theirs in zip(sparse.posterior.predict(Xs), dense.posterior.predict(Xs)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("solver", [FrontSites, RowSites, Parallel])
def test_the_last_sweep_is_spared_where_exact_marginals_tell_that_it_would_change_nothing(solver, rng):
    kernel, X, y = problem("pp3", rng)
    found = ep.run(solver(kernel, X), y, Probit(), tolerance=1e-6)
    once_more = ep.run(solver(kernel, X), y, Probit(), sites=found.sites, tolerance=1e-6, max_sweeps=1)
    assert found.converged and found.change <= 1e-6
    assert once_more.change <= 2e-6  # what the sweep would have changed, by its own count
    exact = ep.run(Panels(kernel, X), y, Probit(), tolerance=TIGHT)
    np.testing.assert_allclose(found.log_Z, exact.log_Z, rtol=1e-9)


def test_a_first_sweep_from_empty_sites_needs_no_factor(rng, monkeypatch):
    kernel, X, y = problem("pp3", rng)
    posterior, sites = FrontSites(kernel, X), ep.Sites.zero(len(y))
    monkeypatch.setattr(posterior.fronts, "factorise", lambda values: pytest.fail("the sites are empty"))
    posterior.refresh(sites)
    assert posterior.sweep(sites, y, Probit())[0] == 1.0


@pytest.mark.parametrize("case", ["pp0", "pp3", "ard", "one length-scale", "taper"])
def test_gradient_equals_finite_differences(case, rng):
    kernel, X, y = problem(case, rng)

    def run(theta):
        return ep.run(RowSites(kernel.with_theta(theta), X), y, Probit(), tolerance=TIGHT)

    fd = finite_difference(lambda theta: run(theta).log_Z, kernel.theta)
    np.testing.assert_allclose(run(kernel.theta).posterior.gradient()[0], fd, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("ordering", ["amd", "natural"])
def test_rows_makes_the_same_site_updates_as_the_book_in_its_own_order(ordering, rng):
    kernel, X, y = problem("pp2", rng)
    rows = RowSites(kernel, X, ordering)
    perm = rows.symbolic.perm
    dense = Panels(kernel, X[perm], panel=16)
    a, b = ep.Sites.zero(50), ep.Sites.zero(50)
    rows.refresh(a), dense.refresh(b)
    for _ in range(3):  # row addition, then two sweeps of row modifications without a rebuilt factor in between
        changes = rows.sweep(a, y, Probit())[0], dense.sweep(b, y[perm], Probit())[0]
        np.testing.assert_allclose(a.tau[perm], b.tau, rtol=1e-9)
        np.testing.assert_allclose(a.nu[perm], b.nu, rtol=1e-9)
        np.testing.assert_allclose(*changes, rtol=1e-6)


def test_row_modifications_leave_the_factor_of_the_new_matrix(rng):
    kernel, X, y = problem("pp3", rng)
    rows, sites = RowSites(kernel, X), ep.Sites.zero(50)
    rows.refresh(sites)
    for _ in range(2):
        rows.sweep(sites, y, Probit())
        kept = rows.ldl.Lx.copy(), rows.ldl.D.copy()
        rows.refresh(sites)
        np.testing.assert_allclose(kept[0], rows.ldl.Lx, atol=1e-12)
        np.testing.assert_allclose(kept[1], rows.ldl.D, rtol=1e-12)


def test_touched_entries_are_those_of_the_paths_to_the_root(rng):
    """[vanhatalo] section 5.4: a modification costs the columns on the path of its site, the first sweep far less."""
    kernel, X, y = problem("pp3", rng)
    rows, sites = RowSites(kernel, X), ep.Sites.zero(50)
    S = rows.symbolic
    size = np.diff(S.Lp)

    def path(i):
        return [] if i < 0 else [i, *path(S.parent[i])]

    above = sum(size[path(S.parent[i])].sum() for i in range(50))
    row_columns = [np.flatnonzero([i in S.Li[S.Lp[j] : S.Lp[j + 1]] for j in range(50)]) for i in range(50)]
    solve = sum(size[c].sum() for c in row_columns) + sum(size[path(i)].sum() for i in range(50))
    rows.refresh(sites)
    rows.sweep(sites, y, Probit())
    first = rows.touched.copy()
    assert first[1] == 0 and first[0] < solve / 2
    rows.refresh(sites)
    rows.sweep(sites, y, Probit())
    np.testing.assert_array_equal(rows.touched - first, [solve, above])


@pytest.mark.parametrize("solver", [RowSites, FrontSites, Parallel])
def test_fills_are_counted_as_the_paper_counts_them(rng, solver):
    kernel, X, _ = problem("pp3", rng)
    figures = solver(kernel, X, "natural").figures()
    K = kernel(X)
    L = np.linalg.cholesky(K + np.eye(50))
    assert figures["fill_K"] == np.count_nonzero(K) / 2500
    assert figures["fill_L"] == np.count_nonzero(L) / 1275
