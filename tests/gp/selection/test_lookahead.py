"""[cao] section 3.3: the ranking by information pivots, and the exchange loop that uses it."""

import tracemalloc

import numpy as np
import pytest

from gpbench.experiment.evaluation.probes.ranking import ranks
from gpbench.gp.linalg.cholqr import CholQR
from gpbench.gp.selection.lookahead import Lookahead
from gpbench.gp.selection.swap import RESAMPLE, VARIANTS, Energy, swaps
from tests.helpers.problems import M, N, built, kernel_matrix
from tests.oracles import cholqr as oracle

NOISE = 0.02


def outside(factor):
    return np.setdiff1d(np.arange(len(factor.y)), factor.pivots)


def rows_of(K):
    return lambda index: K[index].copy()


def assert_statistics_from_definition(lookahead, K, y, information, candidates):
    """Estimates of a few candidates against (16)-(18) with dense matrices."""
    factor = lookahead.factor
    fit, norm2, trace = lookahead.statistics()
    near = [j for j in candidates if lookahead.delta[j] > 1e-4]  # far from all information pivots there is no estimate
    assert len(near) > 3
    for j in near:
        rho2 = NOISE + norm2[j]
        ours = fit[j] / rho2 / NOISE, np.log(NOISE) - np.log(rho2), trace[j] / NOISE
        expected = oracle.estimated_decreases(K, list(factor.pivots), list(information), y, NOISE, j)
        np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-6)


def test_estimates_follow_their_definition_through_rejections_and_both_kinds_of_acceptance():
    K, y, rng = kernel_matrix(7, length=0.3)
    factor = built(K, y, rng.permutation(N)[:M], NOISE)
    lookahead = Lookahead(factor, rows_of(K), 9)
    lookahead.resample(rng.choice(outside(factor), 9, replace=False))
    for t in range(60):
        removed = factor.remove(int(rng.integers(M)))
        lookahead.removed(removed)
        candidates = np.setdiff1d(outside(factor), removed.j)
        if t % 10 == 0:
            information = [removed.j, *lookahead.pivots]
            assert_statistics_from_definition(lookahead, K, y, information, candidates[::9])
        if t % 3 == 0:
            factor.insert(removed)
            lookahead.restored()
        else:  # a candidate that is an information pivot, and one that is not
            j = lookahead.pivots[t % 9] if t % 3 == 1 else rng.choice(np.setdiff1d(candidates, lookahead.pivots))
            before = set(lookahead.pivots)
            assert lookahead.inserted(factor.insert(factor.propose(j, K[j])))
            assert set(lookahead.pivots) == (before - {j} | {removed.j} if t % 3 == 1 else before)
    assert lookahead.size == 9
    assert_statistics_from_definition(lookahead, K, y, lookahead.pivots, outside(factor)[::9])


def test_with_all_points_as_information_pivots_the_ranking_is_the_exact_one():
    K, y, rng = kernel_matrix(8, n=60, length=0.25)
    factor = built(K, y, rng.permutation(60)[:6], NOISE)
    lookahead = Lookahead(factor, rows_of(K), 54)
    lookahead.resample(outside(factor))
    for energy in (Energy(True), Energy(False)):
        removed = factor.remove(2)
        lookahead.removed(removed)
        estimates = energy.estimates(*lookahead.statistics(), NOISE)
        usable = np.setdiff1d(outside(factor), removed.j)
        exact = np.array([energy.decrease(factor.propose(j, K[j]), NOISE) for j in usable])
        dense = [
            oracle.energy(K, factor.pivots, y, NOISE, energy.variational)
            - oracle.energy(K, [*factor.pivots, j], y, NOISE, energy.variational)
            for j in usable
        ]
        np.testing.assert_allclose(exact, dense, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(estimates[usable], exact, rtol=1e-8, atol=1e-8)
        assert np.isnan(estimates[[*factor.pivots, removed.j]]).all()
        factor.insert(removed)
        lookahead.restored()


def test_information_pivots_that_depend_on_others_are_left_out():
    K, y, _ = kernel_matrix(9)
    K = K[np.ix_([*range(N), 0, 1], [*range(N), 0, 1])]  # two rows twice
    y = np.r_[y, y[:2]]
    factor = built(K, y, np.arange(20, 20 + M), NOISE)
    lookahead = Lookahead(factor, rows_of(K), 5)
    lookahead.resample([0, 1, 2, N, N + 1])
    assert list(lookahead.pivots) == [0, 1, 2]
    assert np.isfinite(np.nanmax(lookahead.statistics()[0]))


@pytest.mark.parametrize("variational", [True, False])
@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_no_swap_raises_the_objective_and_each_accepted_one_equals_a_fresh_evaluation(variant, variational):
    K, y, rng = kernel_matrix(10, length=0.35)
    factor, energy = built(K, y, rng.permutation(N)[:M], NOISE), Energy(variational)
    accepted = 0
    for _ in range(4):
        for swap in swaps(factor, rows_of(K), rng.permutation(factor.pivots), energy, VARIANTS[variant](16, rng)):
            fresh = oracle.energy(K, factor.pivots, y, NOISE, variational)
            assert swap.after == pytest.approx(fresh, rel=1e-8)
            assert swap.after < swap.before if swap.accepted else swap.after == pytest.approx(swap.before, rel=1e-12)
            accepted += swap.accepted
    assert accepted >= M  # the start is random: most of it is worth replacing


def test_random_information_pivots_are_drawn_anew_once_in_five_swaps_on_average():
    K, y, rng = kernel_matrix(11)
    factor, drawn = built(K, y, rng.permutation(N)[:M], NOISE), []
    pivots = VARIANTS["random"](8, rng)
    begin = pivots.begin
    pivots.begin = lambda lookahead: (drawn.append(1), begin(lookahead))
    for _ in range(25):
        for _ in swaps(factor, rows_of(K), rng.permutation(factor.pivots), Energy(), pivots):
            pass
    draws, attempts = len(drawn) - 25, 25 * M  # the loop begins with a draw
    assert abs(draws - RESAMPLE * attempts) < 4 * np.sqrt(attempts * RESAMPLE * (1 - RESAMPLE))


def test_optimised_information_pivots_are_where_most_variance_is_unexplained():
    K, y, rng = kernel_matrix(12)
    factor = built(K, y, rng.permutation(N)[:M], NOISE)
    lookahead, pivots = Lookahead(factor, rows_of(K), 6), VARIANTS["oi"](6, rng)
    pivots.begin(lookahead)
    chosen = list(factor.pivots)
    for j in lookahead.pivots:
        left = np.diag(K - oracle.nystrom(K, chosen))
        assert j == np.argmax(left)
        chosen.append(j)


def test_adaptive_information_pivots_double_after_a_rejection_and_lose_one_after_an_acceptance():
    K, y, rng = kernel_matrix(13, length=0.35)
    factor, pivots, seen = built(K, y, rng.permutation(N)[:M], NOISE), VARIANTS["aa"](30, rng), set()
    for _ in range(4):
        for swap in swaps(factor, rows_of(K), rng.permutation(factor.pivots), Energy(), pivots):
            assert swap.next_pivots == (max(1, swap.pivots - 1) if swap.accepted else min(30, 2 * swap.pivots))
            seen.add(swap.accepted)
    assert seen == {True, False}


def test_exact_ranking_reports_how_good_the_estimate_was():
    K, y, rng = kernel_matrix(14, length=0.3)
    factor = built(K, y, rng.permutation(N)[:M], NOISE)
    pivots = VARIANTS["random"](N - M, rng)
    tried = list(swaps(factor, rows_of(K), factor.pivots[:3].copy(), Energy(), pivots, exact=True))
    for correlation, rank in map(ranks, tried):
        assert correlation > 0.999 and rank == 1


def test_a_swap_copies_no_factor():
    K, y, rng = kernel_matrix(15, n=1500)
    factor = built(K, y, rng.permutation(1500)[:100], NOISE)
    pivots, points = VARIANTS["random"](4, rng), factor.pivots[:12].copy()
    lookahead = Lookahead(factor, rows_of(K), 4)
    pivots.begin(lookahead)
    list(swaps(factor, rows_of(K), points[:2], Energy(), pivots, lookahead))
    tracemalloc.start()
    list(swaps(factor, rows_of(K), points[2:], Energy(), pivots, lookahead))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.5 * factor.chol.V.nbytes  # a few dozen n-vectors; V has 100


def test_a_single_inducing_point_is_exchanged_for_the_best_one():
    K, y, rng = kernel_matrix(16)
    factor = CholQR.build(K[[3]].copy(), [3], K.diagonal(), y, NOISE)
    swap = next(swaps(factor, rows_of(K), [3], Energy(), VARIANTS["random"](N - 1, rng)))
    best = min(range(N), key=lambda j: oracle.energy(K, [j], y, NOISE))
    assert factor.pivots[0] == best
    assert swap.after == pytest.approx(oracle.energy(K, [best], y, NOISE))
