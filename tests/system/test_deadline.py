"""Limits of time: nested ends, shares, the planning of a step from its measured cost, and what was cut."""

import time

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning import ladder, sizes
from gpbench.gp.learning.optimise import maximise
from gpbench.system import deadline

RNG = np.random.default_rng(0)


def test_without_a_limit_every_step_fits_and_nothing_is_over():
    cost = deadline.Cost()
    with cost.of(1e-9):
        time.sleep(0.01)
    assert cost.fits(1e9) and deadline.left() == float("inf") and not deadline.passed() and not deadline.limited()


def test_the_earlier_of_two_ends_holds_and_a_share_is_one_of_the_time_left():
    with deadline.within(10):
        with deadline.within(100):
            assert 9 < deadline.left() <= 10
        with deadline.share(0.5):
            assert 4 < deadline.left() <= 5
        assert deadline.left() > 9


def test_a_step_is_planned_from_the_seconds_of_the_one_before():
    cost = deadline.Cost()
    with deadline.within(1.0):
        assert cost.fits(1e12)  # nothing is known before the first step
        with cost.of(10.0):
            time.sleep(0.05)
        assert cost.fits(20.0) and not cost.fits(1000.0)
        assert cost.seconds(20.0) == pytest.approx(2 * cost.seconds(10.0))


def test_cuts_are_kept_once_by_the_list_around_them():
    deadline.cut("outside")
    with deadline.cuts() as found:
        for _ in range(2):
            deadline.cut("inside")
    assert found == ["inside"]


def test_an_optimiser_does_not_begin_an_evaluation_that_would_end_too_late():
    def slow(x):
        time.sleep(0.2)
        return -float(rosen(x)), -rosen_der(x)

    begin = time.monotonic()
    with deadline.within(0.7), deadline.cuts() as cut:
        found = maximise(slow, -np.ones(3))
    assert time.monotonic() - begin < 0.7 + 0.1 and 1 <= found.evaluations <= 3
    assert cut == ["learning was ended early"]


def test_the_ladder_of_subsets_stops_before_a_rung_that_does_not_fit():
    X = RNG.normal(size=(2000, 2))
    y = np.sin(X[:, 0])
    slow_from = 1500

    def evaluate(gp, X, y):
        time.sleep(0.01 * (len(y) / 500) ** 3)
        return -float(gp.noise), np.zeros(len(gp.kernel.theta)), -gp.noise

    with deadline.within(1.5), deadline.cuts() as cut:
        _, info = ladder.fit_hyperparameters(X, y, GP(ArdSE.create(X), 0.1), evaluate=evaluate)
    assert max(info["rungs"]) < slow_from and any("learned on" in line for line in cut)


def test_a_ladder_of_sizes_keeps_the_sizes_that_there_is_time_for():
    X = RNG.normal(size=(400, 2))
    y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=400)

    def start(m):
        time.sleep(0.4 * (m / 100) ** 2)
        return X[:m]

    with deadline.within(1.5), deadline.cuts() as cut:
        _, seen = sizes.enough_held_out(0.1, [25, 50, 100, 200, 400], start, GP(ArdSE.create(X), 0.1), X, y)
    assert 1 <= len(seen) < 5 and any("were not tried" in line for line in cut)
