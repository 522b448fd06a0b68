"""Generated data sets: the formulas against slow oracles, the statistics against the published rows'."""

import numpy as np
import pytest
from scipy import stats

from gpbench import data
from gpbench.data.sources import (
    friedman,
    kin40k_sim,
    matern_field,
    pp_regression,
    pumadyn32nm_sim,
    snelson_noise,
    synth,
)
from gpbench.data.splits import make_split
from gpbench.errors import DataError
from gpbench.gp.kernels.build import build_kernel
from tests.oracles.data import Lagrangian, detrended, product_rule, tip


def load(name, seed=0, **options):
    return data.load({"name": name, **options}, np.random.default_rng(seed))


def parts(d):
    s = make_split(d, {"kind": "published"}, np.random.default_rng(0), 0)
    return d.X[s.train], d.y[s.train], d.X[s.test], d.y[s.test]


def test_kin_distance_is_that_of_the_product_of_link_matrices(rng):
    theta = rng.uniform(-2, 2, (5, 8))
    slow = [np.linalg.norm(tip(t, kin40k_sim.D, kin40k_sim.A, kin40k_sim.ALPHA) - 0.1) for t in theta]
    assert np.allclose(kin40k_sim.distance(theta), slow, atol=1e-14)


def test_simulated_kin40k_has_the_published_rows_statistics():
    """Bands: the three simulated draws and the real rows of the generators' table, with the sampling spread."""
    raw = load("kin40k-sim", detrend=False)
    X, y, _, _ = parts(raw)
    assert raw.X.shape == (40000, 8) and np.abs(raw.X).max() <= np.pi / 2
    assert raw.y.var() == pytest.approx(0.0706, rel=0.03) and raw.y.mean() == pytest.approx(0.7161, abs=0.01)
    line = np.c_[X, np.ones(len(X))]
    residual = y - line @ np.linalg.lstsq(line, y, rcond=None)[0]
    assert 1 - residual.var() / y.var() == pytest.approx(0.428, abs=0.02)
    assert residual.std() == pytest.approx(0.2005, abs=0.006)
    d = load("kin40k-sim")
    Xd, yd, _, test = parts(d)
    assert np.allclose(d.y, detrended(raw.X, raw.y, 10000), atol=1e-10)
    assert np.allclose(Xd, X / X.std(0, ddof=1)) and yd.std(ddof=1) == pytest.approx(1)
    assert abs(test.mean()) < 0.04 and test.var() == pytest.approx(1, abs=0.06)
    assert stats.skew(test) == pytest.approx(-0.46, abs=0.06) and stats.kurtosis(test) + 3 == pytest.approx(
        3.02, abs=0.12
    )
    assert np.allclose(np.quantile(test, [0.01, 0.5, 0.99]), [-2.57, 0.11, 1.90], atol=0.12)


def test_kin_noise_is_uniform_on_the_angles():
    """The noise's share of the variance is that of kin8nm at its width; there is no noise on the distance itself."""
    noisy = load("kin40k-sim", width=0.2, detrend=False, n_train=8000, n_test=192)
    clean = kin40k_sim.distance(noisy.X)
    assert np.var(noisy.y - clean) / noisy.y.var() == pytest.approx(0.0437, abs=0.003)
    still = load("kin40k-sim", width=0.0, detrend=False, n_train=100, n_test=10)
    assert np.array_equal(still.y, kin40k_sim.distance(still.X))


def test_puma_dynamics_are_those_of_its_lagrangian():
    d = load("pumadyn32nm-sim", n_train=6, n_test=1, noise=0)
    p = pumadyn32nm_sim
    for x, y in zip(d.X, d.y):
        dm, da = np.r_[x[17:22], 1], np.r_[x[22:27], 1]
        arm = Lagrangian(
            p.OFFSET[:6], da * p.LENGTH[:6], p.ALPHA[:6], dm * p.MASS, p.CENTRE, dm[:, None] * p.INERTIA, p.MOTOR, 9.81
        )
        assert y == pytest.approx(arm.acceleration(x[:6], x[6:12], np.r_[x[12:17], 0])[5], rel=1e-6, abs=1e-8)


def test_simulated_pumadyn_has_the_published_rows_statistics():
    d = load("pumadyn32nm-sim")
    X, y, Xs, _ = parts(d)
    assert (X.shape, Xs.shape) == ((7168, 32), (1024, 32))
    assert d.y.var() == pytest.approx(9.0e-4, abs=0.45e-4)
    r = detrended(d.X, d.y, 7168)
    line = np.c_[X, np.ones(len(X))]
    assert 1 - (y - line @ np.linalg.lstsq(line, y, rcond=None)[0]).var() / y.var() == pytest.approx(0.224, abs=0.03)
    assert abs(stats.skew(r[:7168])) < 0.09 and stats.kurtosis(r[:7168]) + 3 == pytest.approx(3.03, abs=0.18)
    assert np.allclose(np.quantile(r[:7168], [0.01, 0.99]), [-2.33, 2.34], atol=0.12)
    leading = X[:, 15] * np.cos(X[:, 4])  # tau4 cos(theta5)
    slope = leading @ y / (leading @ leading)
    assert slope == pytest.approx(-0.00107, rel=0.02) and 1 - np.var(y - slope * leading) / y.var() > 0.92


@pytest.mark.parametrize("column", [0, 5, *range(27, 32), 22, 25, 26])
def test_inputs_without_effect_on_pumadyn_have_none(column):
    """theta1, theta6, the viscous factors and the lengths of links that have none."""
    d = load("pumadyn32nm-sim", n_train=50, n_test=1, noise=0)
    X = d.X.copy()
    X[:, column] = X[::-1, column]
    assert np.allclose(pumadyn32nm_sim.acceleration6(X), d.y, rtol=1e-9, atol=1e-12)


CIRCUIT = np.array([0, 40 * np.pi, 0, 1]), np.array([100, 560 * np.pi, 1, 11])


@pytest.mark.parametrize("source", [friedman.Friedman2(), friedman.Friedman3()])
def test_friedman_circuits_have_the_stated_deviation(source):
    X, w = product_rule(*CIRCUIT, 30)
    f = source.response(X)
    assert np.sqrt(w @ f**2 - (w @ f) ** 2) == pytest.approx(source.sd, rel=1e-4)
    drawn = source.inputs(2000, np.random.default_rng(0))
    assert (drawn >= CIRCUIT[0]).all() and (drawn <= CIRCUIT[1]).all()
    assert np.allclose(drawn.mean(0), sum(CIRCUIT) / 2, rtol=0.05)


def test_friedman1_has_the_stated_deviation():
    X, w = product_rule([0] * 5, [1] * 5, 10)
    f = friedman.Friedman1().response(np.c_[X, np.zeros_like(X)])
    assert np.sqrt(w @ f**2 - (w @ f) ** 2) == pytest.approx(friedman.Friedman1.sd, rel=1e-4)


def test_friedman_circuits_are_the_papers_microfarad_form():
    X = np.array([[30.0, 400.0, 0.2, 4.0], [0.0, 1000.0, 0.9, 1.5]])
    for x, z, phase in zip(X, friedman.Friedman2().response(X), friedman.Friedman3().response(X)):
        impedance = x[0] + 1j * (x[1] * x[2] - 1 / (x[1] * x[3] * 1e-6))
        assert z == pytest.approx(abs(impedance)) and phase == pytest.approx(np.angle(impedance))


def test_friedman_training_noise_is_a_third_and_test_targets_are_free_of_it():
    d = load("friedman2", n_train=20000, n_test=1000)
    f = friedman.Friedman2().response(d.X)
    assert np.std(d.y[:20000] - f[:20000]) == pytest.approx(523.02 / 3, rel=0.02)
    assert np.array_equal(d.y[20000:], f[20000:])
    noisy = load("friedman3", n_train=5, n_test=20000, noisy_test=True, noise=0.2)
    assert np.std(noisy.y - friedman.Friedman3().response(noisy.X)) == pytest.approx(0.2, rel=0.02)
    half = load("friedman3", n_train=20000, n_test=5, noise_ratio=6)
    residual = half.y[:20000] - friedman.Friedman3().response(half.X[:20000])
    assert residual.std() == pytest.approx(1.3327 / 6, rel=0.02)


def test_friedman1_is_the_textbook_function_with_unit_noise():
    d = load("friedman1", n_train=20000, n_test=10)
    x = d.X[3]
    f = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    assert d.X.shape[1] == 10 and friedman.Friedman1().response(d.X[3:4])[0] == pytest.approx(f)
    assert np.std(d.y[:20000] - friedman.Friedman1().response(d.X[:20000])) == pytest.approx(1, rel=0.02)


def test_per_trial_sets_follow_the_stream_and_fixed_ones_do_not():
    assert load("friedman2", 1).sha256 == load("friedman2", 1).sha256 != load("friedman2", 2).sha256
    assert load("snelson-noise", 1).sha256 == load("snelson-noise", 2).sha256
    assert data.load({"name": "snelson-noise", "seed": 1}).sha256 != data.load({"name": "snelson-noise"}).sha256


@pytest.mark.parametrize("name,dimensions,centres", [("clusters2d", 2, 200), ("clusters5d", 5, 1000)])
def test_clusters_take_the_class_of_a_nearest_centre(name, dimensions, centres):
    d = load(name, n_train=500)
    assert d.X.shape == (15000, dimensions) and d.X.min() >= 0 and d.X.max() <= 10
    X, y, Xs, _ = parts(d)
    assert (len(X), len(Xs), set(y)) == (500, 5000, {-1.0, 1.0})
    assert np.array_equal(X, parts(load(name, n_train=2000))[0][:500])  # smaller training parts are prefixes
    cells = load(name, centres=2)  # two cells: a plane separates them
    if len(set(cells.y)) == 2:
        A = np.c_[cells.X, np.ones(15000)]
        assert np.mean(np.sign(A @ np.linalg.lstsq(A, cells.y, rcond=None)[0]) == cells.y) > 0.9


def test_more_centres_make_smaller_cells():
    """Share of nearest neighbours of another class grows with the number of centres."""

    def disagreement(centres):
        d = load("clusters2d", centres=centres)
        near = np.linalg.norm(d.X[:300, None] - d.X[None], axis=2).argsort(1)[:, 1]
        return np.mean(d.y[:300] != d.y[near])

    assert disagreement(20) < disagreement(2000)


@pytest.mark.parametrize("q", [0, 1, 2, 3])
def test_pp_regression_draws_from_the_pp_kernel(q, rng):
    X = rng.uniform(0, 10, (40, 2))
    ours = build_kernel({"name": f"pp{q}", "dimension": 2, "ard": False}, X).with_values(
        {"variance": 1, "lengthscale": 2}
    )
    r = np.linalg.norm(X[:, None] - X[None], axis=2) / 2
    assert np.allclose(pp_regression.k_pp(r, q), ours(X), atol=1e-12)
    draws = [load("pp-regression", s, n_train=5, n_test=1, q=q, radius=1e-6) for s in range(600)]
    y = np.concatenate([d.y for d in draws])
    assert y.var() == pytest.approx(1.04, abs=0.1)  # isolated points: magnitude 1 and noise .04


def test_snelson_noise_grows_with_the_input():
    d = load("snelson-noise", n_train=20000, n_test=10)
    x, residual = d.X[:, 0], d.y - snelson_noise.response(d.X[:, 0])
    left, right = residual[x < 0.6].std(), residual[x > 5.4].std()
    assert left == pytest.approx(0.053, abs=0.01) and right == pytest.approx(0.73, abs=0.05)


@pytest.mark.parametrize("dimensions,lengthscale", [(2, 0.5), (8, 2.0)])
def test_synth_draws_have_the_squared_exponential_covariance(dimensions, lengthscale):
    """Over many draws, products of targets average to the kernel, within the spread of such averages."""
    X, count = np.random.default_rng(0).standard_normal((30, dimensions)), 500
    F = np.array([synth.function_values(X, lengthscale, np.random.default_rng(s)) for s in range(count)])
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(2) / lengthscale**2)
    error = (F.T @ F / count - K) / np.sqrt((1 + K**2) / count)  # in standard errors of a Gaussian product's mean
    assert np.abs(error).max() < 4.5 and np.sqrt(np.mean(error**2)) < 1.4


def test_synth_has_the_papers_training_size_within_seconds():
    d = load("synth2")
    X, y, _, ys = parts(d)
    assert (len(X), len(ys)) == (30543, 5000) and 0.3 < y.var() < 3


@pytest.mark.parametrize("smoothness", matern_field.PROFILES)
def test_the_circulant_matrix_of_a_field_has_the_matern_covariance_inside(smoothness):
    grid, profile = 24, matern_field.PROFILES[smoothness]
    values = matern_field.spectrum(lambda d: profile(d / 0.1), grid)
    along = np.arange(grid) / grid
    np.testing.assert_allclose(
        np.fft.ifft2(values).real[:grid, :grid], profile(np.hypot(along[:, None], along) / 0.1), atol=1e-11
    )
    assert values.min() >= 0


def test_draws_of_a_field_have_its_covariance():
    """Over many draws products of targets average to the kernel, within the spread of such averages."""
    count, options = 400, {"n_train": 60, "n_test": 4, "grid": 8, "lengthscale": 0.2, "noise": 0.0}
    F = []
    for seed in range(count):
        d = data.load({"name": "matern-field", "seed": seed, **options}, np.random.default_rng(0))
        F.append(d.y[np.lexsort((d.X[:, 1], d.X[:, 0]))])
    F, X = np.array(F), d.X[np.lexsort((d.X[:, 1], d.X[:, 0]))]
    K = build_kernel({"name": "matern32", "ard": False}, X).with_values({"variance": 1.0, "lengthscale": 0.2})(X)
    error = (F.T @ F / count - K) / np.sqrt((1 + K**2) / count)
    assert np.abs(error).max() < 4.5 and np.sqrt(np.mean(error**2)) < 1.4


def test_a_field_that_cannot_be_drawn_exactly_is_refused():
    with pytest.raises(DataError, match="length-scale"):
        load("matern-field", lengthscale=30.0, smoothness="5/2", grid=16, n_train=10, n_test=10)
    with pytest.raises(DataError, match="do not fit"):
        load("matern-field", grid=4, n_train=10, n_test=10)
