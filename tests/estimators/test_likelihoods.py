"""likelihood= of the estimators: counts and outliers, quantiles, log densities, saved models, bad input."""

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPClassifier, SparseGPRegressor
from gpbench.errors import BadInput, BadParameter

SHORT = {"schedule": "joint", "evaluations": 15}
rng = np.random.default_rng(2)
X = rng.uniform(-3, 3, (70, 1))
rate = np.exp(1.5 + np.sin(X[:, 0]))
COUNTS = rng.poisson(rate).astype(float)
MANY = rng.negative_binomial(2.0, 2.0 / (2.0 + rate)).astype(float)
OUTLYING = 10 + 3 * np.sin(X[:, 0]) + 0.2 * rng.normal(size=70)
OUTLYING[::12] += 40
GRID = np.linspace(-2.5, 2.5, 9)[:, None]


@pytest.mark.parametrize("method", ["ep", "ep-fic"])
@pytest.mark.parametrize(("likelihood", "y"), [
    ("poisson", COUNTS), ("negative-binomial", MANY), ("student-t", OUTLYING),
])  # fmt: skip
def test_fit_predict_save_load(likelihood, y, method, tmp_path):
    options = {"inducing": "kmeans", "optimise_inputs": False} if method == "ep-fic" else None
    size = 12 if method == "ep-fic" else "auto"
    model = SparseGPRegressor(method, size, learn=SHORT, random_state=0, options=options, likelihood=likelihood)
    mean, std = model.fit(X, y).predict(GRID, return_std=True)
    truth = 10 + 3 * np.sin(GRID[:, 0]) if likelihood == "student-t" else np.exp(1.5 + np.sin(GRID[:, 0]))
    wrong = {"poisson": 0.35, "negative-binomial": 0.8, "student-t": 0.1}[likelihood]
    assert (np.abs(mean / truth - 1) < wrong).all()
    low, middle, high = model.predict_quantiles(GRID).T
    assert (low <= middle).all() and (middle <= high).all() and (low < high).all() and (std > 0).all()
    model.save(tmp_path / "m.npz")
    again = gpbench.load(tmp_path / "m.npz")
    np.testing.assert_array_equal(again.predict(GRID, return_std=True), (mean, std))
    np.testing.assert_array_equal(again.log_density(GRID, truth.round()), model.log_density(GRID, truth.round()))


def test_densities_of_a_normal_fit_are_those_of_its_mean_and_deviation():
    from scipy import stats

    model = SparseGPRegressor("full-gp", learn=SHORT, random_state=0).fit(X, OUTLYING)
    mean, std = model.predict(GRID, return_std=True)
    np.testing.assert_allclose(model.log_density(GRID, mean + 1), stats.norm.logpdf(1, 0, std), rtol=1e-10)
    expected = np.column_stack([mean + q * std for q in stats.norm.ppf([0.1, 0.9])])
    np.testing.assert_allclose(model.predict_quantiles(GRID, [0.1, 0.9]), expected, rtol=1e-8)


def test_student_t_density_is_in_raw_units():
    from scipy.integrate import quad

    model = SparseGPRegressor("ep", learn=SHORT, random_state=0, likelihood="student-t").fit(X, OUTLYING)
    total = quad(lambda t: np.exp(model.log_density(GRID[:1], [t])[0]), -500, 500, points=[8, 10], limit=200)[0]
    assert total == pytest.approx(1, abs=1e-3)


def test_bad_input_is_told_in_a_sentence():
    with pytest.raises(BadInput, match=r"poisson needs counts 0, 1, 2, ...; target 0 is"):
        SparseGPRegressor(likelihood="poisson").fit(X, OUTLYING)
    with pytest.raises(BadParameter, match=r"likelihood: method fitc takes none; take ep or ep-fic"):
        SparseGPRegressor("fitc", likelihood="poisson").fit(X, COUNTS)
    with pytest.raises(BadParameter, match=r"likelihood: unknown likelihood 'poison'.*poisson"):
        SparseGPRegressor(likelihood="poison").fit(X, COUNTS)
    with pytest.raises(BadParameter, match=r"likelihood: probit is for classes"):
        SparseGPRegressor(likelihood="probit").fit(X, COUNTS)
    with pytest.raises(BadParameter, match=r"likelihood: poisson is for counts"):
        SparseGPClassifier("ep", likelihood="poisson").fit(X, COUNTS > 4)


def test_no_convergence_is_an_error_and_no_number():
    with pytest.raises(BadInput, match="did not converge"):
        SparseGPRegressor(
            "ep",
            options={"max_sweeps": 1},
            likelihood="student-t",
            random_state=0,
            learn={"schedule": "fixed", "values": {"lengthscale": 1.0, "variance": 1.0}},
        ).fit(X, OUTLYING)
