"""Histogram intersection: its formula, groups, gradients, kept matrices, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest

from gpbench.errors import ConfigError, NotApplicable
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.kernels.gram_stack import ASKED, GramStack, Latest
from gpbench.gp.kernels.histogram_intersection import HistogramIntersection
from gpbench.gp.kernels.rows import KernelRows
from tests.helpers.kernel_gradients import check_parameters, vjp_inputs


def by_definition(X, X2, sizes, variances):
    ends = np.cumsum([0, *sizes])
    overlap = [np.minimum(X[:, None, a:b], X2[None, :, a:b]).sum(2) for a, b in pairwise(ends)]
    return sum(v * K for v, K in zip(variances, overlap))


@pytest.fixture(params=["kept matrices", "new inputs"])
def case(request, rng):
    """Histograms of three groups with 4, 2 and 3 bins; one row occurs twice."""
    X = rng.gamma(0.7, size=(12, 9)) * (rng.random((12, 9)) < 0.8)
    X[7] = X[2]
    kernel = build_kernel({"name": "histogram-intersection", "groups": [4, 2, 3]}, X)
    kernel = kernel.with_theta(kernel.theta + rng.normal(size=3))
    if request.param == "new inputs":
        X = X + rng.random(X.shape)
    return kernel, X, X[[3, 7, 9, 1]]


def test_covariances_are_weighted_overlaps(case):
    kernel, X, Z = case
    v = np.exp(kernel.theta)
    np.testing.assert_allclose(kernel(X), by_definition(X, X, (4, 2, 3), v), rtol=1e-12)
    np.testing.assert_allclose(kernel(X, Z), by_definition(X, Z, (4, 2, 3), v), rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(X), np.diag(kernel(X)), rtol=1e-12)
    assert np.linalg.eigvalsh(kernel(X)).min() > -1e-10


def test_gradients_equal_finite_differences(case, rng):
    kernel, X, Z = case
    check_parameters(kernel, Z, X, rng)
    with pytest.raises(NotApplicable, match="kernel has no input gradient"):
        vjp_inputs(kernel, np.ones((len(Z), len(X))), Z, X)


def test_a_set_too_large_to_keep_gives_the_same_numbers(rng, monkeypatch):
    X = rng.random((20, 6))
    kept = HistogramIntersection.create(X, groups=2)
    monkeypatch.setattr(GramStack, "fits", staticmethod(lambda n, bases: False))
    direct = HistogramIntersection.create(X, groups=2)
    assert direct.overlaps._stack is None
    np.testing.assert_allclose(kept(X, X[:5]), direct(X, X[:5]), rtol=1e-13)


def test_an_input_that_is_almost_a_kept_one_is_another_input(rng):
    X = rng.random((5, 4))
    kernel = HistogramIntersection.create(X)
    near = X[:1].copy()
    near[0, 2] += 1.0
    np.testing.assert_allclose(kernel(near, X), by_definition(near, X, (4,), np.exp(kernel.theta)), rtol=1e-12)


def test_the_start_has_a_prior_variance_of_one_on_average(rng):
    X = rng.gamma(2.0, size=(50, 12))
    kernel = HistogramIntersection.create(X, groups=3)
    assert kernel.diag(X).mean() == pytest.approx(1.0)
    assert kernel.names == ("variance[0]", "variance[1]", "variance[2]")
    np.testing.assert_allclose(kernel.with_theta(np.zeros(3)).with_values(kernel.values()).theta, kernel.theta)


@pytest.mark.parametrize("groups", [0, 4, [3, 2], [6, 0], []])
def test_groups_must_cover_the_bins(groups):
    with pytest.raises(ConfigError, match="histogram-intersection"):
        HistogramIntersection.create(np.ones((3, 6)), groups=groups)


def test_negative_bins_are_refused_with_the_cure():
    with pytest.raises(ConfigError, match="inputs: none"):
        HistogramIntersection.create(-np.ones((3, 6)))


def test_answers_are_remembered_by_memory_and_only_for_large_arrays():
    asked = []
    latest = Latest(lambda X: asked.append(X.ctypes.data) or np.arange(len(X)), most=2)
    a, b, c, small = np.zeros(200), np.zeros(200), np.zeros(200), np.zeros(3)
    for X in (a, b, a[:], b, small, small, c, b[:150], a):
        assert len(latest(X)) == len(X)
    assert asked == [X.ctypes.data for X in (a, b, small, small, c, b, a)]


def test_rows_on_demand_come_from_the_whole_matrix_once_many_were_asked_for(rng):
    X = rng.random((40, 6))
    X[7] = X[31]  # twice the same input
    kernel = HistogramIntersection.create(X, groups=2)
    rows, index = KernelRows(kernel, X), rng.permutation(40)
    for part in np.split(index, 4):
        found = rows(part)
        np.testing.assert_allclose(found, kernel(X[part], X), rtol=1e-14)
        found[:] = np.nan  # the caller may write into it
    assert rows.evaluated == 40
    np.testing.assert_allclose(rows(np.arange(40)), kernel(X.copy(), X), rtol=1e-14)


def test_what_is_asked_for_again_comes_from_a_copy_with_the_same_numbers(rng, monkeypatch):
    X = rng.random((30, 6))
    overlaps, w = HistogramIntersection.create(X, groups=2).overlaps, np.array([0.3, 1.7])
    Z, dK = X[4:9], rng.normal(size=(5, 30))
    first = overlaps.weighted(w, Z, X), overlaps.project(dK.copy(), Z, X)
    stack = overlaps._stack
    assert [c is not None for c in stack._copies.values()] == [True]
    again = overlaps.weighted(2 * w, Z, X), overlaps.project(dK.copy(), Z, X)
    np.testing.assert_allclose(again[0], 2 * first[0], rtol=1e-13)
    np.testing.assert_allclose(again[1], first[1], rtol=1e-12)
    for i in range(40):  # nothing grows without end
        overlaps.weighted(w, X[i % 29 : i % 29 + 2], X)
    assert len(stack._copies) <= ASKED
    monkeypatch.setattr("gpbench.gp.kernels.gram_stack.COPY_LIMIT", 100)
    np.testing.assert_allclose(overlaps.weighted(w, Z, X), first[0], rtol=1e-13)
