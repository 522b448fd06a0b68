"""Rules that look at no target: each against its definition on small kernel matrices, and as methods."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, spearmanr

from gpbench import catalog
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.histogram_intersection import HistogramIntersection
from gpbench.gp.selection import initialisers
from gpbench.gp.selection.initialisers import kdpp, leverage, rpcholesky
from gpbench.gp.selection.pivoting import Pivoting
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.methods.fitc import Fitc
from tests.oracles import rules as oracle


def setting(n=40, dims=2, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, dims))
    return GP(ArdSE(np.log(np.r_[1.3, np.linspace(0.6, 0.9, dims)]), dims), noise), X


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 40), m=st.integers(1, 45), dims=st.integers(1, 5), seed=st.integers(0, 99))
def test_every_rule_gives_distinct_rows_and_no_more_than_asked(n, m, dims, seed):
    gp, X = setting(n, dims, seed)
    for name in initialisers.NAMES:
        rows = initialisers.find(name)(gp, X, m, np.random.default_rng(seed)).rows
        assert 1 <= len(rows) <= min(n, m) and len(set(rows.tolist())) == len(rows)
        assert set(rows.tolist()) <= set(range(n))


def test_conditional_variance_takes_what_the_basis_determines_least():
    gp, X = setting()
    chosen = initialisers.find("conditional-variance")(gp, X, 12, None)
    assert chosen.rows.tolist() == oracle.greedy(gp.kernel(X), 12)
    assert chosen.kernel_rows == 12


def test_pivots_taken_in_blocks_leave_the_factor_and_residual_of_single_ones():
    gp, X = setting()
    single, block = Pivoting(gp.kernel, X, 9), Pivoting(gp.kernel, X, 9)
    index = np.array([3, 17, 5, 30, 8, 21, 11])
    for j in index:
        single.take(int(j))
    block.take_block(index[:3])
    block.take_block(index[3:])
    np.testing.assert_allclose(block.factor.rows, single.factor.rows, atol=1e-10)
    np.testing.assert_allclose(block.residual, np.maximum(oracle.residual_diagonal(gp.kernel(X), index), 0), atol=1e-9)
    assert block.pivots.tolist() == index.tolist()


def test_a_block_with_a_repeated_row_takes_it_once():
    gp, X = setting()
    path = Pivoting(gp.kernel, X, 9)
    path.take_block(np.array([3, 5, 3, 8]))
    assert path.pivots.tolist() == [3, 5, 8]


@pytest.mark.parametrize("block", [1, 3, 16])
def test_accelerated_rpcholesky_has_the_law_of_drawing_pivots_one_by_one(block):
    gp, X = setting(n=5)
    law = oracle.rpcholesky_law(gp.kernel(X), 2)
    rng, draws = np.random.default_rng(7), 2000
    found = Counter(tuple(rpcholesky.choose(gp, X, 2, rng, block).rows.tolist()) for _ in range(draws))
    assert set(found) <= set(law)
    assert chisquare([found[k] for k in law], [draws * p for p in law.values()]).pvalue > 1e-3


def test_ratio_of_an_exchange_is_that_of_the_determinants_and_the_inverse_follows_it():
    gp, X = setting()
    chain = kdpp.Exchange(gp.kernel, X, np.array([1, 7, 20, 33]))
    for i, j in ((2, 5), (0, 30), (3, 20), (1, 12)):
        before = gp.kernel(X[chain.rows]) + chain.jitter * np.eye(4)
        rows = chain.rows.copy()
        rows[i] = j
        after = gp.kernel(X[rows]) + chain.jitter * np.eye(4)
        ratio, q = chain.ratio(i, j)
        assert ratio == pytest.approx(np.linalg.det(after) / np.linalg.det(before), rel=1e-6)
        chain.exchange(i, j, q)
        np.testing.assert_allclose(chain.P @ after, np.eye(4), atol=1e-6)


def test_exchanges_end_in_the_law_of_determinants():
    gp, X = setting(n=6)
    law = oracle.kdpp_law(gp.kernel(X), 3)
    rng, draws = np.random.default_rng(3), 1000
    chain, outside, found = kdpp.Exchange(gp.kernel, X, np.arange(3)), np.arange(3, 6), Counter()
    for step in range(15 * draws):
        chain.step(outside, rng)
        if step % 15 == 14:  # far enough apart to count as independent
            found[tuple(sorted(chain.rows.tolist()))] += 1
    assert chisquare([found[k] for k in law], [draws * p for p in law.values()]).pvalue > 1e-3


def test_leverage_scores_are_exact_when_every_row_is_a_landmark():
    gp, X = setting()
    rows = np.arange(len(X))
    np.testing.assert_allclose(
        leverage.scores(gp, X, rows, rows), oracle.leverage(gp.kernel(X), gp.noise), rtol=1e-7, atol=1e-9
    )


def test_leverage_scores_judged_by_a_sample_of_half_the_rows_never_miss_a_row_and_stay_of_one_order():
    """What Musco and Musco need of them: hardly below the true scores, and a sum within a constant of the true one."""
    gp, X = setting(n=400, noise=0.05)
    rng = np.random.default_rng(0)
    half = rng.permutation(400)[:200]
    landmarks, weights = leverage.sample(half, leverage.scores(gp, X, half, half), 200, rng)
    got, exact = leverage.scores(gp, X, np.arange(400), landmarks, weights), oracle.leverage(gp.kernel(X), gp.noise)
    assert np.quantile(got / exact, 0.02) > 0.8
    assert got.sum() < 3.0 * exact.sum()
    assert spearmanr(got, exact).statistic > 0.5


def test_leverage_draws_follow_the_scores():
    rng = np.random.default_rng(0)
    score = np.array([1.0, 2.0, 5.0])
    first = Counter(int(leverage._distinct(np.arange(3), score, 1, rng)[0]) for _ in range(4000))
    assert chisquare([first[k] for k in range(3)], 4000 * score / score.sum()).pvalue > 1e-3


@pytest.mark.parametrize("name", initialisers.NAMES)
def test_duplicate_rows_are_taken_once(name):
    gp, X = setting(n=8)
    doubled = np.vstack([X, X, X])
    rows = initialisers.find(name)(gp, doubled, 8, np.random.default_rng(0)).rows
    if name != "leverage":  # draws by score alone may meet a copy
        assert len({tuple(doubled[j]) for j in rows}) == len(rows)


@pytest.mark.parametrize("name", initialisers.NAMES)
def test_a_rule_is_a_method_and_a_start_and_needs_no_gradient_of_the_kernel(name):
    rng = np.random.default_rng(0)
    X = rng.dirichlet(np.ones(6), 60)
    y = X @ np.arange(6) + 0.01 * rng.normal(size=60)
    gp = GP(HistogramIntersection.create(X), 0.01)
    problem = Problem(X, y - y.mean(), gp, Schedule(), rng.permutation(60))
    own = catalog.find("method", name)(d_max=10).fit(problem, np.random.default_rng(1))
    started = Fitc(d_max=10, inducing=name).fit(problem, np.random.default_rng(1))
    np.testing.assert_array_equal(own.pivots, started.pivots)
    assert np.mean((own.predict(X).mean - problem.y) ** 2) < 0.5 * np.var(y)


def test_more_rows_by_conditional_variance_extend_the_shorter_choice():
    gp, X = setting()
    short, long = (initialisers.find("conditional-variance")(gp, X, m, None).rows for m in (6, 15))
    assert long[:6].tolist() == short.tolist()


def test_a_kernel_that_explains_everything_with_one_row_ends_early():
    gp, X = setting()
    flat = dataclasses.replace(gp, kernel=ArdSE(np.log([1.0, 1e9, 1e9]), 2))
    assert len(initialisers.find("rpcholesky")(flat, X, 5, np.random.default_rng(0)).rows) == 1
