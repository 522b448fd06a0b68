"""hog-sim: the same rows for everybody, histograms by definition, a target that the pictures determine."""

import numpy as np
import pytest

from gpbench import data
from gpbench.data.sources import hog_sim


@pytest.fixture(scope="module")
def small():
    return data.load({"name": "hog-sim", "n_train": 300, "n_test": 100})


def test_rows_are_the_same_for_everybody_and_differ_by_seed(small):
    again = data.load({"name": "hog-sim", "n_train": 300, "n_test": 100}, np.random.default_rng(5))
    other = data.load({"name": "hog-sim", "n_train": 300, "n_test": 100, "seed": 1})
    assert again.sha256 == small.sha256 != other.sha256
    assert small.simulated and any("not public" in note for note in small.notes)


def test_the_published_sizes_are_the_default():
    source = hog_sim.HogSim()
    assert (source.n_train, source.n_test) == (4819, 4811)


def test_three_histograms_of_mass_one(small):
    assert small.X.shape == (400, 810)
    assert small.X.min() >= 0
    np.testing.assert_allclose(small.X.reshape(400, 3, 270).sum(2), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(small.published_split[0], np.arange(300))


def test_orientations_of_a_ramp_are_those_of_its_gradient():
    """Grey values rise along one direction: all votes go to the two bins around that angle, weighted by nearness."""
    rows, columns = np.mgrid[0:36, 0:30]
    angle = np.deg2rad(37.0)  # 37 degrees lie between the centres of bins 1 (30) and 2 (50)
    picture = np.cos(angle) * columns + np.sin(angle) * rows
    H = hog_sim.histograms(picture[None])[0].reshape(30, 9)
    np.testing.assert_allclose(H.sum(0), [0, 0.65, 0.35, 0, 0, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(H.sum(1), 1 / 30, rtol=1e-12)


def test_histograms_equal_a_loop_over_pixels(rng):
    picture = rng.random((36, 30))
    expected = np.zeros((6, 5, 9))
    down, right = np.gradient(picture)
    for r in range(36):
        for c in range(30):
            angle = np.rad2deg(np.arctan2(down[r, c], right[r, c])) % 180
            for b in range(9):  # a bin takes what lies within 20 degrees of its centre, going round
                away = abs((angle - (20 * b + 10) + 90) % 180 - 90)
                expected[r // 6, c // 6, b] += np.hypot(down[r, c], right[r, c]) * max(0.0, 1 - away / 20)
    np.testing.assert_allclose(hog_sim.histograms(picture[None])[0], (expected / expected.sum()).ravel(), atol=1e-12)


def test_segments_have_their_lengths_and_hang_together(rng):
    joints, height = hog_sim.figures(50, rng)
    length = np.linalg.norm(joints[:, :, 1] - joints[:, :, 0], axis=2) / height[:, None]
    np.testing.assert_allclose(length[:, 0], hog_sim.SHOULDER - hog_sim.HIP, rtol=1e-12)
    np.testing.assert_allclose(length[:, 1], 2 * hog_sim.SHOULDERS, rtol=1e-12)
    np.testing.assert_allclose(length[:, 4:8] / [[hog_sim.UPPER_ARM] * 2 + [hog_sim.FOREARM] * 2], 1.0, atol=1e-12)
    np.testing.assert_allclose(joints[:, 5, 1], joints[:, 7, 0], atol=1e-12)  # left elbow
    np.testing.assert_allclose(joints[:, 8, 1], joints[:, 10, 0], atol=1e-12)  # right knee


def test_a_limb_is_drawn_where_it_is():
    upright = np.array([[[[0.0, -0.25], [0.0, 0.25]]]])
    picture = hog_sim._draw(upright, np.array([0.05]), np.array([0.8]), (36, 30))[0]
    assert picture[18, 15] == 0.8 and picture[18, 2] == 0.0 and picture[1, 15] == 0.0
    np.testing.assert_allclose(picture, picture[:, ::-1], atol=1e-12)


def test_the_target_is_the_height_of_the_left_wrist_and_can_be_learned(small):
    """Kernel ridge regression on the histograms beats the mean by far; without pictures of the arm it could not."""
    X, y = small.X, small.y
    assert 0.5 < y.min() and y.max() < 2.4
    train, test = small.published_split
    K = np.minimum(X[:, None, :], X[None, train, :]).sum(2)  # (400, 300)
    weights = np.linalg.solve(K[train] + 0.3 * np.eye(300), y[train] - y[train].mean())
    error = np.mean((K[test] @ weights + y[train].mean() - y[test]) ** 2)
    assert error < 0.75 * y[test].var()
