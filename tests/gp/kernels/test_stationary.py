"""Matern, rational quadratic, periodic and linear kernels: their definitions, limits, and every kind of method."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench import catalog
from gpbench.errors import NotApplicable
from gpbench.gp.inference import exact, sparse
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning.full_gp import fit_hyperparameters
from gpbench.gp.learning.priors import HalfStudentT
from gpbench.methods.base import Problem, Schedule
from tests.helpers.kernel_gradients import vjp, vjp_inputs
from tests.oracles import kernels as oracle
from tests.oracles.exact import finite_difference

MATERN = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}
positive = st.floats(0.05, 20)
sizes, numbers_of = st.integers(1, 6), st.lists(positive, min_size=9, max_size=9)


def definition(name, v):
    lengths = np.asarray(v["lengthscale"]) if "lengthscale" in v else None
    if name in MATERN:
        return oracle.matern(MATERN[name], v["variance"], lengths)
    if name == "rational-quadratic":
        return oracle.rational_quadratic(v["variance"], lengths, v["alpha"])
    if name == "periodic":
        return oracle.periodic(v["variance"], lengths, np.asarray(v["period"]))
    return oracle.linear(np.asarray(v["variance"]))


NAMES = [*MATERN, "rational-quadratic", "periodic", "linear"]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 4), st.integers(1, 6), st.booleans(), st.lists(positive, min_size=9, max_size=9), st.integers(0, 9)
)
def test_matrix_equals_its_definition(name, dims, n, ard, numbers, seed):
    X = np.random.default_rng(seed).normal(size=(n, dims))
    X[-1] = X[0]  # distance zero off the diagonal
    kernel = build_kernel({"name": name, "ard": ard}, X)
    kernel = kernel.with_theta(np.log(numbers[: len(kernel.theta)]))
    expected = oracle.matrix(definition(name, kernel.values()), X, X[:2])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(kernel(X, X[:2]), expected, rtol=1e-9, atol=1e-12 * scale)
    np.testing.assert_allclose(np.diag(kernel(X)), kernel.diag(X), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3), st.booleans(), st.lists(st.floats(0.3, 3), min_size=7, max_size=7), st.integers(0, 99))
def test_gradients_equal_finite_differences_anywhere(name, dims, ard, numbers, seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(6, dims)), rng.normal(size=(4, dims))
    kernel = build_kernel({"name": name, "ard": ard}, X)
    kernel = kernel.with_theta(np.log(numbers[: len(kernel.theta)]))
    for other in (Z, None):
        dK = rng.normal(size=kernel(X, other).shape)

        def value(theta, P, other=other, dK=dK):
            return (kernel.with_theta(theta)(P, other) * dK).sum()

        for way in (dK, np.asfortranarray(dK)):
            fd = finite_difference(lambda t: value(t, X), kernel.theta)
            np.testing.assert_allclose(vjp(kernel, way, X, other), fd, rtol=1e-5, atol=1e-6)
            if kernel.smooth:
                fd = finite_difference(lambda P: value(kernel.theta, P), X)
                np.testing.assert_allclose(vjp_inputs(kernel, way, X, other), fd, rtol=1e-5, atol=1e-6)


def test_materns_approach_the_squared_exponential_as_they_get_smoother(rng):
    X = rng.normal(size=(20, 2))
    theta = np.log([1.3, 0.8, 1.5])
    se = ArdSE(theta, 2)(X)
    gaps = [np.abs(build_kernel({"name": n}, X).with_theta(theta)(X) - se).max() for n in MATERN]
    gaps += [np.abs(oracle.matrix(oracle.matern(nu, 1.3, np.array([0.8, 1.5])), X, X) - se).max() for nu in (8.5, 40.5)]
    assert all(a > 1.4 * b for a, b in pairwise(gaps)) and gaps[-1] < 0.01


def test_rational_quadratic_approaches_the_squared_exponential_as_alpha_grows(rng):
    X = rng.normal(size=(20, 2))
    theta = np.log([1.3, 0.8, 1.5])
    kernel = build_kernel({"name": "rational-quadratic"}, X)
    gaps = [np.abs(kernel.with_theta(np.r_[theta, np.log(a)])(X) - ArdSE(theta, 2)(X)).max() for a in (1, 10, 100, 1e8)]
    assert all(a > 5 * b for a, b in pairwise(gaps)) and gaps[-1] < 1e-7


def test_a_periodic_function_repeats(rng):
    X = rng.normal(size=(9, 2))
    kernel = build_kernel({"name": "periodic"}, X)
    moved = X + 3 * np.array(kernel.values()["period"])
    np.testing.assert_allclose(kernel(X, moved), kernel(X), rtol=1e-10)


def test_one_length_scale_is_all_of_them_equal(rng):
    X = rng.normal(size=(9, 3))
    for name in NAMES:
        one, each = (build_kernel({"name": name, "ard": ard}, X) for ard in (False, True))
        values = {"variance": 1.3, "lengthscale": 0.7, "alpha": 2.0, "period": 1.9}
        np.testing.assert_allclose(one.with_values(values)(X), each.with_values(values)(X), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("combined", ["alone", "sum", "product"])
def test_numbers_on_a_pattern_are_those_of_the_matrix(name, combined, rng):
    X, Z = rng.normal(size=(12, 2)), rng.normal(size=(7, 2))
    spec = {"name": name} if combined == "alone" else {combined: [{"name": name}, {"name": "bias"}, {"name": "ard-se"}]}
    kernel = build_kernel(spec, X)
    kernel = kernel.with_theta(kernel.theta + 0.2 * rng.normal(size=len(kernel.theta)))
    for other in (None, Z):
        pattern = build_kernel({"name": "pp0"}, X).with_values({"lengthscale": 1.5}).support(X, other)
        dk = rng.normal(size=pattern.nnz)
        dK = type(pattern)((dk, pattern.indices, pattern.indptr), shape=pattern.shape).toarray()
        k, pull = kernel.linearised_on(pattern, X, other)
        columns = np.repeat(np.arange(pattern.shape[1]), np.diff(pattern.indptr))
        np.testing.assert_allclose(k, kernel(X, other)[pattern.indices, columns], rtol=1e-11, atol=1e-14)
        np.testing.assert_array_equal(kernel.on(pattern, X, other), k)
        np.testing.assert_allclose(pull(dk), vjp(kernel, dK, X, other), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_every_approximation_has_the_right_gradient(name, rng):
    X, Z = rng.normal(size=(25, 2)), rng.normal(size=(5, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=25)
    spec = {"sum": [{"name": name}, {"name": "matern32"}]} if name == "linear" else {"name": name}
    gp = GP(build_kernel(spec, X), 0.1)
    for approximation in sparse.APPROXIMATIONS.values():

        def value(theta, Z=Z, approximation=approximation):
            at = GP(gp.kernel.with_theta(theta), gp.noise)
            return sparse.evaluate(sparse.build(approximation, at, Z, X, y), gradient=False).F

        found = sparse.evaluate(sparse.build(approximation, gp, Z, X, y))
        fd = finite_difference(value, gp.kernel.theta)
        np.testing.assert_allclose(found.dtheta, fd, rtol=1e-4, atol=1e-5)
        if gp.kernel.smooth:
            fd = finite_difference(lambda P: value(gp.kernel.theta, P), Z)
            np.testing.assert_allclose(found.dZ, fd, rtol=1e-4, atol=1e-5)


def problem_of(rng, kernel, kind="fixed", n=60):
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.normal(size=n)
    gp = GP(build_kernel(kernel, X), 0.05)
    return Problem(X, y, gp, Schedule(kind, evaluations=15), rng.permutation(n)), X, y


@pytest.mark.parametrize("name", [n for n in NAMES if n != "linear"])
@pytest.mark.parametrize("method", ["full-gp", "sod", "info", "nlml", "ivm", "plv", "fitc", "vfe", "titsias", "cholqr"])
def test_regression_methods_take_every_kernel(name, method, rng):
    problem, X, y = problem_of(rng, {"name": name}, kind="joint" if method == "fitc" else "fixed")
    size = {} if method == "full-gp" else {"d_max": 25}
    fitted = catalog.find("method", method)(**size).fit(problem, rng)
    found = fitted.predict(X)
    assert (found.var > 0).all() and np.mean((found.mean - y) ** 2) < 0.5 * y.var()


def test_a_kernel_with_a_kink_does_not_move_inputs(rng):
    problem, _, _ = problem_of(rng, {"name": "matern12"})
    with pytest.raises(NotApplicable, match="no input gradient: matern12"):
        catalog.find("method", "fitc")(d_max=5, optimise_inputs=True).fit(problem, rng)


@pytest.mark.parametrize("name", NAMES)
def test_a_product_with_pp_has_compact_support_and_equals_the_dense_gp(name, rng):
    problem, X, y = problem_of(rng, {"product": [{"name": name}, {"name": "pp2"}]})
    fitted = catalog.find("method", "sparse-gp")().fit(problem, rng)
    dense = exact.ExactPosterior.fit(problem.gp, X, y)
    assert fitted.log_evidence == pytest.approx(dense.log_evidence, rel=1e-9)
    np.testing.assert_allclose(fitted.predict(X[:9] + 0.1).mean, dense.predict(X[:9] + 0.1).mean, rtol=1e-7, atol=1e-9)


def test_learning_finds_a_period(rng):
    X = np.sort(rng.uniform(-3, 3, size=(80, 1)), axis=0)
    y = np.sin(2 * np.pi * X[:, 0] / 0.8) + 0.05 * rng.normal(size=80)
    gp, _ = fit_hyperparameters(X, y, GP(build_kernel({"name": "periodic"}, X), 0.1))
    ratio = gp.kernel.values()["period"][0] / 0.8
    assert ratio == pytest.approx(round(ratio), rel=0.01) and gp.noise < 0.01


def test_the_papers_prior_covers_neither_alpha_nor_periods(rng):
    X = rng.normal(size=(9, 2))
    for name in ("rational-quadratic", "periodic"):
        kernel = build_kernel({"name": name}, X)
        _, dF = HalfStudentT()(kernel)
        covered = np.array([n.split("[")[0] in ("variance", "lengthscale") for n in kernel.names])
        assert ((dF != 0) == covered).all()


@pytest.mark.parametrize("name", ["ard-se", "matern32", "rational-quadratic", "pp2", "periodic"])
def test_an_input_that_is_constant_in_a_subset_starts_as_long_as_the_others(name, rng):
    """A rare level of a text column; started at no length at all, a row that has it made K lose every digit."""
    X = rng.normal(size=(40, 3))
    X[:, 1] = 0.0
    kernel = catalog.find("kernel", name).create(X)
    lengths = [v for k, v in zip(kernel.names, np.exp(kernel.theta)) if "[" in k]
    assert 0.3 < min(lengths) and max(lengths) < 60 * min(lengths)
    for start in kernel.starts(X):
        Z = np.vstack([X, [0.1, 37.0, 0.2], [0.1, 37.0, 0.3]])
        assert np.linalg.eigvalsh(start(Z)).min() > -1e-9
    both = catalog.find("kernel", name).create(X, ard=False)
    longest = np.exp(both.theta[list(both.names).index("lengthscale")])
    assert np.isfinite(longest) and longest > 0
