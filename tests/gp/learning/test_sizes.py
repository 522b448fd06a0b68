"""How many inducing inputs: each rule against its definition."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from gpbench.gp.inference import sparse
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning import sizes
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.methods.vfe import Vfe
from tests.oracles import sparse as oracle


def wave(n=200, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 1))
    y = np.sin(2 * X[:, 0]) + np.sqrt(noise) * rng.normal(size=n)
    return Problem(X, y, GP(ArdSE(np.log([1.0, 0.5]), 1), noise), Schedule(), rng.permutation(n))


def upper_bound(gp, Z, X, y):
    S, r = oracle.covariance("dtc", gp.kernel, gp.noise, Z, X)
    sign, logdet = np.linalg.slogdet(S)
    quadratic = y @ np.linalg.inv(S + r.sum() * np.eye(len(y))) @ y
    assert sign > 0
    return -0.5 * (logdet + quadratic + len(y) * np.log(2 * np.pi))


@settings(max_examples=30, deadline=None)
@given(m=st.integers(1, 12), seed=st.integers(0, 50), log_noise=st.floats(-3, 1))
def test_the_evidence_lies_between_the_bounds_whose_gap_the_rule_measures(m, seed, log_noise):
    p = wave(40, float(np.exp(log_noise)), seed)
    Z = np.linspace(-3, 3, m)[:, None]
    model = sparse.build(sparse.VFE, p.gp, Z, p.X, p.y)
    lower, upper = sparse.evaluate(model, gradient=False).F, upper_bound(p.gp, Z, p.X, p.y)
    assert lower <= ExactPosterior.fit(p.gp, p.X, p.y).log_evidence + 1e-6 and upper >= lower - 1e-6
    assert ExactPosterior.fit(p.gp, p.X, p.y).log_evidence <= upper + 1e-6
    assert sizes.bound_gap(model) == pytest.approx((upper - lower) / 40, rel=1e-6, abs=1e-7)


def test_trace_share_is_that_of_the_residual():
    p = wave()
    Z = p.X[:7]
    model = sparse.build(sparse.VFE, p.gp, Z, p.X, p.y)
    _, r = oracle.covariance("dtc", p.gp.kernel, p.gp.noise, Z, p.X)
    assert sizes.trace_share(model) == pytest.approx(r.sum() / len(p.y), rel=1e-8)


def test_losses_on_held_out_rows_are_minus_the_log_density_of_the_model_of_the_others():
    p = wave(40, 0.05)
    y = p.y + np.where(np.arange(40) % 7 == 0, 1.5, 0.0)  # rows far off must lose most
    Z, kept = np.linspace(-3, 3, 8)[:, None], 32
    Kuf, Kus = p.gp.kernel(Z, p.X[:kept]), p.gp.kernel(Z, p.X[kept:])
    Kuu = p.gp.kernel(Z, Z) + 1e-8 * np.eye(8)
    A = Kuf @ Kuf.T + p.gp.noise * Kuu
    mean = Kus.T @ np.linalg.solve(A, Kuf @ y[:kept])
    explained = (Kus * np.linalg.solve(Kuu, Kus)).sum(0) - p.gp.noise * (Kus * np.linalg.solve(A, Kus)).sum(0)
    var = p.gp.kernel.diag(p.X[kept:]) - explained + p.gp.noise
    expected = -stats.norm.logpdf(y[kept:], mean, np.sqrt(var))
    found = sizes.held_out_losses(p.gp, Z, p.X, y, 0.2)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert found[np.arange(kept, 40) % 7 == 0].min() > 5


def test_ladder_doubles_and_ends_at_the_largest():
    assert sizes.ladder(300) == [25, 50, 100, 200, 300]
    assert sizes.ladder(25) == [25] and sizes.ladder(10) == [10]


@pytest.mark.parametrize("stop", [{"trace": 1e-3}, {"gap": 0.01}])
def test_the_first_size_that_is_enough_is_taken_and_the_smaller_ones_are_not(stop):
    ((rule, threshold),) = stop.items()
    fitted = Vfe(d_max=150, inducing="random", stop=stop).fit(wave(), np.random.default_rng(0))
    seen = [row for row in fitted.trace if rule in row]
    assert fitted.n_basis == seen[-1]["size"] < 150
    assert seen[-1][rule] <= threshold and all(row[rule] > threshold for row in seen[:-1])


def test_the_automatic_size_is_within_one_standard_error_of_the_difference_from_the_best():
    fitted = Vfe(d_max=150, inducing="random", stop="auto").fit(wave(), np.random.default_rng(0))
    seen = {row["size"]: row for row in fitted.trace if "held_out_nlpd" in row}
    best = min(row["held_out_nlpd"] for row in seen.values())
    assert min(row["standard_error"] for row in seen.values()) == 0  # the best differs from itself by nothing
    near = [m for m, row in seen.items() if row["held_out_nlpd"] <= best + row["standard_error"]]
    assert fitted.n_basis == min(near)


def test_held_out_rows_take_the_smallest_size_within_one_standard_error_of_the_best():
    fitted = Vfe(d_max=150, inducing="random", stop={"held_out": 0.2}).fit(wave(), np.random.default_rng(0))
    seen = {row["size"]: row for row in fitted.trace if "held_out_nlpd" in row}
    best = min(seen.values(), key=lambda row: row["held_out_nlpd"])
    limit = best["held_out_nlpd"] + best["standard_error"]
    assert fitted.n_basis == min(m for m, row in seen.items() if row["held_out_nlpd"] <= limit)
    assert list(seen) == sizes.ladder(150)


def test_a_rule_that_is_never_satisfied_goes_to_d_max():
    rough = dataclasses.replace(wave(), gp=GP(ArdSE(np.log([1.0, 1e-3]), 1), 0.05))
    assert Vfe(d_max=60, inducing="random", stop={"trace": 1e-3}).fit(rough, np.random.default_rng(0)).n_basis == 60


def test_a_rule_changes_no_draw_of_the_choice_itself():
    plain = Vfe(d_max=50, inducing="rpcholesky").fit(wave(), np.random.default_rng(0))
    ruled = Vfe(d_max=50, inducing="rpcholesky", stop={"trace": 1e-12}).fit(wave(), np.random.default_rng(0))
    np.testing.assert_array_equal(plain.pivots, ruled.pivots)


@pytest.mark.parametrize("stop", [{}, {"trace": 0.1, "gap": 0.1}, {"trace": 2.0}, {"patience": 3}, "never"])
def test_a_stop_that_is_not_one_rule_is_refused(stop):
    with pytest.raises(ValidationError):
        Vfe(stop=stop)
