"""Version 5 of the learner: L-BFGS over a learned diagonal, beside dense formulas, scipy and version 4."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from gpbench import catalog
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning.lbfgs import PAIRS, InverseHessian
from gpbench.gp.learning.learner import HyperparameterSearch
from gpbench.gp.learning.optimise import maximise
from gpbench.methods.base import Problem, Schedule
from scripts.bench.race import Reached, Watch, rows, start_of


def spread_out(p, seed, decades=4.0):
    """A positive definite matrix near a diagonal over some decades, and the diagonal of its inverse."""
    rng = np.random.default_rng(seed)
    scale = 10 ** rng.uniform(-decades / 2, decades / 2, p)
    R = rng.normal(size=(p, p)) / p
    return np.sqrt(np.outer(scale, scale)) * (np.eye(p) + R @ R.T), 1 / scale


@pytest.mark.parametrize("count", [1, 5, PAIRS])
def test_pairs_over_a_diagonal_equal_the_dense_bfgs_matrices(rng, count):
    p = 12
    A, _ = spread_out(p, 3)
    H = InverseHessian(rng.uniform(0.5, 2.0, p))
    pairs = [(s, A @ s) for s in rng.normal(size=(count, p))]
    for s, y in pairs:
        D = H.diagonal * (s @ y) / (y @ (H.diagonal * y))
        B = np.diag(1 / D)  # the direct formula on the whole matrix: B + yy'/s'y - Bss'B/s'Bs
        B += np.outer(y, y) / (s @ y) - np.outer(B @ s, B @ s) / (s @ B @ s)
        H.learn(s, y)
        np.testing.assert_allclose(H.diagonal, 1 / B.diagonal(), rtol=1e-10)
    dense = np.diag(H.diagonal)
    for s, y in pairs:
        left = np.eye(p) - np.outer(s, y) / (s @ y)
        dense = left @ dense @ left.T + np.outer(s, s) / (s @ y)
    g = rng.normal(size=p)
    np.testing.assert_allclose(H @ g, dense @ g, rtol=1e-8)


def test_a_pair_without_curvature_is_passed_over():
    H = InverseHessian(np.ones(2))
    H.learn(np.array([1.0, 0.0]), np.array([-1.0, 0.0]))
    assert not H.pairs and (H.diagonal == 1).all()


@settings(max_examples=40, deadline=None)
@given(p=st.integers(1, 30), seed=st.integers(0, 999), boxed=st.booleans())
def test_a_bowl_in_a_box_is_climbed_to_where_scipy_ends(p, seed, boxed):
    A, _ = spread_out(p, seed, decades=2.0)
    centre = np.random.default_rng(seed + 1).normal(size=p)
    bowl = lambda x: (-0.5 * (x - centre) @ A @ (x - centre), A @ (centre - x))  # noqa: E731
    bounds = [(-0.5, 0.5)] * p if boxed else [(None, None)] * p
    found = maximise(bowl, np.zeros(p), 2000, bounds=bounds, tolerance=1e-12, first_step=1.0, diagonal=np.ones(p))
    exact = minimize(
        lambda x: tuple(-v for v in bowl(x)),
        np.zeros(p),
        jac=True,
        bounds=bounds,
        options={"ftol": 1e-16, "gtol": 1e-9},
    )
    assert found.value == pytest.approx(-exact.fun, rel=1e-6, abs=1e-8)
    assert not boxed or np.abs(found.x).max() <= 0.5


def test_a_diagonal_over_four_decades_takes_fewer_evaluations_than_scipys():
    A, _ = spread_out(200, 5)
    spent = {}
    for name, diagonal in (("ours", np.ones(200)), ("scipy", None)):
        found = maximise(
            lambda x: (-0.5 * x @ A @ x, -A @ x), np.ones(200), 5000, tolerance=1e-9, first_step=1.0, diagonal=diagonal
        )
        assert found.value > -1e-3
        spent[name] = found.evaluations
    assert spent["ours"] < 0.7 * spent["scipy"]


def test_the_first_step_is_as_long_as_the_learner_says():
    points = []

    def steep(x):
        points.append(x)
        return -1e4 * float(((x - 3) ** 2).sum()), -2e4 * (x - 3)

    maximise(steep, np.zeros(4), 10, first_step=1.0, diagonal=np.array([1.0, 1.0, 10.0, 10.0]))
    assert np.linalg.norm(points[1]) == pytest.approx(1.0)
    assert points[1][2] == pytest.approx(10 * points[1][0])


def climbed(kind, version, X, y, m, target, most):
    start, watch = start_of(X, m), Watch(target)
    gp = GP(ArdSE(np.log(np.r_[1.0, start["lengthscale"]]), X.shape[1]), 0.1)
    schedule = Schedule("joint", evaluations=most, learner=HyperparameterSearch(version))
    problem = Problem(X, y, gp, schedule, np.arange(len(y)), journal=watch)
    try:
        catalog.find("method", kind)(d_max=m, inducing="random", optimise_inputs=True).fit(
            problem, np.random.default_rng(0)
        )
    except Reached:
        pass
    return watch.trace


def test_free_inducing_inputs_climb_as_high_in_fewer_evaluations_than_with_version_4():
    spent = []
    for name, kind, seed in product(("kin40k-sim", "friedman3"), ("fitc", "vfe"), (0, 1)):
        X, y = rows(name, 1000, seed)
        trace = climbed(kind, 4, X, y, 40, np.inf, 100)
        end = max(F for _, F in trace)
        target = end - 1e-3 * abs(end)
        before = next(i for i, (_, F) in enumerate(trace, 1) if F >= target)
        spent.append(len(climbed(kind, 5, X, y, 40, target, 200)) / before)
    assert np.exp(np.mean(np.log(spent))) < 0.95, spent
