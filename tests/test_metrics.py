"""Each score equals its formula on hand-made cases and prefers the better of two predictions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from scipy.stats import norm

from gpbench import metrics


def test_scores_equal_hand_made_values():
    y, mean, var = np.array([1.0, 3.0]), np.array([2.0, 3.0]), np.array([1.0, 4.0])
    assert metrics.nmse(y, mean, 2.0) == pytest.approx(0.25)  # (1 + 0) / 2 over 2
    assert metrics.smse(y, mean) == pytest.approx(0.5)  # variance of (1, 3) is 1
    expected = -(norm.logpdf(1, 2, 1) + norm.logpdf(3, 3, 2)) / 2
    assert metrics.nlpd(y, mean, var) == pytest.approx(expected)
    trivial = -(norm.logpdf(1, 0, 3) + norm.logpdf(3, 0, 3)) / 2
    assert metrics.snlp(y, mean, var, np.array([-3.0, 3.0])) == pytest.approx(expected - trivial)
    labels, prob = np.array([1, -1, 1]), np.array([0.9, 0.6, 0.2])
    assert metrics.err(labels, prob) == pytest.approx(2 / 3)
    assert metrics.nlpd_class(labels, prob) == pytest.approx(-np.log([0.9, 0.4, 0.2]).mean())


def test_every_score_prefers_the_better_prediction(rng):
    y = rng.normal(size=200)
    good, bad, var = y + 0.1 * rng.normal(size=200), y + rng.normal(size=200), np.full(200, 0.5)
    assert metrics.nmse(y, good, 1.0) < metrics.nmse(y, bad, 1.0)
    assert metrics.smse(y, good) < metrics.smse(y, bad)
    assert metrics.nlpd(y, good, var) < metrics.nlpd(y, bad, var)
    train = np.array([-1.0, 1.0])
    assert metrics.snlp(y, good, var, train) < min(0, metrics.snlp(y, bad, var, train))
    labels = np.sign(y)
    assert metrics.err(labels, norm.cdf(y)) < metrics.err(labels, norm.cdf(-y))
    assert metrics.nlpd_class(labels, norm.cdf(y)) < metrics.nlpd_class(labels, norm.cdf(-y))
    assert metrics.rmse(y, good) < metrics.rmse(y, bad) and metrics.mae(y, good) < metrics.mae(y, bad)
    assert metrics.crps(y, good, var) < metrics.crps(y, bad, var)


def test_rmse_mae_and_crps_equal_their_definitions(rng):
    y, mean, var = rng.normal(size=5), rng.normal(size=5), rng.uniform(0.2, 3.0, 5)
    assert metrics.rmse(y, mean) ** 2 == pytest.approx(np.mean((y - mean) ** 2))
    assert metrics.mae(y, mean) == pytest.approx(np.mean(np.abs(y - mean)))
    grid = np.linspace(-40, 40, 400_001)
    areas = [  # the integral of (F(x) - [x >= y])^2
        trapezoid((norm.cdf(grid, m, np.sqrt(v)) - (grid >= t)) ** 2, grid) for t, m, v in zip(y, mean, var)
    ]
    assert metrics.crps(y, mean, var) == pytest.approx(np.mean(areas), rel=1e-4)


def test_the_best_coverage_is_95_percent_and_neither_more_nor_less(rng):
    y = rng.normal(size=20_000)
    found = {sd: metrics.coverage(y, np.zeros_like(y), np.full_like(y, sd**2)) for sd in (0.5, 1.0, 2.0)}
    assert found[1.0] == pytest.approx(0.95, abs=0.005) and found[0.5] < 0.7 < 0.999 < found[2.0]
    assert min(found, key=lambda sd: metrics.loss("coverage", found[sd])) == 1.0
    assert metrics.loss("nlpd", -3.0) == -3.0


@given(st.floats(0.1, 100), st.floats(-50, 50))
def test_nlpd_moves_by_log_of_the_unit_and_nmse_not_at_all(unit, shift):
    y, mean, var = np.array([0.0, 1.0, 2.5]), np.array([0.2, 0.9, 2.0]), np.array([0.3, 0.2, 0.5])
    moved = metrics.nlpd(unit * y + shift, unit * mean + shift, unit**2 * var)
    assert moved == pytest.approx(metrics.nlpd(y, mean, var) + np.log(unit), abs=1e-6)
    assert metrics.smse(unit * y + shift, unit * mean + shift) == pytest.approx(metrics.smse(y, mean), rel=1e-6)


def test_a_certain_and_wrong_classifier_has_a_finite_loss():
    assert np.isfinite(metrics.nlpd_class(np.array([1, -1]), np.array([0.0, 1.0])))


def test_a_confidently_wrong_point_costs_the_same_in_both_classes():
    """Phi(-8.3): 1 - p of the other class is rounded, that of Phi(-39) is 0."""
    for z in (8.3, 39.0):
        p, log_p = norm.cdf([z, -z]), norm.logcdf([[-z, z], [z, -z]])
        wrong = [metrics.nlpd_class(np.array([y]), p[[i]], log_p[[i]]) for i, y in enumerate((-1, 1))]
        assert wrong == pytest.approx([-norm.logcdf(-z)] * 2, rel=1e-12)


def test_class_scores_equal_hand_made_values():
    y = np.array([0, 2, 1, 1])
    prob = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8], [0.5, 0.3, 0.2], [0.05, 0.9, 0.05]])
    found = metrics.scores("classification", {"y": y, "prob": prob})
    assert found["err"] == 0.25
    assert found["log_loss"] == found["nlpd"] == pytest.approx(-np.log([0.7, 0.8, 0.3, 0.9]).mean())
    assert found["brier"] == pytest.approx(((prob - np.eye(3)[y]) ** 2).sum(1).mean())
    assert found["ece"] == pytest.approx((0.3 + 0.2 + 0.5 + 0.1) / 4)  # each row in a bin of its own


def test_two_classes_have_the_same_scores_in_both_formats(rng):
    y, p = np.where(rng.uniform(size=200) < 0.4, 1.0, -1.0), rng.uniform(size=200)
    both = np.column_stack([1 - p, p])
    one = metrics.scores("classification", {"y": y, "prob": p})
    assert one["brier"] == pytest.approx(np.mean((p - (y > 0)) ** 2))
    assert one["ece"] == pytest.approx(metrics.ece(y, both)) and metrics.nlpd_class(y, both) == one["nlpd"]


def test_ece_of_right_probabilities_is_small_and_of_sure_ones_their_distance(rng):
    p = rng.uniform(0.5, 1, size=40_000)
    y = np.where(rng.uniform(size=40_000) < p, 1.0, -1.0)
    assert metrics.ece(y, p) < 0.01
    assert metrics.ece(y, np.full(40_000, 1.0)) == pytest.approx(np.mean(y < 0))
    count, sure, right = metrics.reliability(y, p)
    assert count.sum() == 40_000 and len(count) == 15 and (right <= count).all() and (count[:7] == 0).all()
    assert sure.sum() == pytest.approx(p.sum())


def test_scores_of_classes_and_counts_agree_with_scikit_learn(rng):
    sklearn = pytest.importorskip("sklearn.metrics")
    y, prob = rng.integers(0, 4, 50), rng.dirichlet(np.ones(4), 50)
    assert metrics.log_loss(y, prob) == pytest.approx(sklearn.log_loss(y, prob))
    counts, mean = rng.poisson(3.0, 50), rng.uniform(1, 5, 50)
    assert metrics.deviance(counts, mean) == pytest.approx(sklearn.mean_poisson_deviance(counts, mean))
    assert metrics.deviance(counts + 0.5, mean) is None and metrics.deviance(counts, mean - 2) is None


def test_a_density_of_its_own_takes_the_place_of_the_normal_one():
    parts = {"y": np.array([1.0, 5.0]), "mean": np.ones(2), "var": np.ones(2), "y_train": np.arange(3.0),
             "variance": 1.0, "log_density": np.array([-1.0, -3.0]),
             "interval": np.array([[0.0, 2.0], [0.0, 2.0]])}  # fmt: skip
    found = metrics.scores("regression", parts)
    assert found["nlpd"] == 2.0 and found["coverage"] == 0.5 and found["crps"] is None
    del parts["interval"]
    assert metrics.scores("regression", parts)["coverage"] is None
